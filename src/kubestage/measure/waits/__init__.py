"""Measurements that wait: until pods run, jobs are finished, volumes are bound, nodes are there.

Here belongs what holds a step up until the cluster is as a test wants it, and says what is amiss
if it never is. How long things took is for latencies to say.
"""
