"""Public manifests of gang workloads: every file is read, or refused in words."""

import os
from pathlib import Path

import pytest

from gangplan.datasets.kubernetes.read import read
from gangplan.models.errors import InputError

ROOT = Path(__file__).parents[3]
FOLDER = Path(os.environ.get("GANGPLAN_DATA", ROOT.parent / "shared" / "data")) / "k8s-workloads"
FILES = sorted(path for path in FOLDER.rglob("*") if path.suffix in (".yaml", ".txt"))

pytestmark = [
    pytest.mark.public_data,
    pytest.mark.skipif(not FILES, reason=f"no public manifests in {FOLDER} (GANGPLAN_DATA)"),
]
# Not YAML, a key twice: these are refused, every other file is read.
REFUSED = {
    "kep-4671-gang-scheduling_fragments.yaml.txt": "line 6",
    "nccl-test-a4x-max-jobset.yaml": "'restartPolicy' appears twice",
    "nccl-test-imex-a4x.yaml": "'resources' appears twice",
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
@pytest.mark.parametrize("release", ["1.36", "1.37"])
def test_a_public_manifest_is_read_or_refused_in_words(path: Path, release: str) -> None:
    words = REFUSED.get(path.name)
    if words is not None:
        with pytest.raises(InputError, match=words):
            read([str(path)], kubernetes=release)
        return
    built = read([str(path)], kubernetes=release)
    # Without nodes nothing can be placed; that much is always said.
    assert "no node in the sources: nothing can be placed" in built.names.notes


def test_the_claims_of_a_public_group_hold_it() -> None:
    path = FOLDER / "native-podgroup" / "dra-example_podgroup-resourceclaimtemplate.yaml"
    built = read([str(path)])
    assert all(why.startswith("needs 2 members, has 0") for why in built.names.held)
