"""What plugins read of a mirrored cluster; what they write goes nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import gvk
from kubestage.scheduler.client import StoreClient

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.store.store import Store


class ReadingClient:
    """Lister and client of plugins in one; `pod` is the one that is being predicted."""

    def __init__(self, store: Store) -> None:
        self._objects = StoreClient(store, events=False)
        self.pod: PodView | None = None

    def get(self, api_version: str, kind: str, name: str, namespace: str = "") -> Json | None:
        """One object, or None; the pod of the prediction as it was handed in."""
        pod = self.pod
        if (
            pod is not None
            and (name, namespace) == (pod.name, pod.namespace)
            and (api_version, kind) == gvk.POD
        ):
            return pod.raw
        return self._objects.get(api_version, kind, name, namespace)

    def list(self, api_version: str, kind: str, namespace: str | None = None) -> Sequence[Json]:
        """All objects of a kind, of one namespace or of all."""
        return self._objects.list(api_version, kind, namespace)

    def bind(self, pod: PodView, node_name: str) -> None:
        """Nothing is bound."""

    def delete_pod(self, pod: PodView) -> None:
        """Nothing is evicted."""

    def patch_status(self, pod: PodView, status: Json) -> None:
        """No status changes."""

    def update(self, obj: Json, subresource: str = "") -> Json:
        """Nothing is replaced."""
        del subresource
        return obj

    def create(self, obj: Json) -> Json:
        """Nothing is added."""
        return obj

    def delete(self, obj: Json) -> None:
        """Nothing is removed."""

    def event(
        self, regarding: Json, kind: str, reason: str, action: str, note: str, by: str
    ) -> None:
        """No Events are written."""
