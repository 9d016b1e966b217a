"""JSON Patch (RFC 6902) with the habits and error texts of the library that the server uses.

Habits beyond the RFC: negative indices count from the end, `replace` creates a missing member,
`copy` of a missing member makes a null, and an operation without `value` means null.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import msgspec

from kubestage.golang import integers
from kubestage.objects import nesting
from kubestage.objects.patches import failure, ordering
from kubestage.objects.patches.failure import PatchError

_MISSING: Final = "missing value"
_BAD_INDEX: Final = "invalid index referenced"
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_WIDEST: Final = 2**63
# What all copies of one patch may come to, in bytes of JSON.
_COPIED_LIMIT: Final = 3 << 20

_ABSENT: Final = object()
_JSON_TYPES: Final = {str: "string", bool: "bool", int: "number", float: "number", list: "array"}

Container = dict[str, Any] | list[Any]
Operation = dict[str, Any]
# What an operation does to the container that holds the member which its path names.
Edit = Callable[[Container, str], Container]


def apply(original: Any, patch: Any) -> Any:
    """The original after all operations; it is left as it was if one of them fails."""
    document, copied = original, 0
    for operation in _operations(patch):
        kind = operation.get("op")
        perform = _KINDS.get(kind) if isinstance(kind, str) else None
        if perform is None:
            named = kind if isinstance(kind, str) else "unknown"
            raise PatchError(f"Unexpected kind: {named}")
        if kind == "copy":
            copied = _check_copied(document, operation, copied)
        document = perform(document, operation)
    return document


def _check_copied(document: Any, operation: Operation, copied: int) -> int:
    """How much has been copied with this operation; copies of copies grow without end."""
    copied += len(msgspec.json.encode(_copied(document, operation)))
    if copied > _COPIED_LIMIT:
        raise PatchError(
            "Unable to complete the copy, the accumulated size increase of copy is "
            f"{copied}, exceeding the limit {_COPIED_LIMIT}"
        )
    return copied


def _operations(patch: Any) -> list[Operation]:
    if patch is None:
        return []
    if not isinstance(patch, list):
        raise _cannot_unmarshal(patch, "jsonpatch.Patch")
    for operation in patch:
        if operation is not None and not isinstance(operation, dict):
            raise _cannot_unmarshal(operation, "jsonpatch.Operation")
    return [operation or {} for operation in patch]


def _cannot_unmarshal(value: Any, into: str) -> PatchError:
    found = _JSON_TYPES.get(type(value), "object")
    return PatchError(f"json: cannot unmarshal {found} into Go value of type {into}")


def _pointer(operation: Operation, field: str, otherwise: str) -> str:
    """The path of an operation; each kind of operation has its own complaint without one."""
    pointer = operation.get(field)
    if isinstance(pointer, str):
        return pointer
    if not otherwise.endswith("%s"):
        raise PatchError(otherwise)
    if pointer is not None:
        raise PatchError(otherwise % _cannot_unmarshal(pointer, "string"))
    wording = "operation missing path field" if field == "path" else "operation, missing from field"
    raise PatchError(otherwise % f"{wording}: {_MISSING}")


def _decode(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~") if "~" in part else part


def _edit(document: Any, pointer: str, missing: str, edit: Edit) -> Any:
    """`document` with the container of the pointed-to member edited, the rest shared."""
    parts = pointer.split("/")[1:]
    if not parts or len(parts) > nesting.DEEPEST:
        raise PatchError(missing)
    return _edit_inside(document, [_decode(part) for part in parts], missing, edit)


def _edit_inside(at: Any, keys: list[str], missing: str, edit: Edit) -> Any:
    if not isinstance(at, (dict, list)):
        raise PatchError(missing)
    if len(keys) == 1:
        return edit(at, keys[0])
    if isinstance(at, dict):
        inner = _edit_inside(at.get(keys[0]), keys[1:], missing, edit)
        return {**at, keys[0]: inner}
    try:
        index = _existing(at, keys[0])
    except PatchError as error:
        raise PatchError(missing) from error
    copy = list(at)
    copy[index] = _edit_inside(at[index], keys[1:], missing, edit)
    return copy


def _index(key: str) -> int:
    if not _INTEGER.fullmatch(key):
        raise PatchError(f'strconv.Atoi: parsing "{key}": invalid syntax')
    index = integers.parse(key)
    if not -_WIDEST <= index < _WIDEST:
        raise PatchError(f'strconv.Atoi: parsing "{key}": value out of range')
    return index


def _within(index: int, size: int) -> int:
    if not -size <= index < size:
        raise PatchError(f"Unable to access invalid index: {index}: {_BAD_INDEX}")
    return index + size if index < 0 else index


def _existing(held: list[Any], key: str) -> int:
    return _within(_index(key), len(held))


def _get(held: Container, key: str) -> Any:
    if isinstance(held, dict):
        return held.get(key)
    return held[_existing(held, key)]


def _added(held: Container, key: str, value: Any) -> Container:
    if isinstance(held, dict):
        return {**held, key: value}
    if key == "-":
        return [*held, value]
    try:
        index = _index(key)
    except PatchError as error:
        raise PatchError(f"value was not a proper array index: '{key}': {error}") from error
    index = _within(index, len(held) + 1)
    return [*held[:index], value, *held[index:]]


def _removed(held: Container, key: str) -> Container:
    if isinstance(held, dict):
        if key not in held:
            raise PatchError(f"Unable to remove nonexistent key: {key}: {_MISSING}")
        return {name: value for name, value in held.items() if name != key}
    index = _existing(held, key)
    return held[:index] + held[index + 1 :]


def _add(document: Any, operation: Operation) -> Any:
    path = _pointer(operation, "path", f"add operation failed to decode path: {_MISSING}")
    missing = f'add operation does not apply: doc is missing path: "{path}": {_MISSING}'
    return _put(document, path, operation.get("value"), missing, f"error in add for path: '{path}'")


def _put(document: Any, path: str, value: Any, missing: str, context: str) -> Any:
    _check_depth(path, value)

    def edit(held: Container, key: str) -> Container:
        try:
            return _added(held, key, value)
        except PatchError as error:
            raise PatchError(f"{context}: {error}") from error

    return _edit(document, path, missing, edit)


def _check_depth(path: str, value: Any) -> None:
    """Refuse what would make a document too deep, though neither part of it is."""
    if path.count("/") + nesting.depth(value) > nesting.DEEPEST:
        raise PatchError(nesting.TOO_DEEP)


def _remove(document: Any, operation: Operation) -> Any:
    path = _pointer(operation, "path", f"remove operation failed to decode path: {_MISSING}")

    def edit(held: Container, key: str) -> Container:
        try:
            return _removed(held, key)
        except PatchError as error:
            raise PatchError(f"error in remove for path: '{path}': {error}") from error

    missing = f'remove operation does not apply: doc is missing path: "{path}": {_MISSING}'
    return _edit(document, path, missing, edit)


def _replace(document: Any, operation: Operation) -> Any:
    path = _pointer(operation, "path", "replace operation failed to decode path: %s")
    value = operation.get("value", _ABSENT)
    if path == "":
        if value is _ABSENT:
            raise PatchError(failure.NIL_DEREFERENCE)
        if not isinstance(value, (dict, list)):
            raise PatchError("replace operation value must be object or array: %!w(<nil>)")
        return value
    value = None if value is _ABSENT else value
    _check_depth(path, value)

    def edit(held: Container, key: str) -> Container:
        if isinstance(held, dict):
            return {**held, key: value}
        try:
            index = _existing(held, key)
        except PatchError as error:
            raise PatchError(
                f"replace operation does not apply: doc is missing key: {path}: {_MISSING}"
            ) from error
        return [*held[:index], value, *held[index + 1 :]]

    missing = f"replace operation does not apply: doc is missing path: {path}: {_MISSING}"
    return _edit(document, path, missing, edit)


def _move(document: Any, operation: Operation) -> Any:
    origin = _pointer(operation, "from", "move operation failed to decode from: %s")
    moved: list[Any] = []

    def edit(held: Container, key: str) -> Container:
        try:
            moved.append(_get(held, key))
            return _removed(held, key)
        except PatchError as error:
            raise PatchError(f"error in move for path: '{key}': {error}") from error

    missing = f"move operation does not apply: doc is missing from path: {origin}: {_MISSING}"
    document = _edit(document, origin, missing, edit)
    path = _pointer(operation, "path", "move operation failed to decode path: %s")
    missing = f"move operation does not apply: doc is missing destination path: {path}: {_MISSING}"
    return _put(document, path, moved[0], missing, f"error in move for path: '{path}'")


def _copied(document: Any, operation: Operation) -> Any:
    origin = _pointer(operation, "from", "copy operation failed to decode from: %s")
    missing = f"copy operation does not apply: doc is missing from path: {origin}: {_MISSING}"
    return _read(document, origin, missing, f"error in copy for from: '{origin}'")


def _copy(document: Any, operation: Operation) -> Any:
    value = _copied(document, operation)
    path = _pointer(operation, "path", f"copy operation failed to decode path: {_MISSING}")
    missing = f"copy operation does not apply: doc is missing destination path: {path}: {_MISSING}"
    return _put(document, path, value, missing, "error while adding value during copy")


def _read(document: Any, pointer: str, missing: str, context: str) -> Any:
    found: list[Any] = []

    def locate(held: Container, key: str) -> Container:
        try:
            found.append(_get(held, key))
        except PatchError as error:
            raise PatchError(f"{context}: {error}") from error
        return held

    _edit(document, pointer, missing, locate)
    return found[0]


def _test(document: Any, operation: Operation) -> Any:
    path = _pointer(operation, "path", "test operation failed to decode path: %s")
    value = operation.get("value", _ABSENT)
    if path == "":
        if value is _ABSENT:
            raise PatchError(failure.NIL_DEREFERENCE)
        found = document
    else:
        missing = f"test operation does not apply: is missing path: {path}: {_MISSING}"
        found = _read(document, path, missing, f"error in test for path: '{path}'")
        value = None if value is _ABSENT else value
    if not ordering.same(found, value):
        raise PatchError(f"testing value {path} failed: test failed")
    return document


_KINDS: Final[dict[str, Callable[[Any, Operation], Any]]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}
