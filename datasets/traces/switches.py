"""A tree of switches, and the nodes below each: what the topology formats have in common.

Tier 0 is the switch a node is plugged into, tier 1 the switch above that, and so on outwards:
the label keys are those that topograph writes on Kubernetes nodes
(docs.nvidia.com/topograph, "Node Labels and Annotations": ``fabric.topograph.run/tier-N``).
"""

from collections.abc import Callable, Iterable, Mapping

from gangplan.models.errors import Fault, InputError

FABRIC = "fabric.topograph.run/tier-"
"""Label key of a switch tier, without its number."""

DOMAIN = "accelerator.topograph.run/domain"
"""Label key of the accelerator (NVLink) domain."""

SUB_DOMAIN = "accelerator.topograph.run/sub-domain"
"""Label key of a domain inside the accelerator domain."""


def parents_of(children: Mapping[str, Iterable[str]], source: str) -> dict[str, str]:
    """Turn ``switch -> switches below`` round: ``switch -> switch above``.

    Raises
    ------
    InputError : a switch below two others, or below itself.
    """
    above: dict[str, str] = {}
    for switch, below in children.items():
        for child in below:
            if child in above:
                message = f"hangs under {above[child]} and under {switch}"
                raise InputError([Fault(source, f"switch {child}", "", message)])
            above[child] = switch
    for switch in above:
        chain(switch, above, source)
    return above


def chain(switch: str, above: Mapping[str, str], source: str) -> list[str]:
    """Return the switches from ``switch`` up to its root.

    Raises
    ------
    InputError : the way up comes round to where it was.
    """
    way = [switch]
    while (up := above.get(way[-1])) is not None:
        if up in way:
            ring = " -> ".join([*way[way.index(up) :], up])
            raise InputError([Fault(source, f"switch {up}", "", f"lies below itself: {ring}")])
        way.append(up)
    return way


def fabric_labels(switch: str, above: Mapping[str, str], source: str) -> dict[str, str]:
    """Labels of a node plugged into ``switch``: one a tier."""
    return {f"{FABRIC}{tier}": name for tier, name in enumerate(chain(switch, above, source))}


def each_once(nodes: Iterable[tuple[str, str]], source: str) -> None:
    """Check that no node is named twice.

    Parameters
    ----------
    nodes : (node, where it is named) pairs.
    """
    seen: dict[str, str] = {}
    faults = []
    for node, where in nodes:
        if node in seen:
            faults.append(Fault(source, f"node {node}", "", f"in {seen[node]} and in {where}"))
        seen.setdefault(node, where)
    if faults:
        raise InputError(faults[:20])


def fault_of(expand: Callable[[str], list[str]], text: str, source: str, item: str) -> list[str]:
    """Expand a host list; a ValueError becomes an InputError that names the file and the item."""
    try:
        return expand(text)
    except ValueError as error:
        raise InputError([Fault(source, item, "nodes", str(error))]) from None
