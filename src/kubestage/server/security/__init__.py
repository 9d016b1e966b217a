"""Who may come in, and how much they may ask for.

Belongs here: the check of hosts and tokens, certificates, the kubeconfig, limits on what one
request or all together may take. Not here: what a request means. Everything is decided from the
head of a request; nothing of the store is read but how much it holds.
"""
