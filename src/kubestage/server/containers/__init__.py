"""The inside of a simulated container, for requests: `kubectl exec`, and proxies to its servers.

What a container has and runs is modelled in `kubestage.programs` and run by the kubelet. Here
belongs how requests get there. Not here: what the kubelet does with a container, and its log.
"""
