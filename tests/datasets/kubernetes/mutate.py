"""Valid manifests, and ways to spoil them; all of it follows from a seeded generator."""

import copy
import json
import random
from typing import Any

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"

RICH_POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "a-0",
        "namespace": "ml",
        "labels": {"app": "x"},
        "annotations": {"gangplan.io/required-topology": "rack"},
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "ownerReferences": [{"kind": "Job", "name": "j", "controller": True}],
    },
    "spec": {
        "nodeName": "n1",
        "nodeSelector": {"zone": "a"},
        "hostNetwork": True,
        "os": {"name": "linux"},
        "priority": 5,
        "schedulingGroup": {"podGroupName": "g"},
        "schedulingGates": [{"name": "x"}],
        "overhead": {"cpu": "10m"},
        "resources": {"requests": {"cpu": "2"}, "limits": {"memory": "1Gi"}},
        "containers": [
            {
                "name": "main",
                "ports": [{"containerPort": 80, "hostPort": 80}],
                "resources": {"requests": {"cpu": "0.1", "memory": "129e6"}, "limits": {"cpu": 1}},
                "restartPolicyRules": [{"action": "RestartAllContainers"}],
            }
        ],
        "initContainers": [{"name": "i", "restartPolicy": "Always", "resources": {}}],
        "affinity": {
            "nodeAffinity": {
                REQUIRED: {
                    "nodeSelectorTerms": [
                        {
                            "matchExpressions": [{"key": "m", "operator": "Gt", "values": ["5"]}],
                            "matchFields": [
                                {"key": "metadata.name", "operator": "In", "values": ["n1"]}
                            ],
                        }
                    ]
                }
            },
            "podAntiAffinity": {
                REQUIRED: [
                    {
                        "topologyKey": "zone",
                        "labelSelector": {"matchLabels": {"app": "x"}},
                        "matchLabelKeys": ["app"],
                        "namespaces": ["ml"],
                        "namespaceSelector": {},
                    }
                ]
            },
        },
        "tolerations": [{"key": "k", "operator": "Lt", "value": "5", "effect": "NoExecute"}],
        "topologySpreadConstraints": [{"topologyKey": "zone", "maxSkew": 1}],
        "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}],
        "resourceClaims": [{"name": "c", "resourceClaimName": "x"}],
    },
    "status": {
        "phase": "Running",
        "conditions": [{"type": "PodResizePending", "reason": "Infeasible"}],
        "allocatedResources": {"cpu": "1"},
        "containerStatuses": [
            {"name": "main", "allocatedResources": {"cpu": "1"}, "resources": {"requests": {}}}
        ],
        "nodeAllocatableResourceClaimStatuses": [
            {"containers": ["main"], "mapping": [{"name": "cpu", "quantity": "1"}]}
        ],
    },
}

RICH_NODE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1", "labels": {"zone": "a"}},
    "spec": {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}], "unschedulable": True},
    "status": {
        "allocatable": {"cpu": "4", "memory": "1Gi", "pods": "10"},
        "conditions": [{"type": "Ready", "status": "True"}],
    },
}

PRIORITY_CLASS: dict[str, Any] = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "high"},
    "value": 5,
}

NUMBERS: list[Any] = [None, True, False, 0, -1, 2**31, 2**63, 2**70, 10**30]
TEXTS = [
    "",
    "x",
    "5",
    "1e999999",
    "-1Gi",
    "NaN",
    "\ud800",
    "\0",
    "a" * 5000,
    "a/b",
    "\n",
    "٣",
    "1.",
]
TIMES = ["2026-13-01", "9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+23:59"]
SHAPES: list[Any] = [
    [],
    [None],
    [[]],
    [{}],
    ["x"],
    [5],
    {},
    {"": ""},
    {"x": None},
    {"a": {"b": []}},
]
ODD: list[Any] = [*NUMBERS, *TEXTS, *TIMES, *SHAPES]
SCRAPS = [b"{", b"]", b'"', b"---\n", b"&a ", b"*a ", b"<<: ", b"!!x "]


def manifest(rng: random.Random) -> dict[str, Any]:
    """A valid List of one object of each kind, spoiled in one to four places."""
    objects = [copy.deepcopy(obj) for obj in (RICH_POD, RICH_NODE, PRIORITY_CLASS)]
    whole: dict[str, Any] = {"apiVersion": "v1", "items": objects, "kind": "List"}
    for _ in range(rng.randint(1, 4)):
        _spoil(whole, rng)
    return whole


def _spoil(whole: dict[str, Any], rng: random.Random) -> None:
    place: Any = whole
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = rng.choice(keys)
        inner = place[key]
        if not isinstance(inner, (dict, list)) or not inner or rng.random() < 0.15:
            break
        place = inner
    match rng.randrange(5):
        case 0:
            del place[key]
        case 1 if isinstance(place, dict) and isinstance(key, str):
            place[key[: len(key) // 2] + rng.choice("xZ-. ")] = place.pop(key)
        case 2 if isinstance(inner, str) and inner:
            at = rng.randrange(len(inner))
            place[key] = inner[:at] + rng.choice("0m. \n-é{") + inner[at + 1 :]
        case 3 if isinstance(place, list):
            place.append(copy.deepcopy(rng.choice(place)))
        case _:
            place[key] = copy.deepcopy(rng.choice(ODD))


def spoiled_bytes(rng: random.Random) -> bytes:
    """The text of a manifest, with some of its bytes changed, cut or repeated."""
    text = json.dumps(manifest(rng), indent=rng.choice([None, 2]))
    data = bytearray(text.encode())
    for _ in range(rng.randint(0, 3)):
        at = rng.randrange(len(data))
        match rng.randrange(4):
            case 0:
                data[at] = rng.randrange(256)
            case 1:
                del data[at : at + rng.randint(1, 40)]
            case 2:
                data[at:at] = data[at : at + rng.randint(1, 40)]
            case _:
                data[at:at] = rng.choice(
                    [b"{", b"]", b'"', b"---\n", b"&a ", b"*a ", b"<<: ", b"!!x "]
                )
        if not data:
            break
    return bytes(data)
