"""Attempts at pods of a template whose nodes were looked at before.

Most pods of a cluster are one of many alike, and ask for nothing that depends on other pods but
room. For such a template all verdicts and scores are kept, one number a node; when a pod is placed,
one row is worked out anew. An attempt is then a search for the best of the nodes in turn.

Here belong what is kept for a template, when it may be used, and the two kernels that work on it,
each beside its plain twin. What a plugin says is said by the plugin: the first attempts at a
template are ordinary ones, and whatever is not known to be safe stays ordinary.
"""
