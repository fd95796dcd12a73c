"""Public traces: the catalogue of what can be read, and where each file is published.

Public files are no part of the project; ``folder.data_folder`` says where they are looked for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gangplan.datasets.traces import folder, knavigator, openb, slurm, topograph
from gangplan.models.errors import Fault, InputError
from gangplan.models.instance import Instance


@dataclass(frozen=True, slots=True)
class Trace:
    """An entry of the catalogue.

    Attributes
    ----------
    name : as in ``gangplan generate NAME``.
    what : one sentence.
    added : what is made up here, because the files do not say it; ``nothing`` where nothing is.
    files : the public files it reads.
    make : (paths of the files, nodes, groups, seed) -> Instance.
    """

    name: str
    what: str
    added: str
    files: tuple[folder.Public, ...]
    make: Callable[[list[Path], int | None, int | None, int], Instance]

    def available(self) -> bool:
        """Tell whether all the public files are there."""
        place = folder.data_folder()
        return place is not None and all((place / file.path).is_file() for file in self.files)


def catalogue() -> tuple[Trace, ...]:
    """List every trace that can be loaded, available or not."""
    return (*_openb(), *_topograph(), *_knavigator(), *_slurm())


def load(
    name: str, *, nodes: int | None = None, groups: int | None = None, seed: int = 1
) -> Instance:
    """Load a trace by its name in the catalogue.

    Parameters
    ----------
    nodes, groups : how many of them; None takes all there are. openb draws them by ``seed``;
        topograph keeps the first nodes and makes up ``groups`` gangs (none by default).

    Raises
    ------
    InputError : an unknown name, a file that is not there or cannot be read, sizes below 1.
    """
    trace = next((trace for trace in catalogue() if trace.name == name), None)
    if trace is None:
        known = ", ".join(trace.name for trace in catalogue())
        raise InputError([Fault("", f"trace {name}", "", f"unknown; there are: {known}")])
    for what, size in (("nodes", nodes), ("groups", groups)):
        if size is not None and size < 1:
            raise InputError([Fault("", f"trace {name}", what, f"{size} is below 1")])
    if seed < 0:
        raise InputError([Fault("", f"trace {name}", "seed", f"{seed} is below 0")])
    return trace.make([folder.require(file) for file in trace.files], nodes, groups, seed)


def _openb() -> list[Trace]:
    def make(paths: list[Path], nodes: int | None, groups: int | None, seed: int) -> Instance:
        return openb.openb(paths[0], paths[1], nodes=nodes, groups=groups, seed=seed)

    traces = []
    for pods in openb.POD_LISTS:
        for nodes in openb.NODE_LISTS:
            name = "openb" + ("" if pods == "default" else f"-{pods}")
            traces.append(
                Trace(
                    name + ("" if nodes == "gpu" else "-all-nodes"),
                    f"Alibaba GPU cluster of 2023, pod list {pods}, "
                    + ("nodes with GPUs" if nodes == "gpu" else "all nodes"),
                    "nothing",
                    (openb.public("node", nodes), openb.public("pod", pods)),
                    make,
                )
            )
    return traces


def _topograph() -> list[Trace]:
    def make(paths: list[Path], nodes: int | None, groups: int | None, seed: int) -> Instance:
        return topograph.topograph(paths[0], nodes=nodes, groups=groups or 0, seed=seed)

    return [
        Trace(
            f"topograph-{model}",
            f"simulated cluster {model} of NVIDIA topograph: switch tree and NVLink domains",
            "8 GPUs a node; the gangs, if any are asked for",
            (topograph.public(model),),
            make,
        )
        for model in topograph.MODELS
    ]


def _knavigator() -> list[Trace]:
    def maker(jobs: tuple[int, ...]) -> Callable[..., Instance]:
        def make(paths: list[Path], nodes: int | None, groups: int | None, seed: int) -> Instance:
            _as_it_stands("knavigator", nodes, groups)
            return knavigator.knavigator(paths[0], jobs)

        return make

    return [
        Trace(
            f"knavigator-{name}",
            f"NVIDIA knavigator network-topology benchmark config-{name} with its jobs "
            f"of {' and '.join(map(str, jobs))} replicas",
            "a preference for one domain at every network level",
            (knavigator.public(name),),
            maker(jobs),
        )
        for name, jobs in knavigator.JOBS.items()
    ]


def _slurm() -> list[Trace]:
    def make(paths: list[Path], nodes: int | None, groups: int | None, seed: int) -> Instance:
        _as_it_stands("slurm", nodes, groups)
        return slurm.slurm(paths[0])

    return [
        Trace(
            f"slurm-{kind}",
            f"Slurm {kind} topology that NVIDIA topograph writes for its model large; no pods",
            "8 GPUs a node",
            (slurm.public(kind),),
            make,
        )
        for kind in slurm.FILES
    ]


def _as_it_stands(family: str, nodes: int | None, groups: int | None) -> None:
    if nodes is not None or groups is not None:
        raise InputError([Fault("", f"trace {family}", "", "is read as it stands, without sizes")])
