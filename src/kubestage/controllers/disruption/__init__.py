"""The disruption controller: how many pods of a PodDisruptionBudget may go now.

`loop` hears of pods and budgets. `tallies` counts the pods of every budget as they change, so that
a look at a budget costs the same for ten pods as for ten thousand; `scales` tells how many pods
there should be, `budget_status` what follows for the status. Evictions themselves are the store's.
"""
