import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from gangplan.datasets.generate import generate
from gangplan.models.counts.formulation import build as counts
from gangplan.models.counts.formulation import tier_cost
from gangplan.models.errors import FormulationError, GangplanError, SolverError
from gangplan.models.milp import INFINITY, Columns, Milp, build, row_block
from gangplan.models.tiers import tiers_of
from gangplan.solvers.backends.cbc_answer import read_status
from gangplan.solvers.backends.cbc_binary import find_binary
from gangplan.solvers.export import write_lp, write_mps
from gangplan.solvers.export.names import column_names, row_names
from gangplan.solvers.export.numbers import texts
from tests.solvers.conformance import CASES, model
from tests.solvers.export.files import read_by_highs

Writer = Callable[[Milp, "str | os.PathLike[str]"], None]
WRITERS = [(write_mps, "mps"), (write_lp, "lp")]


def mixed() -> Milp:
    """Two blocks, every kind of row and bound, a constant, and a column of no row."""
    columns = Columns()
    columns.add("x", [0, -4, 2], [1, 4, 2])
    columns.add("e", [0], [2**39])
    rows = [
        row_block("gang.least", [0, 0], [0, 1], [1, -3], [-5], [7], 1),
        row_block("capacity.fits", [0, 1], [0, 1], [2**37 + 1, 4], -INFINITY, [2**39, 9], 2),
        row_block("topology.one", [0, 0], [0, 1], [1, 1], [1], [1], 1),
        row_block("topology.least", [0], [1], [-2], [-8], INFINITY, 1),
        row_block("empty.row", [], [], [], [-1], [3], 1),
    ]
    return build(columns, rows).with_cost([5, 0, -1, 3], 12)


def test_mps_gives_the_same_matrix_bounds_costs_and_names_back(tmp_path: Path) -> None:
    milp = mixed()
    write_mps(milp, tmp_path / "m.mps")
    (read,) = read_by_highs(tmp_path / "m.mps")
    assert read["read"] == "kOk"
    kind = sparse.csc_array if read["by_column"] else sparse.csr_array
    shape = (milp.n_rows, milp.n_cols)
    matrix = kind((read["value"], read["index"], read["start"]), shape=shape)
    assert (matrix.toarray() == milp.matrix.toarray()).all()
    for name in ("cost", "lower", "upper", "row_lower", "row_upper", "offset"):
        assert np.array_equal(read[name], getattr(milp, name)), name
    assert read["integer"] == [True] * 4
    assert read["columns"] == ["x[0]", "x[1]", "x[2]", "e[0]"]
    assert read["rows"][0] == "gang.least[0]"
    assert read["rows"][2] == "capacity.fits[1]"


def test_lp_gives_the_same_columns_and_two_rows_for_a_range(tmp_path: Path) -> None:
    milp = mixed()
    write_lp(milp, tmp_path / "m.lp")
    (read,) = read_by_highs(tmp_path / "m.lp")
    assert read["read"] == "kOk"
    at = [read["columns"].index(name) for name in ("x(0)", "x(1)", "x(2)", "e(0)")]
    for name in ("cost", "lower", "upper", "integer"):
        assert np.array_equal(np.array(read[name])[at], getattr(milp, name)), name
    assert read["offset"] == 12
    rows = dict(
        zip(read["rows"], zip(read["row_lower"], read["row_upper"], strict=True), strict=True)
    )
    assert rows["gang.least(0).low"] == (-5, INFINITY)
    assert rows["gang.least(0).high"] == (-INFINITY, 7)
    assert rows["topology.one(0)"] == (1, 1)
    assert rows["capacity.fits(0)"] == (-INFINITY, 2**39)


@pytest.mark.parametrize(("write", "ending"), WRITERS)
def test_the_optimum_is_the_same_when_highs_reads_the_file(
    write: Writer, ending: str, tmp_path: Path
) -> None:
    # Rows of 2**37 are right for HiGHS only where they are halved before (``backends.divided``).
    cases = [case for case in CASES if case.make().n_cols and not case.name.startswith("wide")]
    paths = [tmp_path / f"{number}.{ending}" for number in range(len(cases))]
    for case, path in zip(cases, paths, strict=True):
        milp = case.make()
        write(milp.with_cost(milp.cost, 7), path)
    for case, read in zip(cases, read_by_highs(*paths), strict=True):
        found = None if read["status"] == "kInfeasible" else read["optimum"]
        wanted = None if case.optimum is None else pytest.approx(case.optimum + 7)
        assert (read["read"], found) == ("kOk", wanted), case.name


@pytest.mark.parametrize(("write", "ending"), WRITERS)
def test_cbc_reads_what_highs_reads(write: Writer, ending: str, tmp_path: Path) -> None:
    try:
        program = find_binary().path
    except SolverError as error:
        pytest.skip(str(error))
    for case in CASES:
        milp = case.make()
        if case.optimum is None or case.name == "big numbers":  # undivided, 2**39 + 4 is kept
            continue
        path, answer = tmp_path / f"m.{ending}", tmp_path / "m.sol"
        write(milp.with_cost(milp.cost, 7), path)
        options = ["-preprocess", "off", "-ratio", "0", "-solve", "-solution", str(answer)]
        subprocess.run([program, str(path), *options], capture_output=True, check=True)
        line = answer.read_text().splitlines()[0]
        assert read_status(line)[3] == pytest.approx(case.optimum + 7), case.name


