"""The loops between what people ask for and what runs: kube-controller-manager and the kubelet.

One loop, one file (or folder), named as upstream. A loop is notified of changes by the store,
queues the keys of objects to sync, and changes objects through the store, on the virtual clock.
Here does not belong how pods are placed: the loops and the scheduler never meet but in the store.
"""
