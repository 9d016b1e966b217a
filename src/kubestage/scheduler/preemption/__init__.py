"""Preemption: room is made for a pod that fits nowhere, exactly as the real scheduler does it.

Here belong the pod that needs room (`preemptor`) and what it requests (`requested_amounts`), the
search for nodes (`candidates`, `search`), the dry runs on them, by arithmetic (`by_amounts`,
`trials`, `pod_aware_plugins`) or pod by pod (`victims`, `reprieve`), their results (`dry_runs`,
`candidate`), evicting the victims (`executor`), how other pods fit
besides nominated ones (`nominated_fit`), and what is recorded (`report`). When to preempt is
decided by the DefaultPreemption plugin.
"""
