"""Writes cluster.json: what ``kubectl get nodes,pods,podgroups,... -o json`` prints of a cluster.

The cluster is made up: 60 nodes of 8 GPUs in 3 blocks x 4 racks x 5 nodes, and 4 CPU nodes. Some
groups run, others wait, each for a reason of its own (see ``groups``). The seed only draws what no
plan depends on (uids, addresses), so the text is the same every time:

    python -m examples.make_cluster > examples/cluster.json
"""
