"""Small instances by what it takes to prove how many of their groups fit."""

from gangplan.models.instance import Instance
from tests.tiny import Row, make_instance

UNEVEN = make_instance(
    nodes=[{"gpu": 8}, {"gpu": 8}],
    groups=[{"request": {"gpu": gpus}} for gpus in (5, 5, 6)],
)
"""16 GPUs for 16, but two of three gangs fit: neither counting nor the relaxation sees it."""


def searched(*more: Row) -> Instance:
    """Two of four gangs fit; counting says three, and so do the duals of the relaxation."""
    return make_instance(
        nodes=[{"gpu": 4, "cpu": 7}, {"gpu": 4, "cpu": 7}],
        groups=[
            {"request": {"gpu": 4, "cpu": 1}},
            {"request": {"gpu": 1, "cpu": 5}, "wanted": 2, "minimum": 2},
            {"request": {"gpu": 1, "cpu": 5}, "wanted": 2, "minimum": 2},
            {"request": {"gpu": 2, "cpu": 2}},
            *more,
        ],
    )


SEARCHED = searched()
"""Only a search proves it."""
