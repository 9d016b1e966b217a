"""The text of a patch, which people write as JSON or as YAML."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.objects import yaml_documents
from kubestage.objects.patches import PatchType

if TYPE_CHECKING:
    from collections.abc import Mapping

# A patch type is stated as its media type, or as kubectl's --type.
TYPES: Final[Mapping[str, PatchType]] = {
    **{each.value: each for each in PatchType},
    "json": PatchType.JSON,
    "merge": PatchType.MERGE,
    "strategic": PatchType.STRATEGIC,
}
APPLY: Final = ("apply", "application/apply-patch+yaml")
"""How a patch is stated that is applied on the server's side."""

_TOO_DEEP: Final = "the patch is nested too deeply"


def parse(text: str) -> dict[str, Any] | list[Any]:
    """What a patch says; ValueError if it is neither an object nor a list."""
    try:
        found = json.loads(text)
    except ValueError:
        found = _yaml(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if not isinstance(found, dict | list):
        raise ValueError("the patch is neither an object nor a list")
    return found


def _yaml(text: str) -> Any:
    try:
        found = list(yaml_documents.Reader(yaml_documents.as_bytes(text)).documents())
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    except InputError as error:
        raise ValueError(f"the patch is neither JSON nor YAML: {error.problem}") from None
    if len(found) != 1:
        raise ValueError("the patch is empty" if not found else "the patch is several documents")
    value, _, problems = found[0]
    for problem in problems:
        raise ValueError(f"the patch is neither JSON nor YAML: {problem.problem}")
    return value


def misfit(patch: dict[str, Any] | list[Any], stated: str) -> str | None:
    """Why a patch cannot be of the type that is stated for it, if it cannot."""
    is_list = isinstance(patch, list)
    if stated in APPLY:
        return f'a patch of type "{stated}" is an object' if is_list else None
    if stated not in TYPES:
        return f'"{stated}" is none of {", ".join((*TYPES, *APPLY))}'
    if (TYPES[stated] is PatchType.JSON) == is_list:
        return None
    expected = "an object" if is_list else "a list of operations"
    return f'a patch of type "{stated}" is {expected}'
