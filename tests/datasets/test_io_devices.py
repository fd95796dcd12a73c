"""Devices and claims in instance files and plan files."""

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gangplan.datasets.devices import Choice, Offer, Own, Request, Spec, sections
from gangplan.datasets.instance_file import instance_document, instance_of
from gangplan.datasets.io import read_instance, write_instance
from gangplan.datasets.plan_claims import false_claims
from gangplan.datasets.plan_file import plan_document, result_of
from gangplan.models.errors import InputError
from gangplan.models.instance import Instance
from gangplan.models.plan import Allocations, Plan
from gangplan.models.result import Result
from gangplan.models.tiers import tiers_of, values
from tests.tiny import make_instance
from tests.tiny_devices import with_devices


def small() -> Instance:
    """Two pods with two own claims each, and a claim that they share."""
    return with_devices(
        make_instance(
            nodes=[{"cpu": 8}, {"cpu": 8}],
            groups=[{"wanted": 2, "minimum": 2, "request": {"cpu": 1}}],
        ),
        devices=[
            {"node": 0, "gpu": True, "root": "r0", "name": "gpu.test/n0/g0"},
            {"node": 1, "gpu": True, "root": "r0", "name": "gpu.test/pools/of/n1/g0"},
            {"node": 0, "nic": True, "root": ["r0", "r1"], "draws": {"bus": 1}},
            {"node": 1, "nic": True, "root": "r0", "draws": {"bus": 1}},
            {"zone": [0, 1], "fabric": True, "multi": True, "pots": {"bandwidth": 9}},
        ],
        specs=[
            {"requests": [("g", "gpu"), ("n", {"word": "nic", "name": "any"})], "match": ["root"]},
            {"requests": [("f", {"word": "fabric", "count": 2, "uses": {"bandwidth": 3}})]},
        ],
        own={0: [0]},
        shared=[{"spec": 1, "roles": [0], "name": "test/fab"}],
        counters={"bus": 2},
    )


def planned(instance: Instance) -> Result:
    none = np.zeros(0, dtype=np.int64)
    rows = [(0, 0, 0, 0), (0, 0, 1, 2), (1, 0, 0, 1), (1, 0, 1, 3), (-1, 0, 2, 4), (-1, 0, 2, 4)]
    plan = Plan(np.array([0, 1]), none, none, Allocations(*np.array(rows).T))
    return Result(plan, (), "feasible", {"name": "test"})


def through_json(document: dict[str, object]) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(document))
    return copy


def document_of(instance: Instance) -> dict[str, Any]:
    return through_json(plan_document(instance, planned(instance)))


def test_an_instance_with_devices_comes_back_with_its_digest() -> None:
    again = instance_of(through_json(instance_document(small())), "f")
    assert again.digest() == small().digest()
    assert again.names == small().names


def test_an_instance_without_devices_has_no_word_of_them() -> None:
    document = instance_document(make_instance(nodes=[{"gpu": 1}], groups=[]))
    assert not {"devices", "claims"} & document.keys()
    assert isinstance(document["names"], dict)
    assert not {"devices", "counters", "choices", "own", "shared"} & document["names"].keys()


