"""kube-scheduler v1.36, decision for decision, on columns.

Here belong the configuration and its profiles, the queue, the columns over nodes, the scheduling
cycle, preemption, extenders and the plugin contract (`scheduler.framework`); the plugins
themselves live one a file in `scheduler.plugins`. The scheduler learns of the cluster only
through the store's change stream and answers only through the store.

Here does not belong: what workloads or kubelets do (`controllers`), or how a run is shown.
"""
