"""Compares an answer with what a case expects; each difference is one text."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.cases.answer import Answer
from tests.cases.facts import FACTS, NEVER

POLICIES = ("fewer_victims_first",)
"""Answers of ours among those that depend on a choice; a plan file names it (``policy``)."""


def differences(answer: Answer, expect: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Check every entry of ``expect``.

    Returns
    -------
    wrong : ``what was expected, what came`` of each entry that is not met.
    unchecked : sentences of facts and never that no program checks.
    """
    wrong: list[str] = []
    unchecked: list[str] = []
    for key, want in expect.items():
        if key in ("facts", "never"):
            known = (FACTS if key == "facts" else NEVER).get(answer.case.id, {})
            for sentence in want:
                if sentence not in known:
                    unchecked.append(f"{key}: {sentence}")
                elif not known[sentence](answer):
                    wrong.append(f"{key}: {sentence!r}, came {answer.node}")
        elif key == "by_policy":
            ours = [want[name] for name in want if name in POLICIES]
            if not ours:
                unchecked.append(f"by_policy: {', '.join(want)}")
            for one in ours:
                more, left = differences(answer, one)
                wrong, unchecked = wrong + more, unchecked + left
        elif key != "variants":
            wrong += CHECKS[key](answer, want)
    return wrong, unchecked


def _placed(answer: Answer, want: dict[str, int]) -> list[str]:
    have = {group: answer.placed(group) for group in want}
    return [] if have == want else [f"placed {want}, came {have}"]


def _placed_one_of(answer: Answer, want: list[dict[str, int]]) -> list[str]:
    have = {group: answer.placed(group) for group in want[0]}
    return [] if have in want else [f"placed one of {want}, came {have}"]


def _total(answer: Answer, want: int) -> list[str]:
    return [] if len(answer.node) == want else [f"{want} placed, came {len(answer.node)}"]


def _victims(answer: Answer, want: list[str]) -> list[str]:
    return [] if answer.victims == sorted(want) else [f"victims {want}, came {answer.victims}"]


def _victims_one_of(answer: Answer, want: list[list[str]]) -> list[str]:
    if answer.victims in [sorted(w) for w in want]:
        return []
    return [f"victims one of {want}, came {answer.victims}"]


def _nodes_of(answer: Answer, want: dict[str, list[str]]) -> list[str]:
    have = {group: answer.nodes_of(group) for group in want}
    right = {group: sorted(nodes) for group, nodes in want.items()}
    return [] if have == right else [f"nodes {right}, came {have}"]


def _pods_per_node(answer: Answer, want: dict[str, int]) -> list[str]:
    have = Counter(answer.node.values())
    return [] if have == Counter(want) else [f"pods per node {want}, came {dict(have)}"]


def _domain(answer: Answer, want: dict[str, dict[str, str]]) -> list[str]:
    wrong = []
    for group, levels in want.items():
        for key, value in levels.items():
            have = answer.domains(group, key)
            if have != {value}:
                wrong.append(f"{group} in {key} {value}, came {sorted(have)}")
    return wrong


def _devices(answer: Answer, want: dict[str, list[str]]) -> list[str]:
    return [
        f"{pod} has {sorted(names)}, came {answer.devices(pod)}"
        for pod, names in want.items()
        if answer.devices(pod) != sorted(names)
    ]


def _devices_of_group(answer: Answer, want: dict[str, list[str]]) -> list[str]:
    return [
        f"{group} has {sorted(names)}, came {answer.devices_of_group(group)}"
        for group, names in want.items()
        if answer.devices_of_group(group) != sorted(names)
    ]


def _status(answer: Answer, want: str) -> list[str]:
    have = answer.result.stop
    return [] if have == want else [f"status {want}, came {have}"]


def _told(answer: Answer, want: list[dict[str, Any]]) -> list[str]:
    wrong = []
    for entry in want:
        text = answer.about(entry["about"])
        missing = [word for word in entry["must_mention"] if str(word) not in text]
        if missing:
            wrong.append(f"{missing} about {entry['about']}, came {text or 'not a word'!r}")
    return wrong


CHECKS: dict[str, Callable[[Answer, Any], list[str]]] = {
    "placed": _placed,
    "placed_one_of": _placed_one_of,
    "total_placed": _total,
    "victims": _victims,
    "victims_one_of": _victims_one_of,
    "nodes_of": _nodes_of,
    "pods_per_node": _pods_per_node,
    "domain": _domain,
    "devices": _devices,
    "devices_of_group": _devices_of_group,
    "status": _status,
    "errors": _told,
    "warnings": _told,
}
