"""The node lifecycle controller: unreachable nodes, and nodes that report a shortage.

`loop` handles nodes, their Leases and their pods. `health` decides when a node is late and what its
conditions become, `zones` how fast the nodes of a zone may be emptied, `node_taints` which taints a
node should have. Here does not belong what taints do to pods: that is `taint_eviction`.
"""
