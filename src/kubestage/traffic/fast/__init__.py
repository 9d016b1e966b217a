"""Requests worked through in bulk: the same records as movement by movement, many times as fast.

All that is known of requests and replicas is in a few flat arrays (`layout`). The kernel (`kernel`
and what it is made of: `heaps`, `sharing`, `queueing`, `skenario`, `serving`) is plain Python that
works on lists and, compiled (`compiled`), on arrays. `engine` feeds it and takes its results.
"""