def test_rows_of_flags_that_are_equal_are_written_once() -> None:
    document = through_json(instance_document(small()))
    fits, asks = document["claims"]["fits"], document["claims"]["asks"]
    assert fits == asks
    assert (fits["shape"], fits["row"], len(fits["packed"])) == ([3, 5], [0, 1, 2], 3)
    barred = document["claims"]["barred"]
    assert (barred["shape"], barred["row"], len(barred["packed"])) == ([3, 2], [0, 0, 0], 1)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["claims", "fits", "row"], [0, 1, 3], "claims.fits.row: a number below 3 expected"),
        (["claims", "fits", "row"], [0, 1, -1], "claims.fits.row: a number below 3 expected"),
        (["claims", "fits", "row"], [0, 1], "claims.fits.row: 3 numbers expected, not 2"),
        (["claims", "fits", "row"], "011", "claims.fits.row: 3 numbers expected, not 3"),
        (["claims", "fits", "packed"], ["AA", "AA", "A="], "claims.fits.packed: base64 expected"),
        (["claims", "fits", "packed"], ["é"] * 3, "claims.fits.packed: base64 expected"),
        (["claims", "fits", "packed"], ["AAA="] * 3, "claims.fits.packed: 1 bytes expected, not 2"),
        (["claims", "fits", "packed"], [1], "claims.fits.packed: a list of texts expected"),
        (["claims", "fits", "shape"], [3, 2**40], "claims.fits: 3 x 1099511627776 flags are more"),
        (["claims", "fits", "shape"], [3], "claims.fits: a shape and its values expected"),
        (["claims", "fits", "colour"], [3], "claims.fits: a shape and its values expected"),
        (["claims", "own_spec"], [7], "claims.own_spec: 7 is out of range"),
        (["claims", "own_role"], [7], "claims.own_role: 7 is out of range"),
        (["claims", "colour"], [], "claims.colour: not known in this version"),
        (["devices", "node"], [0, 1, 0, 1, 0], "devices.node: a device is on one node"),
        (["devices", "multi"], "00000", "devices.pot_device: only a device that may be shared"),
        (["devices"], [], "devices: an object expected"),
        (["names", "devices"], ["a"], "names.devices: 5 expected, not 1"),
        (["names", "choices"], [1], "names.choices: a list of texts expected"),
        (["claims", "shared_limit"], [5], "digest: the content does not match it"),
    ],
)
def test_a_changed_file_is_refused_in_one_line(path: list[str], value: Any, message: str) -> None:
    document = through_json(instance_document(small()))
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    with pytest.raises(InputError) as caught:
        instance_of(document, "file.json")
    assert str(caught.value).startswith("file.json: " + message)
    assert "\n" not in str(caught.value)


def test_every_missing_column_of_devices_and_claims_is_named() -> None:
    whole = through_json(instance_document(small()))
    for section in ("devices", "claims"):
        for column in whole[section]:
            document = through_json(whole)
            del document[section][column]
            with pytest.raises(InputError, match=rf"{section}\.{column}: missing"):
                instance_of(document, "f")
        document = through_json(whole)
        del document[section]
        with pytest.raises(InputError):
            instance_of(document, "f")


def test_forty_thousand_devices_are_written_and_read_in_seconds(tmp_path: Path) -> None:
    n_nodes, n_devices = 5000, 40_000
    base = make_instance(
        nodes=[{"cpu": 64}] * n_nodes, groups=[{"request": {"cpu": 1}} for _ in range(100)]
    )
    offers = [
        Offer(f"gpu.test/node-{i // 8}/gpu-{i % 8}", node=i // 8, traits={"root": (f"r{i % 2}",)})
        for i in range(n_devices)
    ]
    fits = [np.arange(n_devices) % 8 < 4, np.arange(n_devices) % 8 >= 4]
    specs = [Spec((Request("r", (Choice(fits[s % 2]),)),)) for s in range(100)]
    made = sections(n_nodes, offers, specs, [Own(k, k, "gpu") for k in range(100)])
    instance = Instance(
        **{name: getattr(base, name) for name in (
            "nodes", "topology", "roles", "groups", "composites", "rules", "shared", "leaving",
        )},
        names=type(base.names)(
            **{f: getattr(base.names, f) for f in type(base.names).__slots__} | dict(made.names)
        ),
        devices=made.devices,
        claims=made.claims,
    )  # fmt: skip
    path = str(tmp_path / "big.json")
    start = time.perf_counter()
    write_instance(instance, path)
    assert read_instance(path).digest() == instance.digest()
    assert time.perf_counter() - start < 5
    assert Path(path).stat().st_size < 3_500_000


def test_a_plan_file_names_claim_request_driver_pool_and_device() -> None:
    document = document_of(small())
    pods = document["groups"][0]["pods"]
    gpu = {"claim": "claim0", "request": "g", "driver": "gpu.test"}
    nic = {"claim": "claim0", "request": "n/any", "driver": "test", "pool": "pool"}
    assert pods[0]["claims"] == [gpu | {"pool": "n0", "device": "g0"}, nic | {"device": "d2"}]
    assert pods[1]["claims"][0] == gpu | {"pool": "pools/of/n1", "device": "g0"}
    assert (
        document["shared_claims"]
        == [
            {
                "claim": "test/fab",
                "request": "f",
                "driver": "test",
                "pool": "pool",
                "device": "d4",
                "consumed": {"bandwidth": 3},
                "nodes": ["n0", "n1"],
            }
        ]
        * 2
    )


def test_a_plan_without_devices_has_no_word_of_them() -> None:
    instance = make_instance(nodes=[{"gpu": 1}], groups=[{"request": {"gpu": 1}}])
    none = np.zeros(0, dtype=np.int64)
    document = plan_document(instance, Result(Plan(np.array([0]), none, none), (), "feasible", {}))
    assert "shared_claims" not in document
    assert '"claims"' not in json.dumps(document)


def test_allocations_come_back() -> None:
    instance = small()
    again = result_of(document_of(instance), instance, "f").plan.allocations
    given = planned(instance).plan.allocations
    for column in ("pod", "claim", "choice", "device"):
        assert getattr(again, column).tolist() == getattr(given, column).tolist()


POD = ["groups", 0, "pods", 0, "claims"]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ([*POD, 0, "device"], "g9", "groups[0].pods[0].claims[0].device: gpu.test/n0/g9 is no dev"),
        ([*POD, 0, "pool"], "n9", "groups[0].pods[0].claims[0].device: gpu.test/n9/g0 is no dev"),
        ([*POD, 0, "driver"], None, "groups[0].pods[0].claims[0].driver: a text expected"),
        ([*POD, 0, "claim"], "x", "groups[0].pods[0].claims[0].claim: test/g0-0-0 has no claim x"),
        ([*POD, 0, "claim"], "test/fab", "groups[0].pods[0].claims[0].claim: test/g0-0-0 has no"),
        ([*POD, 0, "request"], "f", "groups[0].pods[0].claims[0].request: claim0 has no request f"),
        ([*POD, 1, "request"], "n", "groups[0].pods[0].claims[1].request: claim0 has no request n"),
        (POD, {}, "groups[0].pods[0].claims: a list of objects expected"),
        (["shared_claims"], 3, "shared_claims: a list of objects expected"),
        (["shared_claims", 0, "claim"], "test/x", "shared_claims[0].claim: test/x is no shared"),
        (["shared_claims", 0, "request"], "g", "shared_claims[0].request: test/fab has no request"),
        (["shared_claims", 1, "device"], "d9", "shared_claims[1].device: test/pool/d9 is no dev"),
    ],
)
def test_a_changed_plan_file_is_refused_in_one_line(
    path: list[Any], value: Any, message: str
) -> None:
    document: Any = document_of(small())
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    with pytest.raises(InputError) as caught:
        result_of(document, small(), "f")
    assert str(caught.value).startswith("f: " + message)
    assert "\n" not in str(caught.value)


