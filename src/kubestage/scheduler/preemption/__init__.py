"""How room is made for a pod that fits nowhere, exactly as the real scheduler makes it.

Here belong the pod that needs it (`preemptor`) and what it asks of a node (`asked`), the search
for nodes (`candidates`, `search`) and the dry runs on them, by arithmetic (`by_amounts`,
`trials`, `onlookers`) or pod by pod (`victims`, `reprieve`), what they came to (`dry_runs`,
`candidate`), what makes a pod worth sparing (`importance`, `budgets`), the choice of the node
(`choice`), carrying it out (`executor`), how others fit beside the pod from then on (`beside`)
and the account of it all (`report`). When to preempt is the DefaultPreemption plugin's business.
"""
