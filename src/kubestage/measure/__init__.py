"""Measurements: what is observed while a load runs, and reported at the end.

Here belong the contract of a measurement, the registry that names them all, the measurements
themselves, the percentiles they take and the summaries they write. A measurement sees the
cluster only through the port (kubestage.cluster.access), so it works on a stage and on a real
cluster. A load decides when it starts and gathers; nothing here knows of loads.
"""
