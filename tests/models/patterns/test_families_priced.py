"""Priced patterns bound instances with shares, slices and claims, too."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.instance import Instance
from gangplan.models.patterns.kind import PATTERNS
from gangplan.models.patterns.priced import frame_of
from gangplan.models.tiers import tiers_of
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.held import priced
from tests.models.patterns.test_claims import OWN
from tests.models.patterns.test_random import written
from tests.models.patterns.test_shares import ONLY_SHARES
from tests.models.patterns.test_slices import SLICED
from tests.strategies import instances
from tests.tiny import make_instance

LIMITS = Limits(seconds=20)
ANY = st.one_of(instances(SLICED), instances(ONLY_SHARES), instances(OWN))


@settings(max_examples=60)
@given(ANY, st.integers(0, 10_000))
def test_any_multipliers_bound_the_optimum(instance: Instance, seed: int) -> None:
    model = written(instance)
    frame, unlisted = frame_of(instance), PATTERNS.unlisted(instance)
    tier = tiers_of(instance)[0]
    whole, milp = priced(model, [tier], 0, ()), priced(unlisted, [tier], 0, ())
    outcome = Highs().solve(whole, LIMITS)
    assert outcome.x is not None
    optimum = whole.objective(np.rint(outcome.x).astype(np.int64))
    random = np.random.default_rng(seed)
    for scale in (0.0, 1.0, 50.0):
        bound, y = frame.proof(milp, scale * random.normal(size=milp.n_rows))
        assert bound <= optimum
        assert frame.evaluate(milp, y) == bound


@settings(max_examples=40)
@given(ANY)
def test_the_frame_has_the_rows_of_the_whole_model(instance: Instance) -> None:
    model = written(instance)
    frame = frame_of(instance)
    assert frame.listed(frame.everything()).milp.digest() == model.milp.digest()


def test_a_cluster_that_holds_nothing_has_a_frame() -> None:
    nodes = [{"gpu": 1, "rack": "a"}, {"gpu": 0, "rack": "b"}]
    rules = [("rack", "required")]
    bound = {"kind": "basic", "request": {"gpu": 2}, "running": [0], "rules": rules}
    free = {"kind": "bare", "request": {"gpu": 3}}
    frame = frame_of(make_instance(nodes, [bound, free]))
    assert len(frame.classes) == 0
    assert (frame.model.slot < (len(frame.model.tree), len(frame.model.shapes))).all()
