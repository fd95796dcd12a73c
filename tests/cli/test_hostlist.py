import pytest

from gangplan.cli.hostlist import hostlist


@pytest.mark.parametrize(
    ("names", "written"),
    [
        ([], ""),
        (["a"], "a"),
        (["n7"], "n7"),
        (["n0", "n1", "n2", "n4"], "n[0-2,4]"),
        (["n9", "n10", "n11"], "n[9-11]"),
        (["n09", "n10", "n100"], "n09, n[10,100]"),
        (["n00067", "n00068", "n00070"], "n[00067-00068,00070]"),
        (["r0-n1", "r0-n2", "r1-n1"], "r0-n[1-2], r1-n1"),
        (["gpu-1.example.com", "gpu-2.example.com"], "gpu-[1-2].example.com"),
        (["a1", "b1", "c1", "d1", "e1", "e2"], "a1, b1, c1, d1 and 2 more"),
        (["x", "y", "x1"], "x, y, x1"),
    ],
)
def test_names_are_folded(names: list[str], written: str) -> None:
    assert hostlist(names) == written
