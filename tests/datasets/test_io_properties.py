"""Round trips and damage, on random instances and plans."""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gangplan.datasets.instance_file import instance_document, instance_of
from gangplan.datasets.plan_claims import false_claims
from gangplan.datasets.plan_file import plan_document, result_of
from gangplan.models.errors import InputError
from gangplan.models.instance import Instance
from gangplan.models.marks import marks
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.result import Result, TierReport
from gangplan.models.tiers import tiers_of, values
from tests.strategies import claiming, instances, plans
from tests.tiny import make_instance

EITHER = st.one_of(instances(), claiming())


@st.composite
def planned(draw: st.DrawFn) -> tuple[Instance, Plan]:
    instance = draw(EITHER)
    plan = draw(plans(instance))
    given = plan.allocations
    rows = Counter(
        zip(given.pod.tolist(), given.claim.tolist(), given.device.tolist(), strict=True)
    )
    # What a reader refuses: it could come from no planner.
    assume(all(n == 1 or instance.devices.multi[i] for (*_, i), n in rows.items()))
    return instance, plan


def through_json(document: dict[str, object]) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(document))
    return copy


def result_with(instance: Instance, plan: Plan) -> Result:
    tiers = tiers_of(instance)
    reports = tuple(
        TierReport(tier.name, tier.maximise, value, None, "", False)
        for tier, value in zip(tiers, values(instance, plan, tiers), strict=True)
    )
    return Result(plan, reports, "feasible", {"name": "test"})


@given(EITHER)
@settings(max_examples=40)
def test_an_instance_comes_back_with_its_digest(instance: Instance) -> None:
    again = instance_of(through_json(instance_document(instance)), "f")
    assert again.digest() == instance.digest()
    assert again.names == instance.names


@given(planned())
@settings(max_examples=40)
def test_a_plan_comes_back_and_claims_nothing_false(drawn: tuple[Instance, Plan]) -> None:
    instance, plan = drawn
    document = through_json(plan_document(instance, result_with(instance, plan)))
    again = result_of(document, instance, "f").plan
    assert (again.node == plan.node).all()
    pairs = sorted(zip(plan.device_pod.tolist(), plan.device.tolist(), strict=True))
    assert sorted(zip(again.device_pod.tolist(), again.device.tolist(), strict=True)) == pairs
    for column in ("pod", "claim", "choice", "device"):
        have, want = (getattr(one.allocations, column) for one in (again, plan))
        assert have.tolist() == want.tolist()
    assert (marks(instance, again) == marks(instance, plan)).all()
    assert false_claims(document, instance, "f") == ()


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.integers()
    | st.floats()
    | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["pod", "node", "x"]), inner)
    ),
    max_leaves=4,
)


def damaged(draw: st.DataObject, document: dict[str, Any]) -> dict[str, Any]:
    """Replace one value somewhere inside."""
    inner: Any = document
    while True:
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        key = draw.draw(st.sampled_from(keys))
        deeper = inner[key]
        if isinstance(deeper, dict | list) and deeper and draw.draw(st.booleans()):
            inner = deeper
            continue
        inner[key] = draw.draw(JSON)
        return document


def refusal(read: Callable[[], object]) -> str:
    """Give the text of the input error, empty where there is none; any other error fails."""
    try:
        read()
    except InputError as error:
        return str(error)
    return ""


@given(EITHER, st.data())
@settings(max_examples=80)
def test_a_damaged_instance_file_is_refused_in_one_line(
    instance: Instance, draw: st.DataObject
) -> None:
    document = damaged(draw, through_json(instance_document(instance)))
    said = refusal(lambda: instance_of(document, "file.json"))
    if said:
        assert said.startswith("file.json: ")
        assert len(said.splitlines()) == 1
    else:
        assert instance_of(document, "file.json").digest() == instance.digest()


@given(planned(), st.data())
@settings(max_examples=80)
def test_a_damaged_plan_file_is_read_or_refused_in_one_line(
    drawn: tuple[Instance, Plan], draw: st.DataObject
) -> None:
    instance, plan = drawn
    document = damaged(draw, through_json(plan_document(instance, result_with(instance, plan))))
    said = refusal(lambda: false_claims(document, instance, "file.json"))
    assert not said or said.startswith("file.json: ")
    assert len(said.splitlines()) <= 1


def test_a_name_cannot_break_the_line_of_an_error() -> None:
    instance = make_instance(nodes=[{"gpu": 1}], groups=[])
    document = plan_document(instance, result_with(instance, empty_plan(instance)))
    pod = {"pod": "a\nb", "node": "n0", "devices": []}
    document["groups"] = [{"group": "g", "status": "admitted", "pods": [pod], "reason": None}]
    said = refusal(lambda: result_of(document, instance, "f"))
    assert said == r"f: groups[0].pods[0].pod: a\nb is no pending pod here"
