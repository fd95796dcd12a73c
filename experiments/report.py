"""Records to tables and plots; nothing is solved here, so every figure can be made again.

For each experiment NAME of the records, the folder gets ``NAME.md`` (tables for people),
``NAME.json`` (the same tables, unrounded, as the paper reads them), ``NAME-TABLE.csv``, and, where
matplotlib is installed, ``NAME-time.svg``, ``NAME-gap.svg`` and ``NAME-profile.svg`` (with several
time limits, objectives, ... ``NAME-3s-time.svg`` and so on).
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from gangplan.experiments import plots
from gangplan.experiments.lost import lost
from gangplan.experiments.records import Record, latest
from gangplan.experiments.scaling import scaling
from gangplan.experiments.tables import Table, tables_of
from gangplan.files import cannot_write, whole_text
from gangplan.models.errors import Fault, InputError

SCHEMA = "gangplan/tables/v1"

NO_PLOTS = "no plots: matplotlib is not installed (pip install 'gangplan[plots]')"


class Report(NamedTuple):
    """What was written.

    Attributes
    ----------
    tables : experiment -> its tables.
    files : in the order of writing.
    notes : sentences for the user.
    """

    tables: dict[str, tuple[Table, ...]]
    files: tuple[Path, ...]
    notes: tuple[str, ...]


def report(records: Sequence[Record], folder: Path | str) -> Report:
    """Write the tables and plots of all experiments.

    Raises
    ------
    InputError : there is no record, or a file cannot be written.
    """
    if not records:
        raise InputError([Fault("", "report", "", "no records")])
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(place, error) from None
    parts: dict[str, list[Record]] = {}
    for record in latest(records):
        parts.setdefault(record.experiment, []).append(record)
    tables = {name: _all_tables(part) for name, part in parts.items()}
    files = [file for name, found in tables.items() for file in _tables(place, name, found)]
    if plots.available():
        for name, part in parts.items():
            files += plots.plot_all(part, place, name)
    return Report(tables, tuple(files), () if plots.available() else (NO_PLOTS,))


def _all_tables(records: Sequence[Record]) -> tuple[Table, ...]:
    more = (lost(records), scaling(records))
    return (*tables_of(records), *(table for table in more if table is not None))


def _tables(folder: Path, name: str, tables: Sequence[Table]) -> list[Path]:
    document = {
        "schema": SCHEMA,
        "experiment": name,
        "tables": {table.name: table.as_json() for table in tables},
    }
    texts = {
        f"{name}.md": "\n".join([f"# {name}\n", *(table.markdown() for table in tables)]),
        f"{name}.json": json.dumps(document, indent=1, allow_nan=False) + "\n",
        **{f"{name}-{table.name}.csv": table.csv() for table in tables},
    }
    for file, text in texts.items():
        with whole_text(folder / file) as stream:
            stream.write(text)
    return [folder / file for file in texts]
