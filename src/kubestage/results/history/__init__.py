"""The whole past of a cluster: every change of its objects, and what is derived from them.

A `ClusterHistory` records a store, and knows what every object was at any recorded moment. Here
also belongs what people look at: marks on a time axis, and pods as slices. Requests and files do
not: `server` and `runs` have them.
"""
