"""The paper is built, offline, with records and without."""

import re
import shutil
import sys
from pathlib import Path

import pytest

from gangplan.experiments.paper.__main__ import main
from gangplan.experiments.paper.build import KINDS, build, generate
from gangplan.experiments.paper.equations import blocks_of
from gangplan.experiments.records import append
from gangplan.models.errors import InputError
from tests.experiments.record_cases import record, tier

PAPER = Path(__file__).parents[2] / "paper"
PROGRAM = re.compile(
    r"//.*"  # comments
    r"|^#import.*"
    r"|\d+(\.\d+)?(pt|em|cm|fr|%)"  # lengths
    r"|columns: \d",
    flags=re.MULTILINE,
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return Path(
        shutil.copytree(PAPER, tmp_path / "paper", ignore=shutil.ignore_patterns("generated"))
    )


@pytest.fixture
def records(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    folder.mkdir()
    for solver in ("highs", "cbc"):
        for seed in (1, 2):
            run = record(f"{solver}{seed}", experiment="solvers", solver=solver, seed=seed)
            append(folder / "solvers.jsonl", run)
    other = record("o", experiment="other", solver="nobody", tiers=(tier(1, 2),))
    append(folder / "other.jsonl", other)
    return folder


def test_the_text_of_the_paper_holds_no_typed_figure() -> None:
    text = PROGRAM.sub("", (PAPER / "gangplan.typ").read_text())
    assert re.findall(r".*\d.*", text) == []


def test_every_source_of_the_paper_is_read_for_figures() -> None:
    # What style.typ writes is layout: no paragraph of it is text.
    assert {path.name for path in PAPER.glob("*.typ")} == {"gangplan.typ", "style.typ"}


def test_the_paper_needs_no_package_from_the_net() -> None:
    assert all("@preview" not in path.read_text() for path in PAPER.glob("*.typ"))


def test_without_typst_one_line_says_what_to_install(
    source: Path, records: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    assert main(["--paper", str(source), "--records", str(records)]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == f"{source}: needs typst: pip install 'gangplan[paper]'\n"


def test_without_sources_one_line_says_so(tmp_path: Path) -> None:
    pytest.importorskip("typst")
    with pytest.raises(InputError, match=r"gangplan\.typ: no such file"):
        build(tmp_path, tmp_path, tmp_path / "out.pdf")


def test_records_make_a_pdf_of_several_pages(
    source: Path, records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    typst = pytest.importorskip("typst")
    output = source / "gangplan.pdf"
    assert main(["--paper", str(source), "--records", str(records)]) == 0
    assert capsys.readouterr().out == f"{output}\n"
    assert output.read_bytes().startswith(b"%PDF-")
    assert _pages(typst, source) > 2
    generated = (source / "generated" / "results.typ").read_text()
    assert "highs/counts" in generated
    assert "nobody" not in generated


def test_the_short_comparison_stands_in_for_the_long_one(source: Path, records: Path) -> None:
    append(records / "short.jsonl", record("s", experiment="solvers-short", solver="short"))
    generate(source, records)
    said = (source / "generated" / "results.typ").read_text()
    assert "highs/counts" in said
    assert "short/counts" not in said
    (records / "solvers.jsonl").unlink()
    generate(source, records)
    said = (source / "generated" / "results.typ").read_text()
    assert "short/counts" in said
    assert 'experiment: "solvers-short"' in said


def test_without_records_the_paper_says_so(source: Path, tmp_path: Path) -> None:
    pytest.importorskip("typst")
    build(source, tmp_path / "nowhere", tmp_path / "out.pdf")
    assert (tmp_path / "out.pdf").read_bytes().startswith(b"%PDF-")
    assert "#let present = false" in (source / "generated" / "results.typ").read_text()


def test_every_block_of_equations_is_in_the_document(source: Path, tmp_path: Path) -> None:
    typst = pytest.importorskip("typst")
    build(source, tmp_path / "nowhere", tmp_path / "out.pdf")
    for kind in KINDS:
        for block in blocks_of(kind):
            assert _found(typst, source, f"<{kind}:{block.label}>"), (kind, block.label)


def test_the_same_sources_give_the_same_bytes(source: Path, records: Path, tmp_path: Path) -> None:
    pytest.importorskip("typst")
    for name in ("one.pdf", "two.pdf"):
        build(source, records, tmp_path / name)
    assert (tmp_path / "one.pdf").read_bytes() == (tmp_path / "two.pdf").read_bytes()


def test_what_typst_refuses_is_one_error_that_names_the_file(source: Path, tmp_path: Path) -> None:
    pytest.importorskip("typst")
    (source / "refs.yml").write_text("{")
    with pytest.raises(InputError, match=r"gangplan\.typ: typst: "):
        build(source, tmp_path, tmp_path / "out.pdf")


def _pages(typst: object, source: Path) -> int:
    images = typst.compile(  # type: ignore[attr-defined]
        str(source / "gangplan.typ"), root=str(source), format="png", ppi=20
    )
    return len(images)


def _found(typst: object, source: Path, selector: str) -> bool:
    answer = typst.query(  # type: ignore[attr-defined]
        str(source / "gangplan.typ"), selector, root=str(source)
    )
    return bool(answer.strip() != "[]")
