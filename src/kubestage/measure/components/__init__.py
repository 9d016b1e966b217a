"""The components of a cluster: what they use, what they report, whether they are healthy.

Here belong the measurements that query components (their usage, metrics and profiles) and those
that watch nodes, system pods and OOM kills. Calls by the API server's metrics are in ``api_calls``,
queries of a Prometheus in ``prometheus``.
"""
