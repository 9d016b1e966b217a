"""The kinds of the API, one module a kind, and the table that finds them.

A module declares one `KIND`: its names, and a `Behavior` with everything that the API does to its
objects. Names are read from ``index.txt``, so that no module of a kind is loaded before an object
of that kind is treated; ``tools/kind_index.py`` writes the index from the modules.
"""

from kubestage.objects.kinds.kind import Kind
from kubestage.objects.kinds.table import BUILT_IN, KindTable, built_in, stored

__all__ = ["BUILT_IN", "Kind", "KindTable", "built_in", "stored"]
