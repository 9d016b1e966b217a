"""One simulation of scheduling: which pods go to which nodes, and what new nodes they need.

Here belong the queue, preferences, topology, volumes, DaemonSets, existing and new nodes, limits,
reservations and the reasons why a pod fits nowhere. Provisioning and disruption both ask it;
what is done about the answer belongs to them.
"""
