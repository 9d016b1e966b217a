"""The node autoscaler: node groups grow for pods that fit nowhere and shrink when nodes idle.

Here belongs what cluster-autoscaler 1.36 decides, and the provider of machines that it calls: a
provider that hands out nodes of a NodeGroup's template after a delay. Whether a pod fits a node is
decided by a scheduler, through `what_if`. `autoscaler.Autoscaler` is one scan, with a provider, a
listing order and chance that are handed to it; `loop.NodeAutoscaler` scans a stage again and again.
"""
