"""The catalogue: generators by name, and the presets that published figures speak of."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from gangplan.datasets.generate.aligned import Aligned
from gangplan.datasets.generate.draft import instance_of
from gangplan.datasets.generate.fabric import Fabric
from gangplan.datasets.generate.mig import Mig
from gangplan.datasets.generate.models import Models
from gangplan.datasets.generate.racks import Racks
from gangplan.datasets.generate.standing import with_work
from gangplan.datasets.generate.training import Training
from gangplan.datasets.generate.vectors import Vectors
from gangplan.datasets.generate.victims import FULL, Storm, Victims
from gangplan.models.errors import Fault, InputError
from gangplan.models.instance import Instance


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the catalogue.

    Attributes
    ----------
    name : as in ``generate(name)``.
    generator : the generator it is a setting of; its own name for the generators themselves.
    about : one sentence.
    parameters : the frozen parameters; ``nodes`` and ``groups`` may be replaced.
    """

    name: str
    generator: str
    about: str
    parameters: Training | Racks | Vectors | Aligned | Mig | Fabric | Models | Victims | Storm


_ENTRIES = (
    Entry("training", "training", "8-GPU nodes in racks of 16, gangs of 1-16 pods", Training()),
    Entry("racks", "racks", "rack-bound gangs on whole 4-GPU nodes in racks of 18", Racks()),
    Entry("vectors", "vectors", "three node generations, contrary cpu and memory", Vectors()),
    Entry(
        "training-5k",
        "training",
        "5,120 nodes in racks of 32, 1,500 groups",
        Training(nodes=5120, groups=1500, nodes_per_rack=32),
    ),
    Entry(
        "racks-5k",
        "racks",
        "5,112 nodes, three priorities, 1.5 times the free GPUs asked",
        Racks(nodes=5112, load=1.5, priorities=(1, 2, 4)),
    ),
    Entry("vectors-512", "vectors", "512 nodes, 119 groups", Vectors(nodes=512)),
    Entry("vectors-5k", "vectors", "5,120 nodes, 1,303 groups", Vectors(nodes=5120)),
    Entry("aligned", "aligned", "claims: a GPU and a NIC on one PCIe root", Aligned()),
    Entry("mig", "mig", "claims: MIG profiles on 8-GPU nodes, partly partitioned", Mig()),
    Entry("fabric", "fabric", "claims: a channel that a gang shares, GPUs of its pods", Fabric()),
    Entry("models", "models", "claims: GPUs by least memory, by model, and parts of one", Models()),
    Entry("victims", "victims", "full of running gangs, urgent ones bound to racks", Victims()),
    Entry("storm", "storm", "one urgent gang asks 10 % of a full cluster", Storm()),
    Entry(
        "urgent-rack",
        "urgent-rack",
        "an urgent gang asks half a rack, its victims stand on several",
        Storm(part=0.5, level="rack", filling=replace(FULL, crossing=0.8)),
    ),
    Entry("victims-1k", "victims", "1,024 nodes, 90 % full", Victims(nodes=1024)),
    Entry("victims-5k", "victims", "5,120 nodes, 90 % full", Victims(nodes=5120)),
    Entry(
        "aligned-1k",
        "aligned",
        "1,000 nodes with 8 NICs, 200 gangs",
        Aligned(
            nodes=1000,
            groups=200,
            nodes_per_rack=20,
            racks_per_block=5,
            sparse=0.0,
            scale=2,
        ),
    ),
)


def catalogue() -> Mapping[str, Entry]:
    """List generators and presets by name (sizes in ``about`` hold for seed 1)."""
    return MappingProxyType({entry.name: entry for entry in _ENTRIES})


def generate(
    name: str, *, nodes: int | None = None, groups: int | None = None, seed: int = 1
) -> Instance:
    """Draw an instance; equal arguments give equal instances.

    Parameters
    ----------
    name : a generator or a preset of ``catalogue()``.
    nodes : size of the cluster, rounded to whole racks (16 nodes in ``training``, ``victims``,
        ``storm`` and ``urgent-rack``, 32 in
        ``training-5k`` and ``vectors``, 18 in ``racks``, 4 in ``mig`` and ``models``, 8 in
        ``aligned``, 20 in ``aligned-1k``, 9 in ``fabric``). Default: that of the entry.
    groups : gangs that wait. Default: that of the entry; else ``training`` has 60 for 128 nodes,
        and the others draw gangs until the load is reached. When given, exactly
        so many are drawn, whatever the load.
    seed : of numpy's default generator.

    Raises
    ------
    InputError : unknown name, or a size or seed that makes no sense.
    """
    entry = catalogue().get(name)
    if entry is None:
        raise _refused(name, "name", f"no such generator: one of {', '.join(catalogue())}")
    for field, number, floor in (("nodes", nodes, 1), ("groups", groups, 0), ("seed", seed, 0)):
        if number is not None and number < floor:
            raise _refused(name, field, f"{number} is below {floor}")
    parameters = entry.parameters
    if nodes is not None:
        parameters = replace(parameters, nodes=nodes)
    if groups is not None:
        parameters = replace(parameters, groups=groups)
    draft = parameters.draw(seed)
    return with_work(instance_of(draft, entry.generator), draft, entry.generator)


def _refused(name: str, field: str, message: str) -> InputError:
    return InputError([Fault("", f"generator {name}", field, message)])
