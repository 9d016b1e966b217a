"""The versioned truth: every object of a simulated cluster, and every change made to it.

Here belongs what the API server and its storage do together: the verbs and their exact refusals,
one resourceVersion for everything, lists at a moment, watches that resume, deletion with its
finalizers and owners, namespaces, and the few admission steps that all else relies on.

Here does not belong: what an object means (`objects`), when things happen (`sim`), HTTP, or any
controller beyond the two that make deletion end (garbage collection, namespace purge).

An object is a JSON dict that is replaced and never mutated. What the verbs return *is* the
stored dict, shared with every other reader: do not change it.
"""
