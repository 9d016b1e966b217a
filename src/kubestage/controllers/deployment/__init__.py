"""Moves a Deployment's pods from one template to the next, through ReplicaSets.

`loop` is notified of changes and decides what a sync of a Deployment does; `rollout` is the state
of one sync. `new_replica_set` finds or creates the ReplicaSet of the present template, `strategies`
lets it take over, `scaling` spreads a new size over several ReplicaSets, `rollback`
goes back to an old template, `history` keeps old ReplicaSets within limits, `progress` and `status`
say how far it is. Pods are left to the loop of ReplicaSets.
"""
