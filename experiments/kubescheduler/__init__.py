"""The real kube-scheduler as a peer: an instance loaded into a control plane, and what it did."""
