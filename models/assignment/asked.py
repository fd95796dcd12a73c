"""Claims that pods bring along, and every device that could serve each: where the columns live."""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.assignment.pairs import Pairs
from gangplan.models.claims import ALL, MOST_RESULTS
from gangplan.models.gone import loosened
from gangplan.models.instance import Instance


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """Claims j: one for each own claim of a pod that has a pair, and every shared one to allocate.

    Attributes
    ----------
    pod, claim : (J,) pod p and number w of its own claim, sorted; or -1 and the shared claim c.
    spec : (J,) what j asks.
    user_claim, user_pod : (V,) the pods that use j, those without a pair left out; sorted by claim.
    pick_claim, pick_choice : (B,) claims, and the choices of their specs; sorted.
    give_pick, give_device : (S,) picks, and the devices that fit them; sorted. Devices that
        somebody holds who cannot fall serve adminAccess alone, and a choice that a rule binds has
        none without the attribute.
    give_most : (S,) how many times: 1, or for a device that may be shared the choice's count.
    """

    pod: Ints
    claim: Ints
    spec: Ints
    user_claim: Ints
    user_pod: Ints
    pick_claim: Ints
    pick_choice: Ints
    give_pick: Ints
    give_device: Ints
    give_most: Ints

    def __len__(self) -> int:
        """Return the number of claims J."""
        return len(self.pod)

    @property
    def give_claim(self) -> Ints:
        """(S,) claim of each give."""
        return self.pick_claim[self.give_pick]

    @property
    def give_choice(self) -> Ints:
        """(S,) choice of each give."""
        return self.pick_choice[self.give_pick]

    def about(self, gives: Ints) -> Ints:
        """(m, 4) pod, claim, choice and device of the gives."""
        j = self.give_claim[gives]
        return np.column_stack(
            [self.pod[j], self.claim[j], self.give_choice[gives], self.give_device[gives]]
        )


NOTHING_ASKED = Asked(*[np.zeros(0, dtype=np.int64)] * 10)


def asked_of(instance: Instance, pairs: Pairs, *, preemption: bool = True) -> Asked:
    """Find the claims, choices and devices that have columns; ``preemption`` as for pairs."""
    claims = instance.claims
    able = np.unique(pairs.pod)
    keys: list[tuple[int, int, int]] = []
    users: list[tuple[int, int]] = []
    for c, spec in enumerate(claims.shared_spec.tolist()):
        if spec >= 0:
            users += [(len(keys), p) for p in users_of(instance, c, able).tolist()]
            keys.append((-1, c, spec))
    for p in able.tolist():
        for w in claims.own_of(int(instance.pod_role[p])):
            users.append((len(keys), p))
            keys.append((p, w, int(claims.own_spec[w])))
    serving = _serving(loosened(instance) if preemption else instance)
    picks: list[tuple[int, int]] = []
    gives: list[Ints] = []
    choices = [claims.choices_of(s).tolist() for s in range(claims.n_specs)]
    for j, (_, _, spec) in enumerate(keys):
        for b in choices[spec]:
            devices, most = serving[b]
            gives.append(np.column_stack([np.full(len(devices), len(picks)), devices, most]))
            picks.append((j, b))
    return Asked(
        *_columns(keys, 3),
        *_columns(users, 2),
        *_columns(picks, 2),
        *_columns(np.concatenate([np.zeros((0, 3), dtype=np.int64), *gives]), 3),
    )


def users_of(instance: Instance, shared: int, able: Ints) -> Ints:
    """Return the pods among ``able`` that use a shared claim."""
    claims = instance.claims
    roles = claims.user_role[claims.user_shared == shared]
    return able[np.isin(instance.pod_role[able], roles)]


def reaches(instance: Instance, device: Ints, node: Ints) -> Flags:
    """(m,) does each node reach the device beside it."""
    devices = instance.devices
    here: Flags = devices.node[device] == node
    zone = devices.zone[device]
    far = zone >= 0
    here[far] = devices.zones[zone[far], node[far]]
    return here


def _serving(instance: Instance) -> list[tuple[Ints, Ints]]:
    """B pairs: the devices that could serve a choice, and how many times each could."""
    claims, devices = instance.claims, instance.devices
    found = []
    for b, (count, admin) in enumerate(
        zip(claims.choice_count.tolist(), claims.choice_admin.tolist(), strict=True)
    ):
        fit = claims.fits[b] & (admin | ~devices.taken)
        for x in claims.member_rule[claims.member_choice == b].tolist():
            having = devices.trait_device[devices.trait_attribute == claims.rule_attribute[x]]
            fit &= np.isin(np.arange(len(devices)), having)
        mine = np.flatnonzero(fit)
        many = devices.multi[mine] & (not admin) & (count != ALL)
        found.append((mine, np.where(many, min(count, MOST_RESULTS + 1), 1)))
    return found


def _columns(rows: object, width: int) -> Ints:
    return np.array(rows, dtype=np.int64).reshape(-1, width).T
