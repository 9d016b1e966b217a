"""The kubestage API, ``/kubestage/v1``: what the Kubernetes API has no resource for.

It serves the clock, reset, snapshots, the scheduler's configuration, runs and explanations: one
table of routes (`routes`), one handler each. What objects are and what happens to them is not
decided here, but in the store and the stage.
"""
