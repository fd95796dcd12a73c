"""Slots by devices: no node holds more pods of a role than this, whatever else comes to it."""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.claims import ALL
from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance
from gangplan.models.once import once
from gangplan.models.options.cells import PLENTY, Cells
from gangplan.models.options.options import Options, options_of
from gangplan.models.options.sites import asked_counts, per_node

NO_LIMIT = np.iinfo(np.int64).max
"""Slots where no claim is in the way."""


def claim_kinds(instance: Instance) -> Ints:
    """(K,) roles of equal numbers have equal claims; 0 for all where there is no claim."""
    claims, k = instance.claims, len(instance.roles)
    if not claims:
        return np.zeros(k, dtype=np.int64)
    table = np.zeros((k, claims.n_specs + claims.n_shared), dtype=np.int64)
    np.add.at(table, (claims.own_role, claims.own_spec), 1)
    table[claims.user_role, claims.n_specs + claims.user_shared] = 1
    _, kind = np.unique(table, axis=0, return_inverse=True)
    return kind.reshape(-1).astype(np.int64)


def device_slots(instance: Instance, options: Options | None = None) -> Ints:
    """(K, N) pods of role k that devices leave room for on node n; NO_LIMIT without claims.

    An upper bound: each request is counted by itself, and all requests of the role's own claims
    together. 0 where a claim cannot be served at all.
    """
    claims = instance.claims
    slots = np.full((len(instance.roles), len(instance.nodes)), NO_LIMIT, dtype=np.int64)
    if not claims:
        return slots
    _settled(instance, slots)
    if options is None:
        try:
            options = options_of(instance)
        except FormulationError:  # too many ways to list: that none is there is not known
            return slots
    serves, each = served(instance, options), _Requests(instance, options.cells)
    for c, k in zip(claims.user_shared.tolist(), claims.user_role.tolist(), strict=True):
        np.minimum(slots[k], claims.shared_limit[c], out=slots[k])
        if claims.shared_spec[c] >= 0:
            slots[k, ~serves.shared[c]] = 0
    kind = claim_kinds(instance)
    for number in np.unique(kind[claims.own_role]).tolist():
        roles = np.flatnonzero(kind == number)
        times = np.bincount(claims.own_spec[claims.own_role == roles[0]], minlength=claims.n_specs)
        room = each.room(times)
        room[~serves.own[times > 0].all(axis=0)] = 0
        slots[roles] = np.minimum(slots[roles], room)
    return slots


def _settled(instance: Instance, slots: Ints) -> None:
    """Set slots outside the zones of allocated claims to 0, in place."""
    claims = instance.claims
    for c, k in zip(claims.user_shared.tolist(), claims.user_role.tolist(), strict=True):
        if claims.shared_zone[c] >= 0:
            slots[k, ~instance.devices.zones[claims.shared_zone[c]]] = 0


class Served:
    """Where claims can be served: ``own`` (S, N) by spec, ``shared`` (C, N) by claim."""

    def __init__(self, own: Flags, shared: Flags) -> None:
        self.own = own
        self.shared = shared


def served(instance: Instance, options: Options) -> Served:
    """Nodes where every part of a claim has an option."""
    claims, table, n = instance.claims, options.table, len(instance.nodes)
    own = np.ones((claims.n_specs, n), dtype=np.bool_)
    shared = np.ones((claims.n_shared, n), dtype=np.bool_)
    mine = table.claim < 0
    by_part = np.zeros((len(options.parts), n), dtype=np.bool_)
    by_part[table.part[mine], table.node[mine]] = True
    for p, part in enumerate(options.parts):
        own[part.spec] &= by_part[p]
    part_of, claim_of = table.part[table.cover_option], table.claim[table.cover_option]
    for p in np.unique(part_of).tolist():
        reach = np.zeros_like(shared)
        of_part = part_of == p
        reach[claim_of[of_part], table.cover_node[of_part]] = True
        concerned = claims.shared_spec == options.parts[p].spec
        shared[concerned] &= reach[concerned]
    missing = np.setdiff1d(np.arange(len(options.parts)), part_of)
    for p in missing.tolist():
        shared[claims.shared_spec == options.parts[p].spec] = False
    return Served(own, shared)


