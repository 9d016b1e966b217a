"""DaemonSets: one pod on every node that will have it.

Here belongs what kube-controller-manager's DaemonSet loop does: which nodes are to have a pod and
what that pod looks like (`placement`), how a set stands on each node (`fleet`), which pods are made
and ended for that (`management`), the step by step to a new template (`rolling`), and the set's
revisions (`revisions`). Here does not belong how pods get to their nodes: the scheduler puts them
there, for they ask for nothing else.
"""
