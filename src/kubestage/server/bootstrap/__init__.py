"""What kube-apiserver makes in a cluster before its first client comes.

Here are the objects as facts and tables, and how they are put on a stage that is served: on a new
one, on one that an earlier process left, and again after a Scenario. Loops that go on with them,
such as that of service accounts, are in `kubestage.controllers`.
"""
