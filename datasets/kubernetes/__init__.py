"""From Kubernetes API objects to an instance."""
