"""CEL as Kubernetes extends it, by way of the optional library `cel-expr-python`.

Here belong what Kubernetes adds to the language and whether an expression is one; running
expressions belongs to those who have something to ask. The library is loaded with the first
expression.
"""
