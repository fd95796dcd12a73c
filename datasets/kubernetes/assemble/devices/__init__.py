"""Objects of resource.k8s.io -> devices and claims of an Instance, one question a module."""
