"""Brings a Deployment's pods from one template to the next, through ReplicaSets.

`loop` hears of changes and decides what a look at a Deployment is about; `rollout` is one such
look. `new_replica_set` finds or makes the ReplicaSet of the present template, `rolling` and
`recreate` let it take over, `scaling` spreads a new size over several ReplicaSets, `rollback`
goes back to an old template, `history` keeps old ReplicaSets within limits, `progress` and
`status` say how far it is. Pods are left to the loop of ReplicaSets.
"""
