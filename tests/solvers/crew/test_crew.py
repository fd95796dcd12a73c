"""A crew: what jobs say comes back, and what crashes or is late costs its own work only."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gangplan.solvers.backends import workers
from gangplan.solvers.crew.crew import LOST, MODULE, Crew, Word
from tests.solvers.crew import jobs

LONG = 60.0


@pytest.fixture
def crew() -> Iterator[Crew]:
    made = Crew(2, {"base": 40})
    yield made
    made.halt()
    made.close()


def far() -> float:
    return time.monotonic() + LONG


def free(crew: Crew) -> None:
    while not crew.free:
        crew.hear(far())


def words(crew: Crew, job: int) -> list[Word]:
    heard: list[Word] = []
    while not any(word.job == job and word.last for word in heard):
        heard += crew.hear(far())
    return [word for word in heard if word.job == job]


def test_a_job_sees_what_is_kept(crew: Crew) -> None:
    free(crew)
    job = crew.give(jobs.add, 2, kill_at=far())
    assert words(crew, job) == [Word(job, "done", 42)]


def test_what_is_said_comes_in_order_and_before_the_end(crew: Crew) -> None:
    free(crew)
    job = crew.give(jobs.speak, 3, kill_at=far())
    said = [(word.kind, word.body) for word in words(crew, job)]
    assert said == [("said", 0), ("said", 1), ("said", 2), ("done", "end")]


def test_two_jobs_run_side_by_side(crew: Crew) -> None:
    free(crew)
    first = crew.give(jobs.sleep, LONG, kill_at=far())
    free(crew)
    second = crew.give(jobs.add, 1, kill_at=far())
    assert first != second
    assert words(crew, second)[-1].body == 41
    assert crew.busy


def test_what_a_job_makes_stays_in_its_process() -> None:
    crew = Crew(1, {})
    try:
        for n in (1, 2):
            free(crew)
            assert words(crew, crew.give(jobs.count, kill_at=far()))[-1].body == n
    finally:
        crew.close()


def test_a_crash_is_told_and_another_process_takes_over(crew: Crew) -> None:
    free(crew)
    job = crew.give(jobs.crash, kill_at=far())
    (word,) = words(crew, job)
    assert word.kind == "lost"
    assert "SIGSEGV" in word.body
    free(crew)
    assert words(crew, crew.give(jobs.add, 2, kill_at=far()))[-1].body == 42


@pytest.mark.parametrize(
    ("job", "text"), [(jobs.fail, "ValueError: no good"), (jobs.refuse, "claims are none of mine")]
)
def test_a_job_that_raises_says_why_and_its_process_lives_on(
    crew: Crew, job: object, text: str
) -> None:
    assert callable(job)
    free(crew)
    number = crew.give(job, kill_at=far())
    assert words(crew, number) == [Word(number, "failed", text)]


def test_a_job_that_is_late_is_killed_and_what_it_said_stays(crew: Crew) -> None:
    free(crew)
    begin = time.monotonic()
    job = crew.give(jobs.sleep, LONG, kill_at=begin + 0.3)
    heard = words(crew, job)
    assert [word.kind for word in heard] == ["said", "late"]
    assert time.monotonic() - begin < 3


def test_a_job_that_is_dropped_is_heard_of_no_more_and_costs_no_process(crew: Crew) -> None:
    for _ in range(LOST + 1):
        free(crew)
        job = crew.give(jobs.sleep, LONG, kill_at=far())
        crew.drop(job)
    free(crew)
    job = crew.give(jobs.add, 2, kill_at=far())
    assert words(crew, job)[-1].body == 42
    assert crew.alive


def test_hearing_ends_at_its_time_whatever_a_job_does(crew: Crew) -> None:
    free(crew)
    crew.give(jobs.sleep, LONG, kill_at=far())
    begin = time.monotonic()
    end = begin + 0.3
    while time.monotonic() < end:
        crew.hear(end)
    crew.halt()
    crew.close()
    assert time.monotonic() - begin < 3


def test_a_crew_that_loses_too_many_processes_is_no_more() -> None:
    crew = Crew(1, {})
    for _ in range(LOST + 1):
        free(crew)
        words(crew, crew.give(jobs.crash, kill_at=far()))
    assert not crew.alive
    assert crew.hear(time.monotonic()) == []
    crew.close()


def test_processes_without_a_job_stay_for_the_next_crew_and_have_forgotten() -> None:
    workers.close_workers()
    pids = []
    for base in (40, 1):
        crew = Crew(1, {"base": base})
        free(crew)
        pids.append(words(crew, crew.give(jobs.pid, kill_at=far()))[-1].body)
        free(crew)
        assert words(crew, crew.give(jobs.add, 2, kill_at=far()))[-1].body == base + 2
        free(crew)
        assert words(crew, crew.give(jobs.count, kill_at=far()))[-1].body == 1
        crew.close()
    assert pids[0] == pids[1]


def test_processes_end_with_their_parent() -> None:
    script = (
        "import os, sys, time\n"
        "from gangplan.solvers.crew.crew import Crew\n"
        "from tests.solvers.crew import jobs\n"
        "crew = Crew(1, {})\n"
        "while not crew.free: crew.hear(time.monotonic() + 60)\n"
        "crew.give(jobs.pid, kill_at=time.monotonic() + 60)\n"
        "print(crew.hear(time.monotonic() + 60)[0].body, flush=True)\n"
        "crew.give(jobs.sleep, 60.0, kill_at=time.monotonic() + 60)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    pid = int(ran.stdout)
    for _ in range(100):
        if not _runs(pid):
            break
        time.sleep(0.1)
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state != "Z" and MODULE in Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False


def test_what_cannot_be_sent_has_failed_and_the_process_goes_on(crew: Crew) -> None:
    free(crew)
    number = crew.give(jobs.add, lambda: None, kill_at=far())
    (word,) = words(crew, number)
    assert word.kind == "failed"
    assert "cannot be sent" in word.body
    assert crew.free
    assert words(crew, crew.give(jobs.add, 2, kill_at=far()))[-1].kind == "done"
