"""Measurements: what is watched while a load runs, and what is said of it at the end.

Here belong the contract of a measurement, the registry that names them all, the measurements
themselves, the percentiles they take and the summaries they write. A measurement hears of the
cluster through the port (kubestage.cluster.access) alone, so it works on a stage and on a real
cluster. When it starts and gathers is said by a load, of which nothing here knows.
"""
