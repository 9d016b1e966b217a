"""What is wrong with an object in a file whose definition comes with kubestage, for people."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from kubestage.errors import ApiError, InputError
from kubestage.objects.custom import pruning, rows
from kubestage.objects.shape_values import copy_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.custom.nodes import Node
    from kubestage.objects.kinds import Kind

_NEAR: Final = 0.7
_OBJECT: Final = "<nil>"


def unknown_fields(obj: Json, kind: Kind) -> list[tuple[str, str, str | None]]:
    """Path and name of each field that the definition lacks, and the likely fix.

    The server would drop them: a misspelt field would be without effect, and go unnoticed.
    """
    if kind.definition is not None or not rows.are_custom(kind):
        return []
    node = rows.compiled(kind).node
    content = {name: value for name, value in obj.items() if name != "metadata"}
    found = []
    for path in pruning.prune(copy_json(content), node):
        parent, _, name = path.rpartition(".")
        found.append((path, name, _suggested(name, _at(node, parent))))
    return found


def broken_rules(obj: Json, kind: Kind) -> Iterator[InputError]:
    """What the definition forbids: its schema, and its rules if the schema is kept."""
    instances = rows.compiled(kind)
    try:
        shaped, _ = instances.read(obj)
    except ApiError as error:
        yield InputError(str(error))
        return
    shaped.setdefault("metadata", {})
    for broken in instances.validate_create(shaped):
        if broken.field == _OBJECT:
            continue  # It says that rules wait for the other errors.
        yield InputError(broken.body, path=broken.field)


def _at(node: Node, path: str) -> Node | None:
    """The schema at a path."""
    found: Node | None = node
    for step in path.split(".") if path else ():
        name, *indices = step.split("[")
        found = found.field(name) if found is not None else None
        for _ in indices:
            found = found.items if found is not None else None
    return found


def _suggested(name: str, node: Node | None) -> str | None:
    by_lower = {} if node is None else {each.lower(): each for each in node.properties}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=_NEAR)
    return f"did you mean {by_lower[near[0]]}?" if near else None
