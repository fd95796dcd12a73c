"""Guards for a package whose folders are links: what would build, and silently lose code."""

import ast
import os
import subprocess
import tomllib
from pathlib import Path

import pytest
from setuptools import find_packages

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "gangplan"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
FOLDERS = sorted(
    path.name
    for path in ROOT.iterdir()
    if path.is_dir() and path.name != "tests" and (path / "__init__.py").is_file()
)
MODULES = [
    path
    for folder in [*FOLDERS, "src/gangplan/cli", "tests"]
    for path in (ROOT / folder).rglob("*.py")
] + list(SOURCE.glob("*.py"))


def test_the_top_level_folders_are_the_five_rooms() -> None:
    assert FOLDERS == ["cluster", "datasets", "experiments", "models", "solvers"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_folder_is_a_relative_link_inside_the_checkout(folder: str) -> None:
    link = SOURCE / folder
    assert link.is_symlink(), "a checkout without symbolic links builds a wheel without this folder"
    assert os.readlink(link) == f"../../{folder}"  # noqa: PTH115 - the text of the link itself
    assert link.resolve() == ROOT / folder


def test_every_link_in_git_is_one_of_them() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout (a source archive)")
    listed = subprocess.run(
        ["git", "ls-files", "-s"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    links = [line.split("\t")[1] for line in listed.splitlines() if line.startswith("120000")]
    assert links == [f"src/gangplan/{folder}" for folder in FOLDERS]


def test_setuptools_builds_the_package() -> None:
    assert PROJECT["build-system"]["build-backend"] == "setuptools.build_meta"


def test_setuptools_finds_every_folder_with_code() -> None:
    found = set(find_packages(str(ROOT / "src")))
    for path in [*SOURCE.rglob("*.py"), *(p for f in FOLDERS for p in (ROOT / f).rglob("*.py"))]:
        inside = path.parent
        inside = (
            inside.relative_to(ROOT / "src")
            if SOURCE in path.parents
            else (Path("gangplan") / inside.relative_to(ROOT))
        )
        name = ".".join(inside.parts)
        assert name in found, f"{path.relative_to(ROOT)} has no __init__.py beside it"


def test_type_information_is_shipped() -> None:
    assert (SOURCE / "py.typed").is_file()
    assert PROJECT["tool"]["setuptools"]["package-data"]["gangplan"] == ["py.typed"]


def test_other_files_inside_the_folders_are_shipped() -> None:
    data = PROJECT["tool"]["setuptools"]["package-data"]
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.is_dir() or path.suffix in {".py", ".pyc"}:
                continue
            patterns = [
                pattern
                for package, globs in data.items()
                for pattern in globs
                if path.match(f"{package.removeprefix('gangplan.').replace('.', '/')}/{pattern}")
            ]
            assert patterns, f"{path.relative_to(ROOT)} is in no wheel"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_is_imported_by_its_top_level_name(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        names = (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom) and not node.level
            else []
        )
        wrong = [name for name in names if name.partition(".")[0] in FOLDERS]
        assert not wrong, f"{wrong[0]} would be a second module: import gangplan.{wrong[0]}"


def test_the_lock_holds_every_dependency_with_hashes() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    blocks = [block for block in lock.split("\n") if block and not block.startswith((" ", "#"))]
    pinned = {block.partition("==")[0].lower() for block in blocks}
    assert lock.count("==") >= len(blocks)
    asked = [*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["dev"]]
    for requirement in asked:
        name = requirement.partition(">")[0].partition("=")[0].lower()
        assert name in pinned, f"{name} is not in requirements.lock: run .ci/lock"
    assert "--hash=sha256:" in lock
    assert "://" not in lock


def test_no_module_is_too_long_to_read() -> None:
    long = {str(p.relative_to(ROOT)): len(p.read_text().splitlines()) for p in MODULES}
    assert {name: n for name, n in long.items() if n > 400} == {}
