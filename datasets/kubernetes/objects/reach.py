"""Which nodes reach the devices of a slice, or one device."""

from dataclasses import dataclass

from gangplan.datasets.kubernetes.devicerecords import Terms
from gangplan.datasets.kubernetes.objects.selectors import node_terms
from gangplan.datasets.kubernetes.text.fields import Fields
from gangplan.datasets.kubernetes.text.names import subdomain

OF_DEVICE = ("nodeName", "nodeSelector", "allNodes")
OF_SLICE = (*OF_DEVICE, "perDeviceNodeSelection")


@dataclass(frozen=True, slots=True)
class Reach:
    """One node, those that a selector matches, all of them, or what each device says."""

    node: str = ""
    selector: Terms | None = None
    everywhere: bool = False
    each: bool = False


NOWHERE = Reach()


def reach(fields: Fields, keys: tuple[str, ...], *, required: bool = True) -> Reach:
    """Read the one of ``keys`` (`OF_DEVICE` or `OF_SLICE`) that is set."""
    chosen = fields.one_of(*keys, required=required)
    if chosen == "nodeName":
        return Reach(node=subdomain(fields, chosen, required=True))
    if chosen == "nodeSelector":
        section = fields.mapping(chosen)
        return NOWHERE if section is None else Reach(selector=node_terms(section))
    if chosen:
        if not fields.boolean(chosen, True):
            fields.fault(chosen, "true expected, or nothing")
        return Reach(everywhere=chosen == "allNodes", each=chosen == "perDeviceNodeSelection")
    return NOWHERE
