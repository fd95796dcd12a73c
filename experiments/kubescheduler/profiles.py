"""How kube-scheduler is set up: the parts of KubeSchedulerConfiguration that differ."""

PROFILES = {
    "default": "",
    "packed": """\
profiles:
  - schedulerName: default-scheduler
    plugins:
      score:
        disabled:
          - name: NodeResourcesBalancedAllocation
          - name: PodTopologySpread
    pluginConfig:
      - name: NodeResourcesFit
        args:
          scoringStrategy:
            type: MostAllocated
            resources:
              - {name: nvidia.com/gpu, weight: 10}
              - {name: cpu, weight: 1}
              - {name: memory, weight: 1}
""",
}
"""By name: as it comes (it spreads), and as an operator of GPUs sets it (it fills nodes)."""
