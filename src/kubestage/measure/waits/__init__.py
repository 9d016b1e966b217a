"""Measurements that wait: until pods run, jobs are finished, volumes are bound, nodes are there.

Here belongs what delays a step until the cluster is as a test requires it, and reports what is
wrong if it never is. How long things took belongs to latencies.
"""
