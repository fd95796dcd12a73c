"""Bad input of every sort in one cluster: each group waits with its reason, the others are placed.

Through `gangplan plan`, from a file to the plan file.
"""

import json

import pytest
import yaml

from gangplan.cli import codes, main
from tests.datasets.kubernetes.devices.claims import (
    Obj,
    asks,
    by_name,
    claim,
    claiming,
    device,
    device_class,
    draws,
    first_of,
    generated,
    host,
    request,
    result,
    slice_,
    template,
)
from tests.datasets.kubernetes.objects import instance

TEN = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"


def loops() -> str:
    text = "true"
    for name in "abcdefg":
        text = f"{TEN}.all({name}, {text})"
    return text


# What the template of a pod asks -> a part of the reason why it waits.
ASKED = {
    "syntax": (request("r", "gpu", "device.driver =="), "1:17: Syntax error"),
    "type": (request("r", "gpu", "device.colour == 1"), "undefined field 'colour'"),
    "endless": (request("r", "gpu", loops()), "too complex, exceeds cost limit"),
    "failing": (request("r", "gpu", 'device.attributes["x"].y == 1'), "cannot be placed"),
    "classless": (request("r", "lost"), "request r: DeviceClass lost does not exist"),
    "either": (first_of("r", ("a", "gpu"), ("b", "lost")), "DeviceClass lost does not exist"),
    "broken-class": (request("r", "broken"), "must evaluate to bool"),
    "many": (request("r", "gpu", count=33), "asks for 33 devices, 32 are allowed"),
    "undeclared": (request("r", "mig"), "cannot be placed"),
    "halved": (request("r", "half"), "cannot be placed"),
}
# What is said of the sources besides.
TOLD = [
    "no such key: y (gpu.example.com/n1/d0, gpu.example.com/n1/d1)",
    "pool mig.example.com/n1 does not declare counters that its devices draw from: card/slices",
    "pool half.example.com/n1 is of generation 2; 1 ResourceSlice of an older one not used: old",
    "pool half.example.com/n1 is incomplete, 1 of its 2 ResourceSlices in the sources",
    "1 allocated device that no ResourceSlice has: gpu.example.com/n1/gone",
]


def cluster() -> list[Obj]:
    def driver(name: str) -> Obj:
        return device_class(name, f'device.driver == "{name}.example.com"')

    undeclared = device("m0", consumesCounters=draws(slices="1"))
    return [
        host("n1"),
        host("n2"),
        *map(driver, ("gpu", "mig", "half")),
        device_class("broken", "1"),
        slice_("s", "d0", "d1"),
        slice_("mig", undeclared, driver="mig.example.com"),
        slice_("old", "h0", driver="half.example.com"),
        slice_("new", "h0", driver="half.example.com", generation=2, slices=2),
        template("fine"),
        claiming("fine", "fine"),
        *(template(name, asks(wanted)) for name, (wanted, _) in ASKED.items()),
        *(claiming(name, name) for name in ASKED),
        claim("others", owner=("Pod", "other")),
        claiming("owned", "fine", status=generated("others")),
        claim("gone", allocated=[result("gone")], on="n1"),
        claiming("gone", by_name("gone")),
    ]


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Obj:
    folder = tmp_path_factory.mktemp("bad")
    (folder / "all.yaml").write_text(yaml.safe_dump_all(cluster()))
    path = folder / "plan.json"
    run = ["plan", str(folder / "all.yaml"), "--planner", "greedy", "-o", str(path)]
    assert main(run) == codes.GOOD
    found: Obj = json.loads(path.read_text())
    return found


def reason(planned: Obj, name: str) -> str:
    (group,) = (one for one in planned["groups"] if one["group"] == f"lab/{name}")
    assert group["status"] == "pending"
    return str(group["reason"])


@pytest.mark.parametrize("name", ASKED)
def test_a_group_with_a_bad_claim_waits_and_says_why(planned: Obj, name: str) -> None:
    said = reason(planned, name)
    assert ASKED[name][1] in said
    assert "\n" not in said


def test_a_group_with_the_claim_of_another_waits(planned: Obj) -> None:
    assert reason(planned, "owned") == "ResourceClaim lab/others belongs to Pod other"


def test_a_group_whose_device_is_gone_waits(planned: Obj) -> None:
    said = "ResourceClaim lab/gone has gpu.example.com/n1/gone, which no ResourceSlice has"
    assert reason(planned, "gone") == said


def test_the_rest_of_the_plan_goes_on(planned: Obj) -> None:
    (group,) = (one for one in planned["groups"] if one["group"] == "lab/fine")
    assert group["status"] == "admitted"
    (given,) = group["pods"][0]["claims"]
    assert given["device"] in ("d0", "d1")


@pytest.mark.parametrize("words", TOLD)
def test_what_is_wrong_with_the_sources_is_told(words: str) -> None:
    assert any(words in note for note in instance(*cluster()).names.notes)
