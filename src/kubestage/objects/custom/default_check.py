"""Whether the defaults that a schema declares would pass the schema themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.objects.cel import budget
from kubestage.objects.custom import defaulting, findings, object_meta, pruning, rule_tree
from kubestage.objects.custom.rule_tree import RuleError
from kubestage.objects.custom.value_check import Check
from kubestage.objects.shape_values import copy_json
from kubestage.objects.validation import field

# NOTE: they need a library.
with lazy.imports():
    from kubestage.objects.custom import cel_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.objects.custom.nodes import Node
    from kubestage.objects.custom.rule_tree import RuleTree
    from kubestage.objects.validation.field import FieldError

Trail = tuple[str | int, ...]

_TYPE: Final = {"kind": "Validation", "apiVersion": "validation/v1"}


def validate(root: Node, path: str) -> list[FieldError]:
    """What is wrong with the defaults of a schema of whole resources."""
    return list(_walk(root, path, root, (), in_meta=False))


def _walk(
    node: Node, path: str, root: Node, trail: Trail, *, in_meta: bool
) -> Iterator[FieldError]:
    if node.is_embedded:
        in_meta, root, trail = False, node, ()
    if node.default is not None:
        check = _in_metadata if in_meta else _plain
        errors = check(node, f"{path}.default", root, trail)
        yield from errors or _rules(node, f"{path}.default", is_root=node is root)
    if node.items is not None:
        where = f"{path}.items"
        yield from _walk(node.items, where, root, (*trail, 0), in_meta=in_meta)
    for name, child in sorted(node.properties.items()):
        inner = in_meta or (node.is_embedded and name in pruning.META)
        where = f"{path}.properties[{name}]"
        yield from _walk(child, where, root, (*trail, name), in_meta=inner)


def _plain(node: Node, path: str, _root: Node, _trail: Trail) -> list[FieldError]:
    errors: list[FieldError] = []
    pruned = copy_json(node.default)
    if pruning.prune(pruned, node):
        errors.append(field.invalid(path, node.default, "must not have unknown fields"))
    value = copy_json(node.default)
    _, problem = object_meta.coerce(value, node, path, is_root=not node.is_embedded)
    if problem is not None:
        return [*errors, problem]
    found = object_meta.validate(value, node, path, is_root=not node.is_embedded)
    return errors + (found or _values(node, path))


def _in_metadata(node: Node, path: str, root: Node, trail: Trail) -> list[FieldError]:
    holder: Any = defaulting.surround(copy_json(node.default), trail)
    holder = {**_TYPE, **holder}
    _, problem = object_meta.coerce(holder, root, is_root=False)
    if problem is not None:
        return [field.invalid(path, node.default, f"must result in valid metadata: {problem}")]
    found = object_meta.validate(holder, root, "", is_root=False)
    if found:
        shown = str(found[0]) if len(found) == 1 else f"[{', '.join(map(str, found))}]"
        return [field.invalid(path, node.default, f"must result in valid metadata: {shown}")]
    return _values(node, path)


def _values(node: Node, path: str) -> list[FieldError]:
    found = Check(node.raw).validate(node.default, "").found
    return findings.field_errors(found.values(), path)


def _rules(node: Node, path: str, *, is_root: bool) -> list[FieldError]:
    if not rule_tree.exist(node):
        return []
    try:
        tree = cel_rules.RuleTree(node, is_root=is_root)
    except (RuleError, InputError):
        # Reported where rules are looked at.
        return []
    return _broken(tree, node.default, node.default, path) or _broken(
        tree, node.default, None, path
    )


def _broken(tree: RuleTree, value: Any, old: Any, path: str) -> list[FieldError]:
    return budget.within(
        budget.LIMIT, lambda left: tree.validate(value, old, path, None, None, left)
    )
