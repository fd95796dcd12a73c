"""The groups of the cluster: those that run, and those that wait, each for a reason of its own."""

from examples.make_cluster.objects import BLOCK, CLASSES, RACK, Cluster, ask

NVLINK = "topology.example.com/nvlink-domain"  # a label that no node carries yet


def running(made: Cluster) -> None:
    """Add groups that run: they hold room, and where a group also waits, they count."""
    made.group("pretrain-a", "ml", minimum=12, level=BLOCK, minutes=700, standing=True)
    held = [*_named(0, 0, "01234"), *_named(0, 1, "01234"), *_named(0, 2, "0123")]
    made.running("pretrain-a", "ml", 8, held, klass="training")
    made.group("finetune-a", "ml", minimum=4, level=RACK, minutes=650, standing=True)
    made.running("finetune-a", "ml", 4, _named(1, 0, "0123"), klass="training")
    made.group("chat", "serve", klass="serving", minutes=640, standing=True)
    chat = [*_named(1, 1, "0123"), *_named(2, 0, "01"), *_named(2, 2, "4")]
    made.running("chat", "serve", 1, chat, klass="serving")
    made.group("sweep", "lab", minimum=3, klass="research", minutes=620, standing=True)
    sweep = [*_named(1, 1, "4"), *_named(1, 2, "0"), *_named(2, 3, "0")]
    made.running("sweep", "lab", 2, sweep, klass="research")
    for i, node in enumerate([*_named(1, 3, "0"), *_named(2, 1, "2")]):
        made.pod(
            f"notebook-run-{i}", "lab", ask(1), node=node, owner=("Job", "notebook"), minutes=90
        )
    # Being deleted: holds its GPUs until it is gone.
    made.pod(
        "eval-old-0",
        "lab",
        ask(8),
        node="b2-r1-n0",
        owner=("Job", "eval-old"),
        minutes=900,
        leaving=True,
    )


def tree(made: Cluster) -> None:
    """Two of three parts must come together in one block, each part in one rack."""
    made.add(
        "scheduling.k8s.io/v1alpha3",
        "CompositePodGroup",
        "llm",
        "serve",
        25,
        spec={
            "disruptionMode": {"all": {}},
            "priority": CLASSES["serving"],
            "priorityClassName": "serving",
            "schedulingConstraints": {"topology": [{"key": BLOCK}]},
            "schedulingPolicy": {"gang": {"minGroupCount": 2}},
            "workloadRef": {"templateName": "llm", "workloadName": "llm"},
        },
        status={"conditions": [{"status": "False", "type": "CompositePodGroupInitiallyScheduled"}]},
    )
    for name, count, gpus in (("llm-prefill", 2, 8), ("llm-decode", 4, 4), ("llm-draft", 2, 2)):
        made.group(
            name, "serve", minimum=count, klass="serving", level=RACK, parent="llm", minutes=25
        )
        made.waiting(name, "serve", count, gpus, klass="serving", minutes=25)


def training(made: Cluster) -> None:
    """Add WAITING groups: rack-bound, block-bound, close if possible, elastic, roles, and one too big."""
    for name, minutes in (
        ("finetune-b", 50),
        ("finetune-c", 45),
        ("finetune-d", 40),
        ("finetune-e", 35),
    ):
        made.group(name, "ml", minimum=4, level=RACK, minutes=minutes)
        made.waiting(name, "ml", 4, 8, klass="training", minutes=minutes)
    made.group("pretrain-b", "ml", minimum=12, level=BLOCK, minutes=55)
    made.waiting("pretrain-b", "ml", 12, 8, klass="training", minutes=55)
    made.group("distill", "ml", minimum=6, annotations={"gangplan.io/preferred-topology": RACK})
    made.waiting("distill", "ml", 6, 4, klass="training")
    made.group("rl", "ml", minimum=5, annotations={"gangplan.io/role-minimum": "learner=1,actor=4"})
    made.waiting("rl", "ml", 1, 4, role="learner", klass="training")
    made.waiting("rl", "ml", 6, 0, role="actor", klass="training")
    # Six nodes of one rack: a rack has five.
    made.group("huge", "ml", minimum=6, level=RACK, minutes=500)
    made.waiting("huge", "ml", 6, 8, klass="training", minutes=500)
    # Waits for a node label that is not there.
    made.group("nvlink", "ml", minimum=2, level=NVLINK, minutes=20)
    made.waiting("nvlink", "ml", 2, 8, klass="training", minutes=20)


def research(made: Cluster) -> None:
    """Add WAITING groups: slices, growth of a running group, basic group, single pods, and what must wait."""
    slices = {"gangplan.io/slice-size": "4", "gangplan.io/slice-required-topology": RACK}
    made.group("moe", "lab", minimum=8, klass="research", annotations=slices)
    made.waiting("moe", "lab", 8, 2)
    made.group("elastic", "lab", minimum=4, klass="research")
    made.waiting("elastic", "lab", 10, 2)
    for i in range(3, 6):  # "sweep" runs with its minimum of three; these three come on top
        made.pod(f"sweep-{i}", "lab", ask(2), group="sweep", minutes=15)
    made.group("eval", "lab", klass="research")
    made.waiting("eval", "lab", 5, 1)
    for i in range(3):
        made.pod(f"notebook-{i}", "lab", ask(1), owner=("Job", "notebook"), minutes=10 + i)
    made.pod("export-0", "lab", ask(0), owner=("Job", "export"), minutes=5)
    # Its PodGroup does not exist (yet).
    for i in range(2):
        made.pod(f"ghost-{i}", "lab", ask(4), group="ghost", minutes=8)
    # One of two members is behind a scheduling gate.
    made.group("gated", "lab", minimum=2, klass="research")
    made.waiting("gated", "lab", 1, 1)
    made.pod(
        "gated-1", "lab", ask(1), group="gated", schedulingGates=[{"name": "example.com/quota"}]
    )
    # A rule that gangplan does not honour yet.
    made.group("ports", "lab", minimum=2, klass="research")
    made.waiting("ports", "lab", 2, 1, ports=[{"containerPort": 8080, "hostPort": 8080}])


def _named(block: int, rack: int, numbers: str) -> list[str]:
    return [f"b{block}-r{rack}-n{number}" for number in numbers]
