"""Files, folders and standard input -> API objects, one `Document` after another.

Whether a text is YAML or JSON is told by its content. A JSON list (``kubectl get -o json``) is
read item by item, so that a dump of 50,000 pods needs the memory of a few; YAML is read whole.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from gangplan.datasets.kubernetes.text import jsontext, yamltext
from gangplan.datasets.kubernetes.text.fields import Faults, Fields, describe, shown
from gangplan.datasets.kubernetes.text.text import Malformed, TextReader

SUFFIXES = frozenset({".yaml", ".yml", ".json"})
_DEEPEST = 8  # lists within lists


@dataclass(frozen=True, slots=True)
class Document:
    """One API object and where it came from.

    Attributes
    ----------
    source : file name (``-`` for standard input), followed by ``:LINE`` where the object does not
        start the file, and by ``[N]`` for the item N of a list.
    obj : the object; it has a ``kind`` and an ``apiVersion``, both texts.
    """

    source: str
    obj: dict[str, Any]

    @property
    def kind(self) -> str:
        """The object's kind, such as ``Pod``."""
        return str(self.obj["kind"])

    @property
    def api_version(self) -> str:
        """The object's group and version, such as ``v1`` or ``batch/v1``."""
        return str(self.obj["apiVersion"])

    def fields(self, faults: Faults) -> Fields:
        """Give typed access to the object; what is wrong goes to ``faults``."""
        return Fields(self.obj, self.source, faults)


def load(sources: Sequence[str], faults: Faults) -> Iterator[Document]:
    """Read every object of the sources.

    Parameters
    ----------
    sources : files, folders (all ``*.yaml``, ``*.yml`` and ``*.json`` below them, sorted) and
        ``-`` for standard input.
    faults : what cannot be read is added here, and reading goes on with the next object or file.

    Yields
    ------
    Document
        Objects in order; lists (``List``, ``PodList``, ...) are taken apart.
    """
    for source in sources:
        for name in _files(source, faults):
            yield from _file(name, faults, in_folder=name != source)


def _files(source: str, faults: Faults) -> list[str]:
    try:
        path = Path(source)
        if source == "-" or not path.is_dir():
            return [source]
        # os.walk and rglob pass over an unreadable folder in silence: walk by hand, through links.
        found: list[str] = []
        pending = [path]
        seen = {path.resolve()}
        while pending:
            for entry in sorted(pending.pop().iterdir()):
                if entry.is_dir():
                    if entry.resolve() not in seen:
                        seen.add(entry.resolve())
                        pending.append(entry)
                elif entry.suffix.lower() in SUFFIXES and entry.is_file():
                    found.append(str(entry))
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: links in a circle
        faults.add(source, "", "", f"cannot be read: {_reason(error)}")
        return []
    if not found:
        faults.add(source, "", "", "no *.yaml, *.yml or *.json file in this folder")
    return sorted(found)


def _file(name: str, faults: Faults, *, in_folder: bool = False) -> Iterator[Document]:
    any_value = False
    try:
        with _open(name) as stream:
            reader = TextReader(stream)
            # Folders of manifests have files that are commented out; one of 0 bytes is a failure.
            idle = in_folder and reader.start().lstrip().startswith(("#", "---"))
            for value in _values(reader, name):
                any_value = True
                place = name if value.line == 1 else f"{name}:{value.line}"
                place += "" if value.index is None else f"[{value.index}]"
                yield from _objects(value.obj, place, faults, _DEEPEST)
    except (OSError, ValueError) as error:
        faults.add(name, "", "", f"cannot be read: {_reason(error)}")
    except Malformed as error:
        faults.add(name, "", "", str(error))
    else:
        if not any_value and not idle:
            faults.add(name, "", "", "empty, no object in it")


def _open(name: str) -> "IO[bytes] | nullcontext[IO[bytes]]":
    return nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb")


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _values(reader: TextReader, name: str) -> Iterator[jsontext.Value]:
    if not jsontext.looks_like(reader.start()):
        return yamltext.values(reader.whole())
    if not reader.small():
        return jsontext.values(reader, strict=False)
    # YAML may start like JSON; a small text is parsed whole first, so that it can be tried again.
    try:
        return iter(list(jsontext.values(reader.again())))
    except Malformed:
        if name.lower().endswith(".json"):
            raise
        return yamltext.values(reader.whole())


def _objects(obj: Any, source: str, faults: Faults, depth: int) -> Iterator[Document]:
    if not isinstance(obj, dict):
        faults.add(source, "", "", f"an object expected, got {shown(obj)}")
        return
    item = describe(obj)
    kind, version = obj.get("kind"), obj.get("apiVersion")
    if not isinstance(kind, str) or not kind:
        what = "missing" if not kind else "text expected"
        schema = obj.get("schema")
        if isinstance(schema, str):
            what += f" (a file of schema {schema[:40]} is no Kubernetes object)"
        faults.add(source, item, "kind", what)
    elif not isinstance(version, str) or not version:
        faults.add(source, item, "apiVersion", "missing" if not version else "text expected")
    elif kind != "List" and not (kind.endswith("List") and "items" in obj):
        yield Document(source, obj)
    elif depth == 0:
        faults.add(source, item, "items", "lists within lists are too deep")
    else:
        items = obj.get("items")
        if items is not None and not isinstance(items, list):
            faults.add(source, item, "items", f"a list expected, got {shown(items)}")
            return
        if jsontext.cut_short(obj):
            faults.add(source, item, "metadata.continue", jsontext.CUT_SHORT)
            return
        for index, entry in enumerate(items or ()):
            yield from _objects(
                jsontext.typed(entry, kind, version), f"{source}[{index}]", faults, depth - 1
            )
