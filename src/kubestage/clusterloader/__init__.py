"""ClusterLoader: a load as a value, and its run against a cluster.

Here belong the configuration (steps, phases, tuning sets, measurements) with its templates,
modules, overrides and validation, the schedules that tuning sets make, the reconciliation of
objects, namespaces and chaos, and the run that ties them together. All of it speaks to the
cluster through the port (kubestage.cluster.access), in virtual time or real time. What is
measured belongs to measure; files on disk, flags and progress belong to cli.
"""
