import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gangplan.cli import codes, main
from gangplan.models.errors import Fault, InputError, PlanError

Captured = pytest.CaptureFixture[str]


def one_line(text: str) -> str:
    lines = text.splitlines()
    assert len(lines) == 1, text
    return lines[0]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["fly"], "error: No such command"),
        (["plan"], "error: Missing argument"),
        (["plan", "--fast", "x.json"], "error: No such option: --fast"),
        (["plan", "x.json", "--time-limit", "soon"], "error: Invalid value for '--time-limit'"),
        (["plan", "x.json", "--time-limit", "0"], "error: --time-limit: seconds, a number above 0"),
        (
            ["plan", "x.json", "--time-limit", "1e300"],
            "error: --time-limit: at most 10,000,000 sec",
        ),
        (["plan", "x.json", "--time-limit", "nan"], "error: --time-limit: seconds, a number above"),
        (["plan", "x.json", "--time-limit", "inf"], "error: --time-limit: seconds, a number above"),
        (["plan", "x.json", "--gap", "1"], "error: --gap: a number from 0 (a proof) to below 1"),
        (["plan", "x.json", "--threads", "0"], "error: --threads: an integer of at least 1"),
        (["plan", "x.json", "--seed", "-1"], "error: --seed: an integer from 0"),
        (
            ["plan", "x.json", "--memory", "4GB"],
            "error: --memory: bytes expected, at least 1, such",
        ),
        (["plan", "x.json", "--memory", "0"], "error: --memory: bytes expected, at least 1, such"),
        (
            ["plan", "x.json", "--memory", "9Ei"],
            "error: --memory: bytes expected, at least 1, such",
        ),
        (["compare", "x.json", "--memory", "much"], "error: --memory: bytes expected, at least 1"),
        (["plan", "x.json", "--planner", "magic"], "error: planner magic: no planner of this name"),
        (["plan", "x.json", "--solver", "magic"], "error: solver magic: no solver of this name"),
        (
            ["plan", "x.json", "--objective", "fun"],
            "error: objective fun: no objective of this name",
        ),
        (
            ["plan", "x.json", "--planner", "greedy", "--second-opinion"],
            "error: --second-opinion: greedy proves nothing",
        ),
        (
            ["plan", "x.json", "--formulation", "x"],
            "error: formulation x: no formulation of this name: one of counts, assignment, "
            "patterns, configurations",
        ),
        (
            ["plan", "x.json", "--weights", "1=1"],
            "error: --weights: only with --objective weighted",
        ),
        (
            ["plan", "x.json", "--weights", "1"],
            "error: --weights: PRIORITY=WEIGHT expected, not '1'",
        ),
        (["plan", "x.json", "--weights", "1=0"], "error: --weights: priority 1: a weight below 1"),
        (["plan", "x.json", "--weights", "1=1,1=2"], "error: --weights: priority 1: given twice"),
        (["plan", "x.json", "--levels", "a,,b"], "error: --levels: node-label keys expected"),
        (
            ["plan", "x.json", "-o", "/no/such/folder/plan.json"],
            "error: /no/such/folder/plan.json: ",
        ),
        (
            ["plan", "x.json", "-o", "m.mps", "--write-model", "./m.mps"],
            "error: --write-model: ./m.mps is the plan file as well",
        ),
        (["verify", "x.json"], "error: Missing option '--plan'"),
        (["verify", "-", "--plan", "-"], "error: --plan: standard input is the source already"),
        (["generate", "training"], "error: Missing option"),
        (["generate", "nothing", "-o", "-"], "error: nothing: no generator, preset or trace"),
        (
            ["generate", "training", "--nodes", "0", "-o", "-"],
            "error: generator training: nodes: 0",
        ),
        (["datasets", "extra"], "error: Got unexpected extra argument"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_1(
    argv: list[str], message: str, capsys: Captured
) -> None:
    assert main(argv) == codes.USAGE
    said = capsys.readouterr()
    assert one_line(said.err).startswith(message)
    assert said.out == ""


def test_no_command_prints_the_help_and_is_a_usage_error(capsys: Captured) -> None:
    assert main([]) == codes.USAGE
    assert "Commands:" in capsys.readouterr().out


@pytest.mark.parametrize("argv", [["--help"], ["-h"], ["plan", "--help"], ["verify", "-h"]])
def test_help_is_plain_text_and_exit_0(argv: list[str], capsys: Captured) -> None:
    assert main(argv) == codes.GOOD
    out = capsys.readouterr().out
    assert "Usage: gangplan" in out
    assert out.isascii()


def test_the_version_is_printed(capsys: Captured) -> None:
    assert main(["--version"]) == codes.GOOD
    assert capsys.readouterr().out == "gangplan 0.1.0\n"


def raising(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("gangplan.datasets.generate.generate", fail)


GENERATE = ["generate", "training", "-o", "-"]


def test_an_unforeseen_error_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    raising(KeyError("two\nlines"), monkeypatch)
    monkeypatch.delenv("GANGPLAN_DEBUG", raising=False)
    assert main(GENERATE) == codes.USAGE
    said = one_line(capsys.readouterr().err)
    assert said.startswith("internal error: KeyError: 'two\\nlines' (test_entry.py:")
    assert "please report it" in said


def test_the_traceback_is_shown_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    raising(KeyError("x"), monkeypatch)
    monkeypatch.setenv("GANGPLAN_DEBUG", "1")
    assert main(GENERATE) == codes.USAGE
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_every_fault_is_a_line(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    faults = [Fault("a.yaml", "Pod x/y", "spec.containers", "missing"), Fault("b", "", "", "empty")]
    raising(InputError(faults), monkeypatch)
    assert main(GENERATE) == codes.USAGE
    assert capsys.readouterr().err.splitlines() == [
        "error: a.yaml: Pod x/y: spec.containers: missing",
        "error: b: empty",
    ]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (PlanError("the plan failed its own check"), codes.VERIFICATION_FAILED),
        (KeyboardInterrupt(), codes.INTERRUPTED),
        (BrokenPipeError(32, "Broken pipe"), codes.PIPE_CLOSED),
        (MemoryError(), codes.USAGE),
    ],
)
def test_exit_codes_of_errors(
    error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    raising(error, monkeypatch)
    assert main(GENERATE) == code
    assert "Traceback" not in capsys.readouterr().err


def test_a_closed_pipe_is_silent(tmp_path: Path) -> None:
    run = subprocess.run(
        f"{sys.executable} -m gangplan generate training -o - | head -c 10",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == '{"schema":'
    assert [line for line in run.stderr.splitlines() if "digest" not in line] == []


def test_an_ascii_terminal_is_no_reason_to_fail(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "gangplan", "plan", "dép.json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"},
    )
    assert run.returncode == codes.USAGE
    assert one_line(run.stderr).startswith("error: d")


def test_ctrl_c_ends_the_search_and_keeps_the_plan(tmp_path: Path) -> None:
    assert main(["generate", "training", "-o", str(tmp_path / "i.json")]) == codes.GOOD
    argv = [sys.executable, "-m", "gangplan", "plan", "i.json", "-o", "plan.json"]
    run = subprocess.Popen(
        argv,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        with pytest.raises(subprocess.TimeoutExpired):  # still at it
            run.communicate(timeout=8)
        os.killpg(run.pid, signal.SIGINT)  # as a terminal does: parent and solver alike
        out, err = run.communicate(timeout=20)
    finally:
        run.kill()
    assert run.returncode == codes.INTERRUPTED
    assert err.splitlines() == [
        "warning: interrupted: the best plan so far, with what was proven by then",
        "plan file: plan.json",
        "stopped",
    ]
    assert "admitted" in out
    plan = ["--plan", str(tmp_path / "plan.json")]
    assert main(["verify", str(tmp_path / "i.json"), *plan]) == codes.GOOD


def test_ctrl_c_before_there_is_a_plan_writes_nothing(tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "gangplan", "plan", "-", "-o", "plan.json"]
    run = subprocess.Popen(
        argv,
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        with pytest.raises(subprocess.TimeoutExpired):  # waits for its input
            run.wait(timeout=3)
        os.killpg(run.pid, signal.SIGINT)
        _, err = run.communicate(timeout=20)
    finally:
        run.kill()
    assert (run.returncode, err) == (codes.INTERRUPTED, "stopped\n")
    assert not list(tmp_path.iterdir())
