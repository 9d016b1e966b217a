"""Audit logs of kube-apiserver: which requests changed the cluster, when, and who sent them.

`log` reads lines and keeps what changed something; `requests` turns each into a change.
"""
