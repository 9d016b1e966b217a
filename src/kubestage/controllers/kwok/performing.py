"""Carries out the effects of a stage on the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.kwok import effects
from kubestage.errors import AlreadyExists, InputError
from kubestage.objects.patches import PatchType
from kubestage.store.deletion import DeleteOptions

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.event_recorder import EventRecorder
    from kubestage.store.store import Store


_AT_ONCE: Final = DeleteOptions(grace_period_seconds=0)


def perform(
    store: Store, events: EventRecorder, kind: Kind, obj: Json, effect: effects.Effect
) -> None:
    """Do one thing; `ApiError` if the store refuses."""
    metadata = obj["metadata"]
    name, namespace = metadata["name"], metadata.get("namespace")
    match effect:
        case effects.SendEvent():
            events.event(obj, effect.type, effect.reason, effect.message)
        case effects.Patch():
            store.patch(
                kind,
                name,
                effect.data,
                namespace,
                patch_type=effect.type,
                subresource=effect.subresource,
            )
        case effects.Delete():
            store.delete(kind, name, namespace, _AT_ONCE)
        case effects.Apply():
            _apply(store, effect, namespace)


def _apply(store: Store, effect: effects.Apply, namespace: str | None) -> None:
    """Create the object, or change the one that is there.

    Server-side apply changes like a merge here: who owns a field is not kept.
    """
    obj = effect.data
    if not isinstance(obj, dict) or not obj.get("apiVersion") or not obj.get("kind"):
        raise InputError("template must include apiVersion and kind")
    kind = store.kinds.of(obj)
    metadata = obj.get("metadata") or {}
    if not kind.namespaced:
        namespace = None
    elif metadata.get("namespace"):
        namespace = metadata["namespace"]
    patch_type = effect.type or PatchType.MERGE
    name = metadata.get("name", "")
    if not effect.subresource:
        try:
            store.create(obj, namespace=namespace)
        except AlreadyExists:
            if not name:
                raise
        else:
            return
    store.patch(kind, name, obj, namespace, patch_type=patch_type, subresource=effect.subresource)
