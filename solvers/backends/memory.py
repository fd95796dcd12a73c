"""Memory of a solver's process: the peak of one solve, and a limit on it.

Linux tells the peak in ``/proc`` and lets a process reset its own; elsewhere it is not known.
"""

import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gangplan.models.errors import SolverError

MIB = 2**20


def reset_peak() -> None:
    """Begin a new peak of this process."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak(process: int | str = "self") -> int | None:
    """Most bytes that a process had in memory since its start or its last reset."""
    return _status(process, "VmHWM")


def peak_of_group(leader: int) -> int | None:
    """Return the peak of the largest process of a group, its leader or what that one started."""
    peaks = [peak(number) for number in _members(leader)]
    return max((size for size in peaks if size is not None), default=None)


class Meter:
    """The peak of one solve in this process, programs that it ran and waited for included.

    The peak of such programs cannot be reset: it is that of the largest this process ever ran.
    """

    def __init__(self) -> None:
        self._before = _of_programs()
        reset_peak()

    def peak(self) -> int | None:
        """Most bytes that the largest process of this solve had in memory."""
        own = peak()
        now = _of_programs()
        ran = now.ru_utime + now.ru_stime > self._before.ru_utime + self._before.ru_stime
        return max(own, now.ru_maxrss * 1024) if ran and own is not None else own


def _of_programs() -> resource.struct_rusage:
    return resource.getrusage(resource.RUSAGE_CHILDREN)


@contextmanager
def limited(most: int | None) -> Iterator[None]:
    """Keep this process, and each one that it starts, from growing past ``most`` bytes.

    The kernel limits address space, of which a process maps more than it uses: what is mapped
    now and not used comes on top.

    Raises
    ------
    SolverError : the process uses that much already, or the system cannot tell.
    """
    if most is None:
        yield
        return
    used, mapped = _status("self", "VmRSS"), _status("self", "VmSize")
    if used is None or mapped is None:
        raise SolverError("a memory limit needs /proc, which this system lacks")
    if most <= used:
        raise SolverError(
            f"the memory limit of {most // MIB} MiB is below the {used // MIB} MiB that the "
            "process of the solver and the model take"
        )
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wished = mapped + most - used
    capped = wished if hard == resource.RLIM_INFINITY else min(wished, hard)
    resource.setrlimit(resource.RLIMIT_AS, (capped, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _status(process: int | str, key: str) -> int | None:
    """Read one size of ``/proc/PID/status``, in bytes."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{key}:")), None)


def _members(leader: int) -> list[int]:
    """Process ids of a process group."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            # pid (name, anything at all) state parent group
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[2]) == leader:
                found.append(int(folder.name))
    return found
