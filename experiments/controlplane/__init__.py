"""A real Kubernetes control plane on this machine, as processes; ``make cluster`` builds it."""
