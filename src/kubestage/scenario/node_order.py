"""The order in which the nodes of one step come to a cluster: by name, not as they were written.

What happens in a step happens at the same time, so the order in which its nodes are written must
not matter. It would: a scheduler goes round the nodes in the order in which it received them, and
stops when it has found enough.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeVar

from kubestage.golang import integers
from kubestage.objects import gvk
from kubestage.scenario.resource import CREATE, DELETE, PATCH

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.aliases import Json
    from kubestage.scenario.resource import Event

T = TypeVar("T")

_NUMBERS: Final = re.compile(r"(\d+)")


def natural(name: str) -> tuple[tuple[str | int, ...], str]:
    """What names are ordered by: n2 before n10."""
    parts = enumerate(_NUMBERS.split(name))
    return tuple(integers.parse(part) if at % 2 else part for at, part in parts), name


def canonical(events: Sequence[Event]) -> Sequence[Event]:
    """The events of a step, those that are about nodes in the order of the nodes' names.

    They keep to the places that such events have in the step. All that happens to one node happens
    in the order in which it was written.
    """
    return reordered(events, _node_of)


def reordered(items: Sequence[T], node_of: Callable[[T], str | None]) -> Sequence[T]:
    """Items of which those that are about a node stand in the order of the nodes' names."""
    named = [(natural(node), item) for item in items if (node := node_of(item)) is not None]
    ordered = iter(sorted(named, key=lambda each: each[0]))
    return [item if node_of(item) is None else next(ordered)[1] for item in items]


def name_of(obj: Json) -> str | None:
    """The name of a node, or what its name is made from; None of anything else."""
    metadata = obj.get("metadata")
    if (obj.get("apiVersion"), obj.get("kind")) != gvk.NODE or not isinstance(metadata, dict):
        return None
    return str(metadata.get("name") or metadata.get("generateName") or "")


def _node_of(event: Event) -> str | None:
    body = event.body
    if event.operation == CREATE:
        obj = body.get("object")
        return name_of(obj) if isinstance(obj, dict) else None
    if event.operation in (PATCH, DELETE):
        return name_of({**(body.get("typeMeta") or {}), "metadata": body.get("objectMeta")})
    return None
