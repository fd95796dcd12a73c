from pathlib import Path

import numpy as np
import pytest

from gangplan.datasets.traces.openb import openb
from gangplan.models.columns import BARE
from gangplan.models.errors import InputError
from gangplan.models.instance import Instance

DATA = Path(__file__).parents[2] / "data" / "traces"
NODES, PODS = DATA / "openb_nodes.csv", DATA / "openb_pods.csv"


def whole() -> Instance:
    return openb(NODES, PODS)


def test_equal_pods_are_one_bare_group() -> None:
    instance = whole()
    assert instance.names.groups == (
        "openb/cpu4000m-memory8192Mi-gpu460m",
        "openb/cpu12000m-memory16384Mi-gpu1",
        "openb/cpu8000m-memory8192Mi-gpu8-on-G2",
        "openb/cpu2000m-memory4096Mi",
        "openb/cpu4000m-memory8192Mi-gpu2-on-T4-V100M16",
    )
    assert instance.roles.wanted.tolist() == [2, 1, 1, 1, 2]
    assert (instance.groups.kind == BARE).all()
    assert instance.names.pods[:3] == ("openb/w-0", "openb/w-1", "openb/w-2")


def test_shares_and_whole_gpus_are_told_apart() -> None:
    roles = whole().roles
    assert roles.share.tolist() == [460, 0, 0, 0, 0]
    assert roles.whole.tolist() == [0, 1, 8, 0, 2]
    assert roles.devices.tolist() == [460, 1000, 8000, 0, 2000]


def test_requests_are_millicores_and_bytes() -> None:
    instance = whole()
    assert instance.names.resources == ("cpu", "memory")
    assert instance.roles.request[0].tolist() == [4000, 8192 * 2**20]
    assert instance.nodes.free[1].tolist() == [64000, 131072 * 2**20]


def test_every_gpu_is_an_empty_device_of_its_node() -> None:
    instance = whole()
    assert instance.shared.node.tolist() == [1] * 2 + [2] * 2 + [3] * 4 + [4] * 8
    assert (instance.shared.free == 1000).all()
    assert instance.nodes.intact.tolist() == [False, True, True, True, True]
    assert instance.device_unit == 1000


def test_gpu_spec_and_gpu_count_decide_where_a_pod_may_go() -> None:
    instance = whole()
    may = instance.roles.eligible[:, instance.nodes.node_class]
    assert may.astype(int).tolist() == [
        [0, 1, 1, 1, 1],
        [0, 1, 1, 1, 1],
        [0, 0, 0, 0, 1],
        [1, 1, 1, 1, 1],
        [0, 1, 1, 1, 0],
    ]


def test_a_list_without_the_later_columns_is_read() -> None:
    instance = openb(NODES, DATA / "openb_pods_short.csv")
    assert instance.roles.share.tolist() == [460, 0]
    assert instance.roles.eligible[0].sum() == 3


def test_a_sample_is_repeatable_and_a_part_of_the_whole() -> None:
    one = openb(NODES, PODS, nodes=3, groups=4, seed=7)
    two = openb(NODES, PODS, nodes=3, groups=4, seed=7)
    assert one.digest() == two.digest()
    assert (len(one.nodes), one.n_pods) == (3, 4)
    assert set(one.names.nodes) <= set(whole().names.nodes)
    assert set(one.names.pods) <= set(whole().names.pods)
    assert len(one.shared) == np.isin(one.shared.node, np.arange(3)).sum()
    others = {openb(NODES, PODS, nodes=3, groups=4, seed=seed).digest() for seed in range(20)}
    assert len(others) > 5


def test_a_sample_larger_than_the_list_is_the_list() -> None:
    assert openb(NODES, PODS, nodes=99, groups=99).digest() == whole().digest()


@pytest.mark.parametrize(
    ("line", "replaced", "message"),
    [
        (2, "w-1,4000,8192,1,1001", r":3:gpu_milli: 1 to 1000 for one GPU"),
        (2, "w-1,4000,8192,1,0", r":3:gpu_milli: "),
        (2, "w-1,4000,8192,2,500", r":3:gpu_milli: "),
        (2, "w-1,4000,8192,0,1000", r":3:gpu_milli: "),
        (
            2,
            "w-1,4.5,8192,1,1000",
            r":3:cpu_milli: a whole number up to 1099511627776 expected, not '4.5'",
        ),
        (2, "w-1,-4,8192,1,1000", r":3:cpu_milli: "),
        (
            2,
            "w-1,,8192,1,1000",
            r":3:cpu_milli: a whole number up to 1099511627776 expected, not ''",
        ),
        (2, "w-1,99999999999999999999,8192,1,1000", r":3:cpu_milli: "),
        (2, "w-1,4000,8192,1025,1000", r":3:num_gpu: a whole number up to 1024"),
        (2, "w-0,4000,8192,1,1000", r":3:name: w-0 is in line 2 already"),
        (2, ",4000,8192,1,1000", r":3:name: empty"),
        (2, "w-1,4000,8192,1", r":3: 5 fields expected, not 4"),
        (0, "name,cpu_milli,memory_mib,num_gpu,milli", r":1: no column gpu_milli"),
        (0, "name,gpu_milli,memory_mib,num_gpu,gpu_milli", r":1: no column cpu_milli"),
        (0, "name,cpu_milli,cpu_milli,num_gpu,gpu_milli", r":1: two columns cpu_milli"),
        (2, 'w-1,"40"00,8192,1,1000', r":3: "),
    ],
)
def test_a_malformed_row_is_named_by_file_line_and_column(
    tmp_path: Path, line: int, replaced: str, message: str
) -> None:
    lines = (DATA / "openb_pods_short.csv").read_text().splitlines()
    lines[line] = replaced
    broken = tmp_path / "pods.csv"
    broken.write_text("\n".join(lines))
    with pytest.raises(InputError, match=f"pods.csv{message}"):
        openb(NODES, broken)


def test_all_faults_of_a_file_are_reported_together(tmp_path: Path) -> None:
    broken = tmp_path / "nodes.csv"
    broken.write_text("sn,cpu_milli,memory_mib,gpu,model\na,x,1,0,\nb,1,y,2,T4\nb,1,1,1,\n")
    with pytest.raises(InputError) as caught:
        openb(broken, PODS)
    assert [str(fault).split("nodes.csv")[1] for fault in caught.value.faults] == [
        ":2:cpu_milli: a whole number up to 1099511627776 expected, not 'x'",
        ":3:memory_mib: a whole number up to 1099511627776 expected, not 'y'",
        ":4:gpu: GPUs and model do not agree",
        ":4:sn: b is in line 3 already",
    ]


@pytest.mark.parametrize("content", ["", "sn,cpu_milli,memory_mib,gpu,model\n"])
def test_an_empty_list_is_an_error(tmp_path: Path, content: str) -> None:
    (tmp_path / "nodes.csv").write_text(content)
    with pytest.raises(InputError, match=r"nodes\.csv"):
        openb(tmp_path / "nodes.csv", PODS)


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        openb(tmp_path / "none.csv", PODS)
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        openb(tmp_path / "bytes.csv", PODS)
