"""The page: what a browser shows of a served cluster.

What belongs here: the files of the page (HTML, CSS and native ES modules, as they are written) and
the table of them, with types, hashes and compressed bytes. What does not belong here: HTTP, which
is the server's, and any knowledge of a cluster in Python. The page uses the public API alone: the
Kubernetes API and ``/kubestage/v1``.
"""
