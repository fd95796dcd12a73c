"""Where the public files are: they belong to others and are no part of the project."""

import os
from dataclasses import dataclass
from pathlib import Path

from gangplan.models.errors import Fault, InputError

VARIABLE = "GANGPLAN_DATA"
"""Environment variable that names the folder of public files."""


@dataclass(frozen=True, slots=True)
class Public:
    """A public file as its owners publish it.

    Attributes
    ----------
    path : below the data folder, as the loaders look for it.
    repository : ``owner/name`` on GitHub.
    original : path inside that repository; its name there may differ.
    """

    path: str
    repository: str
    original: str

    @property
    def where(self) -> str:
        """Folder inside the repository."""
        return self.original.rpartition("/")[0]


def data_folder() -> Path | None:
    """Return the folder of public files, or None where there is none.

    ``GANGPLAN_DATA`` if it is set; else ``../shared/data`` beside the current directory, or beside
    the checkout that this module was read from.

    Raises
    ------
    InputError : ``GANGPLAN_DATA`` names something that is no folder.
    """
    told = os.environ.get(VARIABLE)
    if told:
        if not Path(told).is_dir():
            raise InputError([Fault(told, "", "", f"{VARIABLE} names no folder")])
        return Path(told)
    checkout = Path(__file__).resolve().parents[2]
    for place in (Path.cwd(), checkout):
        folder = place.parent / "shared" / "data"
        if folder.is_dir():
            return folder
    return None


def require(public: Public) -> Path:
    """Return the path of a public file.

    Raises
    ------
    InputError : it is not there; one line names the repository and the variable to set.
    """
    folder = data_folder()
    path = None if folder is None else folder / public.path
    if path is not None and path.is_file():
        return path
    raise InputError(
        [
            Fault(
                public.path,
                "",
                "",
                f"not found; it is {public.original} of github.com/{public.repository}: save it "
                f"under this name in a folder, and set {VARIABLE} to that folder",
            )
        ]
    )
