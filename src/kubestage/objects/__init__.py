"""The Kubernetes vocabulary, exact to v1.36.

Here belongs what an API object *is*: its kind and shape, its quantities, selectors and
tolerations, the defaults it gets, the rules it must keep, how patches change it, how it is
printed, and the frozen views that logic reads. Everything is pure: objects in, objects out.

Here does not belong: who holds the objects (`store`), when things happen (`sim`), or what a
controller or scheduler decides.
"""
