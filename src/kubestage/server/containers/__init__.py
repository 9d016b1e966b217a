"""The inside of a simulated container: what can be known of it without running anything.

Belongs here: its environment, the files of its volumes, the few commands that can be answered from
both, and the channels of `kubectl exec`. Not here: what the kubelet does with a
container, and its log. Everything is read from the store at the moment of the request.
"""
