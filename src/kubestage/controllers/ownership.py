"""Who controls an object, and how a controller takes what matches its selector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.errors import ApiError, Invalid, NotFound
from kubestage.objects.patches import PatchType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kubestage.aliases import Json
    from kubestage.objects.labels import Selector
    from kubestage.store.store import Store


_NO_LABELS: dict[str, str] = {}


def controller_of(obj: Json) -> Json | None:
    """The owner reference of an object's controller."""
    references = obj["metadata"].get("ownerReferences")
    if references:
        for reference in references:
            if reference.get("controller"):
                found: Json = reference
                return found
    return None


def is_controlled_by(obj: Json, owner: Json) -> bool:
    """Whether an object's controller is this very object."""
    reference = controller_of(obj)
    return reference is not None and reference["uid"] == owner["metadata"]["uid"]


def controller_reference(owner: Json) -> Json:
    """The owner reference of an object's controller."""
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def labels_of(obj: Json) -> dict[str, str]:
    """An object's labels."""
    labels: dict[str, str] = obj["metadata"].get("labels") or _NO_LABELS
    return labels


def kind_of(obj: Json) -> tuple[str, str]:
    """An object's kind, as the store's verbs take it."""
    return obj["apiVersion"], obj["kind"]


class Claims:
    """What one owner may call its own: objects are adopted and released as their labels say.

    An owner that is being deleted takes nothing new and lets nothing go. `finalizers` are put
    on what is adopted and taken from what is released.
    """

    def __init__(
        self,
        store: Store,
        owner: Json,
        selector: Selector,
        *,
        accepts: Callable[[Json], bool] | None = None,
        finalizers: tuple[str, ...] = (),
    ) -> None:
        self._store = store
        self._owner = owner
        self._uid: str = owner["metadata"]["uid"]
        self._is_ending = "deletionTimestamp" in owner["metadata"]
        self._selector = selector
        self._accepts = accepts
        self._finalizers = finalizers

    def claim(self, objects: Iterable[Json]) -> list[Json]:
        """Those of the objects that the owner controls now, as they are stored now.

        An error is raised when all the others have been processed.
        """
        claimed, refusal = [], None
        for obj in objects:
            try:
                found = self._claimed(obj)
            except ApiError as error:
                refusal = refusal or error
                continue
            if found is not None:
                claimed.append(found)
        if refusal is not None:
            raise refusal
        return claimed

    def _matches(self, obj: Json) -> bool:
        if not self._selector.matches(labels_of(obj)):
            return False
        return self._accepts is None or self._accepts(obj)

    def _claimed(self, obj: Json) -> Json | None:
        reference = controller_of(obj)
        if reference is not None:
            if reference["uid"] != self._uid:
                return None
            if self._matches(obj):
                return obj
            if not self._is_ending:
                self._release(obj)
            return None
        metadata = obj["metadata"]
        if self._is_ending or "deletionTimestamp" in metadata or not self._matches(obj):
            return None
        if metadata.get("namespace") != self._owner["metadata"].get("namespace"):
            return None
        return self._adopt(obj)

    def _adopt(self, obj: Json) -> Json | None:
        # As upstream's patch: an owner reference of the same uid becomes the controller's.
        metadata: Json = {
            "uid": obj["metadata"]["uid"],
            "ownerReferences": [controller_reference(self._owner)],
        }
        if self._finalizers:
            metadata["finalizers"] = list(self._finalizers)
        return self._patch(obj, metadata)

    def _release(self, obj: Json) -> None:
        metadata: Json = {
            "uid": obj["metadata"]["uid"],
            "ownerReferences": [{"$patch": "delete", "uid": self._uid}],
        }
        if self._finalizers:
            metadata["$deleteFromPrimitiveList/finalizers"] = list(self._finalizers)
        try:
            self._patch(obj, metadata)
        except Invalid:
            # It has no such owner any more.
            return

    def _patch(self, obj: Json, metadata: Json) -> Json | None:
        was = obj["metadata"]
        patch = {"metadata": metadata}
        try:
            return self._store.patch(
                kind_of(obj),
                was["name"],
                patch,
                was.get("namespace"),
                patch_type=PatchType.STRATEGIC,
            )
        except NotFound:
            return None
