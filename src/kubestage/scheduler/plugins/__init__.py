"""The plugins of the real scheduler, one a file, each named as upstream names it.

Here belongs what one plugin decides, as arrays over nodes, and the arithmetic that several
plugins share (`normalize`, `resource_scoring`). Here does not belong the order in which plugins
run, or how their answers are put together. A class with `is_static` filters by the pod's template
and the node alone, so that the answer can be reused for all pods of the template (`quick`).
"""
