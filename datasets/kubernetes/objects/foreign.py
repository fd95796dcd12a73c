"""Pods that say, by label or annotation, that another scheduler's rules bind them.

Their group's minimum is not known here; placed as loose pods, the gang would be broken. So they
are held as having an unsupported field.
"""

from collections.abc import Mapping

LABELS = (
    "scheduling.x-k8s.io/pod-group",
    "pod-group.scheduling.sigs.k8s.io",
    "kueue.x-k8s.io/pod-group-name",
)
"""scheduler-plugins (now and its older name), Kueue's plain pod groups."""

ANNOTATIONS = (
    "scheduling.k8s.io/group-name",
    "scheduling.volcano.sh/group-name",
    "pod-group-name",
    "gpu-fraction",
    "gpu-memory",
)
"""Volcano (two names); KAI's group, and the parts of a GPU that it hands out itself."""


def bonds(labels: Mapping[str, object], annotations: Mapping[str, object]) -> list[str]:
    """Give the paths of the labels and annotations by which a foreign API binds a pod."""
    return [f"metadata.labels[{key}]" for key in LABELS if labels.get(key)] + [
        f"metadata.annotations[{key}]" for key in ANNOTATIONS if annotations.get(key)
    ]
