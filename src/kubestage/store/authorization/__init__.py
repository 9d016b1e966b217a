"""Who may do what: the modes of kube-apiserver's ``--authorization-mode``.

Here are decisions, their reasons, and the text of a refusal; they depend on the objects of a store.
Who asks, and how a request becomes a question, is the server's.
"""
