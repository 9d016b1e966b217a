"""How room is made for a pod that fits nowhere, exactly as the real scheduler makes it.

Here belong the pod that needs it (`preemptor`), the dry run (`candidates`, `by_amounts`,
`victims`, `reprieve`) and what it came to (`dry_runs`), what makes a pod worth sparing
(`importance`, `budgets`), the choice of the node (`choice`), carrying it out (`executor`) and the
account of it all (`report`). When to preempt is the DefaultPreemption plugin's business.
"""
