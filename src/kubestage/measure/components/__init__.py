"""The components of a cluster: what they use, what they say of themselves, whether they are well.

Here belong the measurements that ask components (their usage, metrics and profiles) and those that
watch over nodes, system pods and kills for want of memory. What the API server's metrics say of
calls is in ``api_calls``, what a Prometheus says in ``prometheus``.
"""
