"""An instance as API objects means the same: what is read from them is the instance again."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gangplan
from gangplan.datasets import generate
from gangplan.experiments.kubescheduler import objects
from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance
from gangplan.models.topology import REQUIRED


@pytest.mark.parametrize("name", ["training", "racks", "vectors"])
def test_what_is_read_back_is_the_instance_without_its_preferences(
    name: str, tmp_path: Path
) -> None:
    instance = generate.generate(name, nodes=16, groups=6, seed=2)
    found = _read(instance, tmp_path)
    assert found.names.nodes == instance.names.nodes
    assert found.names.groups == instance.names.groups
    columns = [found.names.resources.index(r) for r in instance.names.resources]
    assert (found.nodes.free[:, columns] == instance.nodes.free).all()
    assert (found.groups.minimum == instance.groups.minimum).all()
    assert (found.groups.priority == instance.groups.priority).all()
    assert _asked(found, columns) == _asked(instance, list(range(len(columns))))
    assert _rules(found) == _rules(instance)


def _read(instance: Instance, folder: Path) -> Instance:
    made = [
        *objects.priority_classes(instance),
        *objects.nodes(instance),
        *objects.pod_groups(instance),
        *objects.pods(instance),
    ]
    (folder / "list.json").write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": made})
    )
    return gangplan.load(str(folder / "list.json"))


def _asked(instance: Instance, columns: list[int]) -> dict[str, list[int]]:
    asks = instance.roles.request[instance.pod_role][:, columns].tolist()
    return dict(zip(instance.names.pods, asks, strict=True))


def _rules(instance: Instance) -> set[tuple[str, str]]:
    rules = instance.rules
    return {
        (instance.names.groups[owner], instance.names.levels[level].removeprefix(objects.LABEL))
        for owner, level, mode in zip(
            rules.owner.tolist(), rules.level.tolist(), rules.mode.tolist(), strict=True
        )
        if mode == REQUIRED
    }


@pytest.mark.parametrize("name", ["victims", "aligned"])
def test_an_instance_with_more_is_refused_by_name(name: str) -> None:
    with pytest.raises(FormulationError, match=r"running work|claims of devices"):
        objects.refuse(generate.generate(name, nodes=16, groups=6, seed=1))


def test_a_group_that_may_not_use_every_node_is_refused() -> None:
    instance = generate.generate("training", nodes=16, groups=6, seed=1)
    roles = replace(instance.roles, eligible=np.zeros_like(instance.roles.eligible))
    with pytest.raises(FormulationError, match="every node"):
        objects.refuse(replace(instance, roles=roles))
