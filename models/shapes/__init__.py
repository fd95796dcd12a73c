"""What is equal, and what a node can hold: shapes of pods, types of groups, classes of nodes.

Read by the formulations whose columns are whole nodes (patterns) or whole domains (configurations).
"""
