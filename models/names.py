"""What people call the things of an instance; never read by the maths."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Names:
    """What people call things; same order as the columns.

    Attributes
    ----------
    nodes, resources, levels : names of n, r, l (a level is a node-label key).
    domains : (D,) label value, or the path of values where levels are declared a hierarchy.
    groups, composites : ``namespace/name``.
    roles : (K,) role name inside its group; may be empty.
    pods : (P,) ``namespace/name`` of pending pods, role after role.
    held : (G,) why a held group waits; empty elsewhere.
    held_composites : (H,) likewise.
    leaving : (V,) ``namespace/name`` of leaving pods.
    devices : (I,) ``driver/pool/device``.
    counters : ``driver/pool/set/counter``. ``pots`` : the capacity's qualified name. Both with
        their unit where it is not the base unit (``... in 1/4``).
    attributes, values : qualified names of attributes, and texts of their values, by number.
    choices : (B,) ``request`` or ``request/subrequest``.
    own : (W,) ``pod.spec.resourceClaims[].name``.
    shared : (C,) ``namespace/claim``; where it is still to be made for a PodGroup,
        ``namespace/podgroup:NAME`` with the name it has there.
    units : (V,) ``namespace/name`` of the pod, group or composite that falls as one.
    running : (U,) ``namespace/name`` of the pods of units.
    budgets : (B,) ``namespace/name`` of PodDisruptionBudgets.
    notes : sentences for the user that belong to the reading (ignored objects, ...).
    """

    nodes: tuple[str, ...]
    resources: tuple[str, ...]
    levels: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    composites: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    pods: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    held_composites: tuple[str, ...] = ()
    leaving: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    counters: tuple[str, ...] = ()
    pots: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    running: tuple[str, ...] = ()
    budgets: tuple[str, ...] = ()


OPTIONAL_NAMES = frozenset(
    (
        "devices", "counters", "pots", "attributes", "values", "choices", "own", "shared",
        "units", "running", "budgets",
    )
)  # fmt: skip
"""Names that stand in a digest, and in a file, only where there are any."""
