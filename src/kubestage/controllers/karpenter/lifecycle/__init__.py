"""Karpenter at work on a stage: its loops on the virtual clock, and what they write to the store.

Here belongs when something is decided and what follows from it: NodeClaims from launch to
termination, draining, the states of NodePools, passes of the provisioner, rounds of disruption and
the commands that they lead to. What is decided belongs to `scheduling` and `disruption`.
"""