class _Requests:
    """Room of every request on every node, by counting free devices and shares."""

    def __init__(self, instance: Instance, cells: Cells) -> None:
        claims = instance.claims
        self.instance, self.cells = instance, cells
        self.spec = claims.request_spec
        first = np.searchsorted(claims.choice_request, np.arange(len(self.spec)))
        self.most = np.zeros((len(self.spec), len(cells)), dtype=np.int64)
        np.maximum.at(self.most, claims.choice_request, cells.most)
        every = np.maximum(asked_counts(instance, cells), 1)
        count = np.where((claims.choice_count == ALL)[:, None], every, claims.choice_count[:, None])
        self.least = np.minimum.reduceat(count, first, axis=0)

    def room(self, times: Ints) -> Ints:
        """(N,) pods that have ``times`` (S,) claims of each spec."""
        mine = np.flatnonzero(times[self.spec] > 0)
        need = self.least[mine] * times[self.spec[mine], None]
        alone = per_node(self.instance, self.cells, self.most[mine]) // need
        together = np.minimum(self.most[mine].max(axis=0, initial=0), PLENTY)
        whole = per_node(self.instance, self.cells, together[None, :])[0] // need.sum(axis=0)
        room: Ints = np.minimum(alone.min(axis=0), whole)
        return room


@dataclass(frozen=True, slots=True, eq=False)
class _Scarce:
    """What is counted once for all roles: where claims are served, and the room of requests."""

    served: Served
    need: Ints
    room: Ints

    def of_request(self, request: int) -> Ints:
        """(N,) how often the request goes into what a node has."""
        often: Ints = self.room[request] // self.need[request]
        return often


@once
def _scarce(instance: Instance) -> _Scarce:
    options = options_of(instance)
    each = _Requests(instance, options.cells)
    room = per_node(instance, options.cells, each.most)
    return _Scarce(served(instance, options), each.least, room)


def scarce_claims(instance: Instance, role: int) -> dict[str, Ints]:
    """Slots of a role on every node by each of its claims: words for people -> (N,)."""
    claims, found = instance.claims, dict[str, Ints]()
    if not len(claims.own_of(role)) and not len(claims.shared_of(role)):
        return found
    try:
        scarce = _scarce(instance)
    except FormulationError:
        return found
    for w in claims.own_of(role):
        spec, claim = int(claims.own_spec[w]), f"claim {instance.names.own[w]}"
        least = np.full(len(instance.nodes), NO_LIMIT, dtype=np.int64)
        for q in np.flatnonzero(claims.request_spec == spec).tolist():
            often = scarce.of_request(q)
            found[f"devices for request {request_name(instance, q)} of {claim}"] = often
            least = np.minimum(least, often)
        if (~scarce.served.own[spec] & (least > 0)).any():
            # Enough for each request, and yet not together: a rule keeps them apart.
            found[f"devices that go together for {claim}"] = np.where(
                scarce.served.own[spec], least, 0
            )
    for c in claims.shared_of(role).tolist():
        name = f"nodes that reach the devices of claim {instance.names.shared[c]}"
        if claims.shared_spec[c] < 0:
            reach = instance.devices.zones[claims.shared_zone[c]]
        else:
            reach = scarce.served.shared[c]
        found[name] = np.where(reach, claims.shared_limit[c], 0)
    return found


def request_name(instance: Instance, request: int) -> str:
    """Return the name of a request as its claim calls it."""
    b = int(np.searchsorted(instance.claims.choice_request, request))
    return instance.names.choices[b].split("/")[0]
