"""The JSON patch that sets and takes away finalizers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kubestage.controllers.kwok.stage_types import Finalizers

_PATH: Final = "/metadata/finalizers"
_ALL_GONE: Final = {"op": "remove", "path": _PATH}


def operations(present: list[str], wanted: Finalizers) -> list[dict[str, Any]]:
    """What to do to an object that has these finalizers; removals go from the last on."""
    removed = {each.value for each in wanted.remove}
    gone = [index for index, name in enumerate(present) if name in removed]
    added = [each.value for each in wanted.add]
    if wanted.empty or (removed and len(gone) == len(present)):
        found = [_ALL_GONE] if present else []
        return [*found, *_additions([], added)]
    removals = [{"op": "remove", "path": f"{_PATH}/{index}"} for index in reversed(gone)]
    return [*removals, *_additions(present, added)]


def _additions(present: list[str], added: list[str]) -> list[dict[str, Any]]:
    if not added:
        return []
    if not present:
        return [{"op": "add", "path": _PATH, "value": added}]
    return [
        {"op": "add", "path": f"{_PATH}/-", "value": name} for name in added if name not in present
    ]
