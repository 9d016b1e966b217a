"""The node lifecycle controller: nodes that fall silent, and what nodes say that they lack.

`loop` hears of nodes, their Leases and their pods. `health` tells when a node is late and what its
conditions become, `zones` how fast the nodes of a zone may be emptied, `node_taints` which taints a
node should have. Here does not belong what taints do to pods: that is `taint_eviction`.
"""
