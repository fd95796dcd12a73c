"""Which ``cbc`` is run, and its version: cbcbox 2.935 and a distribution's 2.10 differ greatly."""

import contextlib
import io
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from gangplan.models.errors import SolverError

VARIABLE = "GANGPLAN_CBC"
"""Environment variable that names a binary."""

NONE_HERE = f"no cbc: pip install 'gangplan[cbc]', install a system cbc, or set {VARIABLE}"

_VERSION = re.compile(r"[Vv]ersion:? +(.+)")


@dataclass(frozen=True, slots=True)
class Binary:
    """A cbc that can be run; ``version`` says where it is from and which one it is."""

    path: str
    version: str

    @property
    def preprocesses_wrongly(self) -> bool:
        """Its preprocessing gives wrong optima (2.10.3 and Debian's 2.10.8; cbcbox 2.935 is right).

        They call 5 the minimum of 2 x + 5 y over 4 <= 3 x + 5 y <= 7, which is 4 at (2, 0).
        """
        return self.version.startswith("2.")


def find_binary(path: str = "") -> Binary:
    """Return the cbc to run: ``path``, else GANGPLAN_CBC, else cbcbox, else the one on PATH.

    A binary that is asked for and is not there is an error, never another binary. cbcbox chooses
    among its builds by CBCBOX_BUILD (``generic`` is the same on every machine).

    Raises
    ------
    SolverError : there is none; the text says how to get one.
    """
    named = path or os.environ.get(VARIABLE, "")
    if named:
        found = shutil.which(named)
        if found is None:
            raise SolverError(f"cbc: {'' if path else f'{VARIABLE}: '}{named} is no program")
        return Binary(found, _asked(found))
    if find_spec("cbcbox") is not None:
        return _boxed(os.environ.get("CBCBOX_BUILD", ""))
    found = shutil.which("cbc")
    if found is None:
        raise SolverError(NONE_HERE)
    return Binary(found, _asked(found))


def version() -> str:
    """Return the version of the binary that is found.

    Raises
    ------
    SolverError : there is none, and how to get one.
    """
    return find_binary().version


@lru_cache
def _boxed(build: str) -> Binary:
    import cbcbox  # type: ignore[import-untyped, unused-ignore]

    try:
        with contextlib.redirect_stdout(io.StringIO()):  # it prints which build was asked for
            path = str(cbcbox.cbc_bin_path())
    except (RuntimeError, ValueError) as error:
        raise SolverError(f"cbc: CBCBOX_BUILD = {build}: {error}") from error
    if not Path(path).is_file():
        raise SolverError(f"cbc: cbcbox has no {path}")
    return Binary(path, f"cbcbox {metadata.version('cbcbox')}")


@lru_cache
def _asked(path: str) -> str:
    """Ask a binary for its version, once."""
    try:
        run = subprocess.run(
            [path, "-version", "-quit"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=10,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SolverError(f"cbc: {path} cannot be run: {error}") from error
    found = _VERSION.search(run.stdout)
    if found is None:
        raise SolverError(f"cbc: {path} does not say its version; is it a cbc?")
    return found.group(1).strip()
