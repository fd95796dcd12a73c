"""CSV files read column by column, with every malformed field named as file:line:column."""

import csv
from collections.abc import Sequence
from pathlib import Path

from gangplan.datasets.traces.text import read_text
from gangplan.models.errors import Fault, InputError

LIMIT = 2**40
"""Largest number a column may hold."""

MOST_FAULTS = 20


class Columns:
    """The rows of a CSV file under its header, and the faults found in them so far."""

    def __init__(
        self, path: Path, header: list[str], rows: list[list[str]], lines: list[int]
    ) -> None:
        self.path = path
        self.header = header
        self.rows = rows
        self.lines = lines
        self.faults: list[tuple[int, str, str]] = []

    def texts(self, column: str, may_be_empty: bool = False) -> list[str]:
        """Return a column of texts, blanks around them taken off."""
        values = [row[self.header.index(column)].strip() for row in self.rows]
        if not may_be_empty:
            self.check(column, [bool(value) for value in values], "empty")
        return values

    def names(self, column: str) -> list[str]:
        """Return a column of texts that differ from row to row."""
        values = self.texts(column)
        first: dict[str, int] = {}
        for line, value in zip(self.lines, values, strict=True):
            if value in first:
                self.faults.append((line, column, f"{value} is in line {first[value]} already"))
            first.setdefault(value, line)
        return values

    def counts(self, column: str, most: int = LIMIT) -> list[int]:
        """Return a column of whole numbers from 0 to ``most``; 0 where a fault was found."""
        values = []
        for line, text in zip(self.lines, self.texts(column, may_be_empty=True), strict=True):
            good = text.isascii() and text.isdigit() and len(text) <= 13 and int(text) <= most
            if not good:
                self.faults.append(
                    (line, column, f"a whole number up to {most} expected, not {text!r}")
                )
            values.append(int(text) if good else 0)
        return values

    def check(self, column: str, good: Sequence[bool], message: str) -> None:
        """Record a fault for each row that is not good."""
        self.faults += [
            (line, column, message) for line, ok in zip(self.lines, good, strict=True) if not ok
        ]

    def finish(self) -> None:
        """Raise InputError where faults were found; the first 20 of them by line."""
        if self.faults:
            raise InputError(
                [
                    Fault(f"{self.path}:{line}:{column}", "", "", message)
                    for line, column, message in sorted(self.faults)[:MOST_FAULTS]
                ]
            )


def read_columns(path: Path, needed: Sequence[str]) -> Columns:
    """Read a CSV file with a header line; blank lines are passed over.

    Raises
    ------
    InputError : it cannot be read, a needed column is missing or named twice, a row has another
        number of fields than the header, or there are no rows.
    """
    reader = csv.reader(read_text(path).splitlines(), strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        header = [name.strip() for name in next(reader, [])]
        for name in needed:
            if header.count(name) != 1:
                word = "no column" if name not in header else "two columns"
                raise InputError([Fault(f"{path}:1", "", "", f"{word} {name}")])
        faults = []
        for row in reader:
            if not any(field.strip() for field in row):
                continue
            if len(row) != len(header):
                message = f"{len(header)} fields expected, not {len(row)}"
                faults.append(Fault(f"{path}:{reader.line_num}", "", "", message))
            rows.append(row)
            lines.append(reader.line_num)
    except csv.Error as error:
        raise InputError([Fault(f"{path}:{reader.line_num}", "", "", str(error))]) from None
    if faults:
        raise InputError(faults[:MOST_FAULTS])
    if not rows:
        raise InputError([Fault(str(path), "", "", "no rows")])
    return Columns(path, header, rows, lines)
