"""Jobs: pods that run to their end, counted exactly once each.

Here belongs everything that the loop of Jobs decides: how many pods run (`replicas`), which
completion indexes are done or lost (`intervals`, `indexes`), what a failure means (`backoff`,
`failure_policy`), when a Job is over (`ending`, `success_policy`), and the bookkeeping by which a
pod is counted before its finalizer goes (`tracking`, `status`). `loop` handles changes and ties
the parts together. What makes Jobs out of schedules, and what removes old ones, is elsewhere.
"""
