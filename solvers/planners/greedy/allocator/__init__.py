"""An exact allocator for one node: whether claims fit its devices, and which gets which."""