def test_a_device_that_a_claim_gets_twice_is_refused() -> None:
    document = document_of(small())
    claims = document["groups"][0]["pods"][0]["claims"]
    claims.append(claims[0])
    with pytest.raises(InputError, match=r"claim0 of test/g0-0-0: gpu.test/n0/g0 is given twice"):
        result_of(document, small(), "f")


def test_a_claim_that_is_allocated_already_gets_nothing() -> None:
    instance = with_devices(
        make_instance(nodes=[{"cpu": 1}], groups=[{"request": {"cpu": 1}}]),
        devices=[{"node": 0, "gpu": True}],
        specs=[{"requests": [("g", "gpu")]}],
        shared=[{"nodes": [0], "roles": [0], "name": "test/old"}],
    )
    none = np.zeros(0, dtype=np.int64)
    given = Result(Plan(np.array([0]), none, none), (), "feasible", {"name": "test"})
    document = through_json(plan_document(instance, given))
    entry = {"request": "g", "driver": "test", "pool": "pool", "device": "d0"}
    document["shared_claims"] = [{"claim": "test/old", **entry}]
    with pytest.raises(InputError, match=r"shared_claims\[0\].claim: test/old is allocated alre"):
        result_of(document, instance, "f")


def test_what_a_file_says_of_shares_and_users_is_compared() -> None:
    instance = small()
    tiers = tiers_of(instance)
    given = planned(instance)
    assert len(values(instance, given.plan, tiers)) == len(tiers)
    document = document_of(instance)
    about = [said for said in false_claims(document, instance, "f") if "claims" in said]
    assert about == []
    document["shared_claims"][0]["nodes"] = ["n0"]
    document["groups"][0]["pods"][0]["claims"][0]["consumed"] = {"memory": 1}
    about = [said for said in false_claims(document, instance, "f") if "claims" in said]
    assert about == [
        "group test/g0: the file says something else of its claims than its devices",
        "shared claims: the file says something else of them than its placements",
    ]
