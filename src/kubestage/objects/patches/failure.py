"""The one way in which a patch is refused."""

from __future__ import annotations

from typing import Any, Final

from kubestage.errors import MalformedValue
from kubestage.golang import formatting

NO_LIST_OF_LISTS: Final = "lists of lists are not supported"
BAD_PRIMITIVE_LIST: Final = "invalid patch format of primitive list"
BAD_RETAIN_KEYS: Final = "invalid patch format of retainKeys"
BAD_ELEMENT_ORDER: Final = "invalid patch format of setElementOrder list"
BAD_DOCUMENT: Final = "invalid JSON document"
UNSUPPORTED_STRATEGIC: Final = "strategic merge patch format is not supported"
NIL_DEREFERENCE: Final = "runtime error: invalid memory address or nil pointer dereference"


class PatchError(MalformedValue):
    """A patch that cannot be made or applied; its text is the API server's."""


def no_merge_key(element: dict[str, Any], merge_key: str) -> PatchError:
    """An element of a merging list lacks the key that identifies it."""
    return PatchError(
        f"map: {formatting.show(element)} does not contain declared merge key: {merge_key}"
    )


def bad_type(expected: type, actual: Any) -> PatchError:
    """A value of another JSON type than the directive needs."""
    needed, found = formatting.type_name(expected()), formatting.type_name(actual)
    return PatchError(f"expected a {needed}, but received a {found}")


def unhashable(value: Any) -> PatchError:
    """A list or object stands where only a scalar can be compared; upstream panics here."""
    return PatchError(f"runtime error: hash of unhashable type {formatting.type_name(value)}")


def conflict(patch_yaml: str, changes_yaml: str) -> PatchError:
    """A three-way patch would undo the change of another client."""
    return PatchError(
        f"patch:\n{patch_yaml}\nconflicts with changes made from original to current:\n"
        f"{changes_yaml}\n"
    )
