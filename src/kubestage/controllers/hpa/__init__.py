"""The HorizontalPodAutoscaler, autoscaling/v2, as kube-controller-manager v1.36 has it.

`reconcile` has one sync of one autoscaler, pure and driven by a caller with a clock, a target and
metrics; the other modules are its parts. `loop` drives it from the store and the metrics board.
How pods come and go, and where usage comes from, is none of its business.
"""
