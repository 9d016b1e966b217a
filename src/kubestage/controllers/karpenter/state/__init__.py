"""What Karpenter knows of the cluster: nodes with their NodeClaims, pods, budgets, volumes.

Here belong facts and sums over objects. What follows from them belongs to `scheduling` and
`disruption`.
"""
