"""Small API objects for tests, and what reading them gives."""

import json
from pathlib import Path
from typing import Any

from gangplan.datasets.kubernetes.objects.nodes import node
from gangplan.datasets.kubernetes.objects.pods import pod
from gangplan.datasets.kubernetes.records import NodeRecord, PodRecord
from gangplan.datasets.kubernetes.text.documents import Document, load
from gangplan.datasets.kubernetes.text.fields import Faults, Fields


def fields_of(obj: dict[str, Any], faults: Faults | None = None) -> Fields:
    return Fields(obj, "f.yaml", Faults() if faults is None else faults)


def lines(faults: Faults) -> list[str]:
    return [str(fault) for fault in faults]


def pod_object(spec: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """A pod ``ml/a`` of one container without requests, changed by ``spec`` and ``more``."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a", "namespace": "ml"},
        "spec": {"containers": [{"name": "main"}], **(spec or {})},
        **more,
    }


def node_object(**more: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, **more}


def read_pod(spec: dict[str, Any] | None = None, **more: Any) -> PodRecord:
    """The record of a pod that has nothing wrong."""
    faults = Faults()
    record = pod(Document("f.yaml", pod_object(spec, **more)), faults)
    assert lines(faults) == []
    assert record is not None
    return record


def pod_faults(spec: dict[str, Any] | None = None, **more: Any) -> list[str]:
    """What is wrong with a pod that has something wrong."""
    faults = Faults()
    assert pod(Document("f.yaml", pod_object(spec, **more)), faults) is None
    return lines(faults)


def read_node(notes: list[str] | None = None, **more: Any) -> NodeRecord:
    faults = Faults()
    record = node(Document("f.yaml", node_object(**more)), faults, notes)
    assert lines(faults) == []
    assert record is not None
    return record


def node_faults(**more: Any) -> list[str]:
    faults = Faults()
    assert node(Document("f.yaml", node_object(**more)), faults) is None
    return lines(faults)


def loaded(path: Path, text: str | bytes | dict[str, Any] | None = None) -> list[Document]:
    """The objects of a file that has nothing wrong, written first if a text is given."""
    documents, faults = load_all(path, text)
    assert faults == []
    return documents


def load_all(
    path: Path, text: str | bytes | dict[str, Any] | None = None
) -> tuple[list[Document], list[str]]:
    """The objects of a file, and the faults without the folder's name."""
    if isinstance(text, bytes):
        path.write_bytes(text)
    elif text is not None:
        path.write_text(json.dumps(text) if isinstance(text, dict) else text, encoding="utf-8")
    faults = Faults()
    documents = list(load([str(path)], faults))
    return documents, [line.replace(f"{path.parent}/", "") for line in lines(faults)]
