"""The benchmark runs, says where and with what, and never judges a clock."""

import pytest

from gangplan.experiments.figures.line import Line
from gangplan.experiments.spine import FIGURES, cells, main


def test_a_figure_prints_its_header_and_its_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = Line("quick", 0.25, 90, 100, "ten nodes")
    monkeypatch.setattr("gangplan.experiments.spine.FIGURES", {"quick": lambda: iter([line])})
    assert main([]) == 0
    out = capsys.readouterr().out
    for word in ("threads: 1", "seed: 1", "numpy", "figure", "quick", "0.250", "11.111 %"):
        assert word in out


def test_an_unknown_figure_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nothing"]) == 1
    assert "no such figure: nothing" in capsys.readouterr().err


def test_every_preset_has_a_figure() -> None:
    assert set(FIGURES) >= {"greedy-training", "greedy-racks", "greedy-vectors"}


def test_a_line_without_a_bound_has_no_gap() -> None:
    assert cells(Line("build", 1.0)) == ("build", "1.000", "", "", "", "")
