"""What Kubernetes adds to CEL about lists."""

from __future__ import annotations

import itertools
from typing import Any

from kubestage.objects.cel import environments


def declared() -> list[Any]:
    """The functions, declared so that they can be called."""
    library = environments.library()
    types = library.Type
    items = types.List(types.DYN)
    found = []
    for name, result, call in (
        ("sum", types.DYN, sum),
        ("min", types.DYN, min),
        ("max", types.DYN, max),
        ("isSorted", types.BOOL, _is_sorted),
    ):
        overload = library.Overload(f"list_{name}", result, [items], True, call)
        found.append(library.FunctionDecl(name, [overload]))
    return found


def _is_sorted(items: list[Any]) -> bool:
    return all(one <= other for one, other in itertools.pairwise(items))
