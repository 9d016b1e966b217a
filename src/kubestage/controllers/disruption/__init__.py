"""The disruption controller: how many pods of a PodDisruptionBudget may go now.

`loop` handles pods and budgets. `budget_pods` counts the pods of every budget as they change, so
that a sync of a budget costs the same for ten pods as for ten thousand; `scales` finds how many
pods there should be, `budget_status` what follows for the status. Evictions themselves are the
store's.
"""
