"""The scheduler's log."""

import io
import json
from datetime import datetime
from pathlib import Path

import pytest

from gangplan.cluster.scheduler.log import Log


def test_a_line_is_a_json_object_with_its_fields() -> None:
    stream = io.StringIO()
    Log(stream).warning("two\nlines", group="ml/a", pods=3, path=Path("p"))
    (line,) = stream.getvalue().splitlines()
    found = json.loads(line)
    assert datetime.fromisoformat(found.pop("time")).utcoffset() is not None
    assert found == {
        "level": "warning",
        "message": "two\nlines",
        "group": "ml/a",
        "pods": 3,
        "path": "p",
    }


def test_a_field_does_not_hide_the_level() -> None:
    stream = io.StringIO()
    Log(stream).error("m", level=7)
    found = json.loads(stream.getvalue())
    assert (found["level"], found["level_"]) == ("error", 7)


def test_a_terminal_gets_plain_text() -> None:
    stream = io.StringIO()
    log = Log(stream, plain=True)
    log.info("bound", pods=3)
    log.warning("slow")
    first, second = stream.getvalue().splitlines()
    assert first[8:] == " bound pods=3"
    assert second[8:] == " warning: slow"


def test_what_is_below_the_level_is_not_written() -> None:
    stream = io.StringIO()
    Log(stream, level="warning").info("m")
    assert not stream.getvalue()
    with pytest.raises(ValueError, match="no level loud"):
        Log(stream, level="loud")


def test_sentences_of_a_flight_carry_its_name() -> None:
    stream = io.StringIO()
    Log(stream).saying(flight="abc")("evicting 3 pods")
    found = json.loads(stream.getvalue())
    assert (found["message"], found["flight"]) == ("evicting 3 pods", "abc")


def test_a_log_that_nobody_reads_stops_nothing() -> None:
    class Broken(io.StringIO):
        def flush(self) -> None:
            raise BrokenPipeError

    Log(Broken()).info("m")
    closed = io.StringIO()
    closed.close()
    Log(closed, plain=False).info("m")
