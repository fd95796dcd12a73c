"""The textbook formulation as a kind."""

import numpy as np

from gangplan.models.assignment.decode import decode, encode
from gangplan.models.assignment.formulation import build, tier_cost
from gangplan.models.formulation import Kind
from gangplan.models.gone import loosened
from gangplan.models.instance import Instance


def cells(instance: Instance) -> int:
    """Count the pairs of pod and usable node, and the devices that fit claims, unwritten."""
    nodes: list[int] = loosened(instance).can_use.sum(axis=1).tolist()
    pods: list[int] = instance.roles.wanted.tolist()
    return _devices(instance, pods) + sum(p * n for p, n in zip(pods, nodes, strict=True))


def _devices(instance: Instance, pods: list[int]) -> int:
    """Count the (claim, choice, device) that fit; each pod has its own claims once more."""
    claims = instance.claims
    if not claims:
        return 0
    each = claims.fits.sum(axis=1)
    fit: list[int] = np.bincount(claims.choice_spec, each, claims.n_specs).astype(int).tolist()
    own: int = sum(
        pods[k] * fit[s]
        for k, s in zip(claims.own_role.tolist(), claims.own_spec.tolist(), strict=True)
    )
    shared: list[int] = claims.shared_spec[claims.shared_spec >= 0].tolist()
    return own + sum(fit[s] for s in shared)


ASSIGNMENT = Kind("assignment", build, tier_cost, decode, encode, cells, "pairs of pod and node")
