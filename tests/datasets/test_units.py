"""Names of amounts that are counted in parts, and the true amounts."""

import pytest

from gangplan.datasets.units import amount_of, counted_in


@pytest.mark.parametrize(
    ("parts", "number", "amount"),
    [
        (1, 7, 7),
        (4, 8, 2),
        (4, 1, "250m"),
        (4, 6, "1500m"),
        (10**6, 1, "1u"),
        (10**9, 1_500_000_001, "1500000001n"),
        (10**9, 3 * 10**9, 3),
    ],
)
def test_amounts_come_back_as_they_were(parts: int, number: int, amount: int | str) -> None:
    assert amount_of(counted_in("gpu.example.com/cores", parts), number) == (
        "gpu.example.com/cores",
        amount,
    )


@pytest.mark.parametrize("name", ["memory", "a in 1/", "a in 1/x", "a in half"])
def test_any_other_name_is_kept(name: str) -> None:
    assert amount_of(name, 3) == (name, 3)


def test_what_is_finer_than_a_quantity_is_a_fraction() -> None:
    assert amount_of("x in 1/3", 2) == ("x", "2/3")
