"""Keeps as many pods of one template as a ReplicaSet requests.

`loop` is the loop, which ReplicationControllers share; `counter` counts an owner's pods from change
to change, so that a change of one pod costs the same whether there are ten of them or ten thousand;
`ranking` decides which pods go first; `status` computes what is reported. Which ReplicaSets there
are, and how large, is decided elsewhere.
"""
