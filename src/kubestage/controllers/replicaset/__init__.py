"""Keeps as many pods of one template as a ReplicaSet asks for.

`loop` is the loop, which ReplicationControllers share; `tally` counts an owner's pods from change
to change, so that a change of one pod costs the same whether there are ten of them or ten
thousand; `ranking` says which pods go first; `status` words what is reported. Which ReplicaSets
there are, and how large, is decided elsewhere.
"""
