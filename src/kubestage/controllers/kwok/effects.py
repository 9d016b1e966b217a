"""What a stage does to an object, as a list of things to do, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from kubestage.aliases import Json
from kubestage.errors import InputError
from kubestage.objects.patches import PatchType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.controllers.kwok.rendering import Renderer
    from kubestage.controllers.kwok.stage_types import Finalizers, Stage, StageApply, StagePatch

_PATH: Final = "/metadata/finalizers"
_ALL_GONE: Final = {"op": "remove", "path": _PATH}


def finalizer_patch(present: list[str], desired: Finalizers) -> list[dict[str, Any]]:
    """What to do to an object that has these finalizers; removals go from the last on."""
    removed = {each.value for each in desired.remove}
    gone = [index for index, name in enumerate(present) if name in removed]
    added = [each.value for each in desired.add]
    if desired.empty or (removed and len(gone) == len(present)):
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


_PATCH_TYPES: Final = {
    "json": PatchType.JSON,
    "merge": PatchType.MERGE,
    "strategic": PatchType.STRATEGIC,
}
_FINALIZERS: Final = "finalizers"


class SendEvent(msgspec.Struct, frozen=True):
    """An Event about the object."""

    type: str
    reason: str
    message: str


class Patch(msgspec.Struct, frozen=True):
    """Change the object, or one of its subresources."""

    data: Any
    type: PatchType
    subresource: str = ""
    username: str | None = None


class Delete(msgspec.Struct, frozen=True):
    """Delete the object, without grace."""


class Apply(msgspec.Struct, frozen=True):
    """Create another object, or change it if it is there; server-side apply has no `type`."""

    data: Any
    type: PatchType | None
    subresource: str = ""
    username: str | None = None


Effect: TypeAlias = SendEvent | Patch | Delete | Apply


def stage_effects(stage: Stage, obj: Json, renderer: Renderer, is_typed: bool) -> Iterator[Effect]:
    """What to do, one after the other; each is computed from the object as it was at first.

    Once the object is deleted only Events follow. `TemplateError` or `InputError` comes when a
    template fails, after what is before it.
    """
    present = list((obj.get("metadata") or {}).get(_FINALIZERS) or ())
    deleted = False
    for step in stage.steps:
        if step.event is not None:
            yield SendEvent(step.event.type, step.event.reason, step.event.message)
        if deleted:
            continue
        if step.finalizers is not None:
            operations = finalizer_patch(present, step.finalizers)
            if operations:
                yield Patch(operations, PatchType.JSON)
        if step.delete:
            deleted = True
            yield Delete()
            continue
        if step.patch is not None:
            yield _patch(step.patch, obj, renderer, is_typed)
        if step.apply is not None:
            yield _apply(step.apply, obj, renderer)


def _patch(patch: StagePatch, obj: Json, renderer: Renderer, is_typed: bool) -> Patch:
    default = PatchType.STRATEGIC if is_typed else PatchType.MERGE
    patch_type = default if patch.type is None else _PATCH_TYPES[patch.type]
    data = renderer.json(patch.template, obj)
    if patch_type is PatchType.JSON:
        data = _rooted(data, patch.root)
    elif patch.root:
        data = {patch.root: data}
    username = patch.impersonation.username if patch.impersonation is not None else None
    return Patch(data, patch_type, patch.subresource, username)


def _rooted(operations: Any, root: str) -> list[Json]:
    """The operations of a JSON patch, each with the root before its path."""
    if not isinstance(operations, list) or not all(isinstance(each, dict) for each in operations):
        raise InputError("a JSON patch is a list of operations")
    if not root:
        return operations
    return [{**each, "path": f"/{root}{each.get('path', '')}"} for each in operations]


def _apply(apply: StageApply, obj: Json, renderer: Renderer) -> Apply:
    data = renderer.json(apply.template, obj)
    patch_type = None if apply.type in (None, "apply") else _PATCH_TYPES[apply.type]
    username = apply.impersonation.username if apply.impersonation is not None else None
    return Apply(data, patch_type, apply.subresource, username)
