"""From a command line to an exit code: parse, run, and say every error in one line a fault."""

import io
import os
import sys
import traceback
from collections.abc import Sequence

from gangplan.cli import codes, interrupt
from gangplan.models.errors import ClusterError, GangplanError, PlanError

DEBUG = "GANGPLAN_DEBUG"
"""Environment variable: 1 shows the traceback of an internal error."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv : arguments without the program's name; default: those of this process.

    Returns
    -------
    The exit code, see ``gangplan.cli.codes``.
    """
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        # Imported here, so that Ctrl-C is clean from the first moment on.
        from gangplan.cli.app import app

        code = app(args=args or ["--help"], prog_name="gangplan", standalone_mode=False)
        if code == codes.INTERRUPTED:
            raise KeyboardInterrupt  # typer caught it
        sys.stdout.flush()
        return int(code or codes.GOOD) if args else codes.USAGE
    except KeyboardInterrupt:
        return _say("stopped", codes.INTERRUPTED)
    except BrokenPipeError:
        return codes.PIPE_CLOSED
    except SystemExit as stop:
        # typer turns a closed pipe into exit(1).
        if isinstance(stop.__context__, BrokenPipeError):
            return codes.PIPE_CLOSED
        return stop.code if isinstance(stop.code, int) else codes.USAGE
    except PlanError as error:
        return _say(f"error: {error}", codes.VERIFICATION_FAILED)
    except GangplanError as error:
        code = codes.CLUSTER if isinstance(error, ClusterError) else codes.USAGE
        return _say("\n".join(f"error: {line}" for line in str(error).splitlines()), code)
    except Exception as error:
        # typer turns Ctrl-C into an exception of its own, and has moved its classes between
        # releases: they are told by name and by method.
        if type(error).__name__ == "Abort":
            return _say("stopped", codes.INTERRUPTED)
        return _say(_other(error), codes.USAGE)


def run() -> None:
    """Run the command line of this process and exit."""
    interrupt.watch()
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal's encoding lacks is no reason to fail.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    code = main()
    if code == codes.PIPE_CLOSED:
        # What is left in the buffer has no reader: let the last flush go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(code)


def _other(error: Exception) -> str:
    """Say a usage error of the parser, or an error that nobody foresaw."""
    usage = getattr(error, "format_message", None)
    if usage is not None:
        return "error: " + " ".join(str(usage()).split())
    if os.environ.get(DEBUG) == "1":
        return traceback.format_exc().rstrip()
    said = " ".join(str(error).split())[:200]
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(frame.filename)}:{frame.lineno}"  # noqa: PTH119 - any text will do
    return (
        f"internal error: {type(error).__name__}: {said} ({where}); please report it with the "
        f"command and its input ({DEBUG}=1 shows the traceback)"
    )


def _say(line: str, code: int) -> int:
    try:
        print(line, file=sys.stderr)
    except BrokenPipeError:
        return codes.PIPE_CLOSED
    return code
