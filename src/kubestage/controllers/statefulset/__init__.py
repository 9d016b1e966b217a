"""StatefulSets: pods with names of their own, made and ended in order, each with its claims.

Here belongs what kube-controller-manager's StatefulSet loop does: who a pod is (`identity`), its
claims and who owns them (`claims`), the revisions of a set (`revisions`), what the set has and
lacks (`members`), and what is done about that (`update`). Here does not belong how claims are
bound, nor how pods run.
"""
