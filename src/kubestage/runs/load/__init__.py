"""Loads in the words of ClusterLoader2: planned, run on a stage or on a real cluster, and searched.

`running.run_load` runs tests, `planning.plan_load` shows what they would do, and
`limit.find_limit` searches for the highest load that meets its goals. All of them take the same
`LoadOptions`.
"""
