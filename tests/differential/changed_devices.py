"""The same devices and claims told otherwise: in another order, and on copies of nodes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from gangplan.models.instance import Instance

Numbers = npt.NDArray[np.int64]


def device_parts(
    instance: Instance, rows: Sequence[tuple[int, int]], take: Sequence[int]
) -> dict[str, Any]:
    """Give devices, claims and names where devices are ``rows`` (old number, new node).

    A device on no node stays in its zone, which the new nodes are in as their originals are. A
    copy draws from the counters of its original.

    Parameters
    ----------
    take : old number of each node.
    """
    old = np.array([i for i, _ in rows], dtype=np.int64)
    devices, claims = instance.devices, instance.claims
    draws = [
        (new, int(c), int(a))
        for new, i in enumerate(old.tolist())
        for c, a in zip(
            devices.draw_counter[devices.draw_device == i],
            devices.draw_amount[devices.draw_device == i],
            strict=True,
        )
    ]
    pots = [
        (new, int(m)) for new, i in enumerate(old.tolist()) for m in _where(devices.pot_device == i)
    ]
    traits = [
        (new, int(devices.trait_attribute[t]), int(devices.trait_value[t]))
        for new, i in enumerate(old.tolist())
        for t in _where(devices.trait_device == i)
    ]
    uses = sorted(
        (int(b), new, int(amount))
        for new, (_, m) in enumerate(pots)
        for b, amount in zip(
            claims.use_choice[claims.use_pot == m],
            claims.use_amount[claims.use_pot == m],
            strict=True,
        )
    )
    where = list(take)
    zones = devices.zones[:, where] if len(devices.zones) else devices.zones
    names = instance.names
    return {
        "devices": replace(
            devices,
            node=np.array([node for _, node in rows], dtype=np.int64),
            zone=devices.zone[old],
            zones=zones,
            multi=devices.multi[old],
            taken=devices.taken[old],
            **_columns("draw", ("device", "counter", "amount"), draws),
            pot_device=np.array([new for new, _ in pots], dtype=np.int64),
            pot_free=devices.pot_free[[m for _, m in pots]] if pots else devices.pot_free[:0],
            **_columns("trait", ("device", "attribute", "value"), traits),
        ),
        "claims": replace(
            claims,
            fits=claims.fits[:, old] if len(claims.fits) else claims.fits,
            asks=claims.asks[:, old] if len(claims.asks) else claims.asks,
            barred=claims.barred[:, where] if len(claims.barred) else claims.barred,
            **_columns("use", ("choice", "pot", "amount"), uses),
        ),
        "names": replace(
            names,
            devices=tuple(f"{names.devices[i]}-{new}" for new, i in enumerate(old.tolist())),
            pots=tuple(names.pots[m] for _, m in pots),
        ),
    }


def on_nodes(instance: Instance, order: Sequence[int]) -> list[tuple[int, int]]:
    """Rows for ``device_parts`` that follow the nodes ``order``; zones come last."""
    node = instance.devices.node
    local = [(int(i), new) for new, old in enumerate(order) for i in _where(node == old)]
    return local + [(int(i), -1) for i in _where(node < 0)]


def shuffled(instance: Instance, order: Sequence[int]) -> Instance:
    """Return the instance with its devices in another order."""
    rows = [(i, int(instance.devices.node[i])) for i in order]
    return replace(instance, **device_parts(instance, rows, range(len(instance.nodes))))


def with_roles(instance: Instance, roles: Numbers) -> dict[str, Any]:
    """Claims and their names where role ``roles[k]`` is now called k."""
    claims, new = instance.claims, np.argsort(roles)
    own = np.argsort(new[claims.own_role], kind="stable")
    users = np.lexsort((new[claims.user_role], claims.user_shared))
    return {
        "claims": replace(
            claims,
            own_role=new[claims.own_role][own],
            own_spec=claims.own_spec[own],
            user_shared=claims.user_shared[users],
            user_role=new[claims.user_role][users],
        ),
        "own": tuple(instance.names.own[w] for w in own.tolist()),
    }


def with_specs(instance: Instance, order: Sequence[int], shared: Sequence[int]) -> Instance:
    """Return the instance with specs ``order`` and shared claims ``shared``."""
    claims = instance.claims
    spec = np.argsort(np.array(order, dtype=np.int64))
    claim = np.argsort(np.array(shared, dtype=np.int64))
    requests = np.argsort(spec[claims.request_spec], kind="stable")
    request = np.argsort(requests)
    choices = np.argsort(request[claims.choice_request], kind="stable")
    choice = np.argsort(choices)
    uses = np.lexsort((claims.use_pot, choice[claims.use_choice]))
    members = np.lexsort((choice[claims.member_choice], claims.member_rule))
    users = np.lexsort((claims.user_role, claim[claims.user_shared]))
    turned = list(shared)
    wanted = claims.shared_spec[turned]
    names = instance.names
    return replace(
        instance,
        claims=replace(
            claims,
            request_spec=spec[claims.request_spec][requests],
            choice_request=request[claims.choice_request][choices],
            choice_count=claims.choice_count[choices],
            choice_admin=claims.choice_admin[choices],
            fits=claims.fits[choices],
            asks=claims.asks[choices],
            barred=claims.barred[choices],
            use_choice=choice[claims.use_choice][uses],
            use_pot=claims.use_pot[uses],
            use_amount=claims.use_amount[uses],
            rule_spec=spec[claims.rule_spec],
            member_rule=claims.member_rule[members],
            member_choice=choice[claims.member_choice][members],
            own_spec=spec[claims.own_spec],
            shared_spec=np.where(wanted >= 0, spec[wanted], -1),
            shared_zone=claims.shared_zone[turned],
            shared_limit=claims.shared_limit[turned],
            user_shared=claim[claims.user_shared][users],
            user_role=claims.user_role[users],
        ),
        names=replace(
            names,
            choices=tuple(names.choices[b] for b in choices.tolist()),
            shared=tuple(names.shared[c] for c in turned),
        ),
    )


def _where(flags: npt.NDArray[np.bool_]) -> list[int]:
    return [int(i) for i in np.flatnonzero(flags)]


def _columns(prefix: str, parts: Sequence[str], rows: Sequence[tuple[int, ...]]) -> dict[str, Any]:
    table = np.array(rows, dtype=np.int64).reshape(len(rows), len(parts))
    return {f"{prefix}_{part}": table[:, n] for n, part in enumerate(parts)}
