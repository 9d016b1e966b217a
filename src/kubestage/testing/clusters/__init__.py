"""Clusters for tests: made in milliseconds, moved through virtual time, broken on purpose.

What the pytest plugin's fixtures hand out lives here, and needs no pytest: `Cluster` is in this
process, `ClusterServer` the same behind HTTP, `ClusterFactory` makes both. Here belongs what a test
says to a cluster: time, faults, expectations, and what is written when a test fails. Not here: how
a cluster works.
"""