def test_integer_and_other_columns_are_told_apart(tmp_path: Path) -> None:
    milp = model([1, 1, 1, 1], [0] * 4, [9] * 4, [([1, 1, 1, 1], 3, INFINITY)])
    milp.integer.setflags(write=True)
    milp.integer[:] = [True, False, False, True]
    for write, ending in WRITERS:
        write(milp, tmp_path / f"m.{ending}")
        (read,) = read_by_highs(tmp_path / f"m.{ending}")
        assert read["integer"] == [True, False, False, True]


def test_names_are_safe_short_and_unique() -> None:
    columns = Columns()
    for name in ("x", "X", "a b", "a_b", "é", "5", "e5", "n" * 90):
        columns.add(name, [0, 0], [1, 1])
    rows = [row_block(name, [0], [0], [1], 0, 1, 1) for name in ("free", "r:1", "r;1")]
    milp = build(columns, rows)
    names = [*column_names(milp, "()"), *row_names(milp, "()")]
    assert len({name.lower() for name in names}) == milp.n_cols + milp.n_rows
    assert all(name.isascii() and " " not in name and len(name) < 100 for name in names)
    assert names[:4] == ["x(0)", "x(1)", "X_2(0)", "X_2(1)"]
    assert "n_e5(0)" in names
    assert row_names(milp) == ["free[0]", "r_1[0]", "r_1_2[0]"]


@pytest.mark.parametrize(("write", "ending"), WRITERS)
def test_names_that_look_like_numbers_or_words_are_read(
    write: Writer, ending: str, tmp_path: Path
) -> None:
    columns = Columns()
    for name in ("e", "e5", "5", "inf", "free", "x y", "st", "bounds"):
        columns.add(name, [0], [1])
    milp = build(columns, [row_block("end", [0] * 8, range(8), 1, 3, 3, 1)]).with_cost(range(8))
    write(milp, tmp_path / f"m.{ending}")
    (read,) = read_by_highs(tmp_path / f"m.{ending}")
    assert (read["read"], read["optimum"]) == ("kOk", 3)


def test_blocks_need_not_cover_the_model() -> None:
    milp = model([1, 1], [0, 0], [1, 1], [([1, 1], 0, 1)])
    milp.col_blocks.clear()
    milp.row_blocks.clear()
    assert column_names(milp) == ["column[0]", "column[1]"]
    assert row_names(milp) == ["row[0]"]


def test_whole_numbers_are_written_as_such_and_others_exactly() -> None:
    values = np.array([0.0, -0.0, 3.0, -(2.0**40), 0.1, 1e300, 2.0**53])
    written = texts(values)
    assert written[:4] == ["0", "0", "3", "-1099511627776"]
    assert [float(text) for text in written] == values.tolist()


@pytest.mark.parametrize(("write", "ending"), WRITERS)
def test_a_full_disk_is_one_clear_error(write: Writer, ending: str) -> None:
    with pytest.raises(GangplanError, match=r"^/dev/full: cannot be written: No space left"):
        write(mixed(), "/dev/full")


@pytest.mark.parametrize(("write", "ending"), WRITERS)
def test_sides_that_cross_are_refused_by_name(write: Writer, ending: str, tmp_path: Path) -> None:
    milp = model([1], [0], [1], [([1], 2, 1)])
    with pytest.raises(FormulationError, match=r"row.k\[0\]: the lower side is above"):
        write(milp, tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_a_real_model_is_the_same_in_both_formats(tmp_path: Path) -> None:
    instance = generate("training", nodes=16, groups=6, seed=1)
    made = counts(instance)
    milp = made.milp.with_cost(*tier_cost(made, tiers_of(instance)[0]))
    for write, ending in WRITERS:
        write(milp, tmp_path / f"m.{ending}")
    optima = [read["optimum"] for read in read_by_highs(tmp_path / "m.mps", tmp_path / "m.lp")]
    assert optima[0] == pytest.approx(optima[1])


def test_four_hundred_thousand_columns_take_seconds(tmp_path: Path) -> None:
    n = 400_000
    columns = Columns()
    columns.add("x", np.zeros(n), np.ones(n))
    j = np.arange(n)
    rows = [
        row_block("assign.once", j // 200, j, 1, -INFINITY, 1, n // 200),
        row_block("capacity.fits", j % 200, j, 1 + j % 7, -INFINITY, 5000, 200),
    ]
    milp = build(columns, rows).with_cost(-1 - j % 5)
    begin = time.process_time()
    write_mps(milp, tmp_path / "m.mps")
    assert time.process_time() - begin < 15  # 1.5 s on a machine of its own
