"""Custom resources as a server that has only their definition treats them.

Belongs here: whether a CustomResourceDefinition is a good one, and what its schema does to the
objects that it defines: unknown fields go, defaults come, values and rules are validated. In the
words and the order of the API server. Not here: names that are taken and the conditions of a
definition, which need other objects (`store.definitions`).

A schema is compiled once for each version of a definition (`instances.of`).
"""
