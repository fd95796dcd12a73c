"""A real Kubernetes control plane on loopback, from etcd to KWOK."""
