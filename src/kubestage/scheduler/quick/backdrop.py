"""The objects beside pods and nodes that decide what a pod asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import gvk

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind
    from kubestage.store.store import Store

# Services and owners spread their pods by default, namespaces are selected by affinity terms, and
# device classes may stand behind resources.
_OTHERS: Final = (
    ("v1", "ReplicationController"),
    ("apps/v1", "ReplicaSet"),
    ("apps/v1", "StatefulSet"),
)


class Backdrop:
    """Tells whether any of them has changed.

    Collections are looked up and never begun here: in which order they begin, things are cleaned
    up in the end.
    """

    __slots__ = (
        "_devices", "_kinds", "_ledger", "_namespace", "_revision", "_service", "_version",
    )  # fmt: skip

    def __init__(self, store: Store) -> None:
        self._ledger = store.ledger
        self._service, self._devices = store.kind(gvk.SERVICE), store.kind(gvk.DEVICE_CLASS)
        self._namespace = store.kind(gvk.NAMESPACE)
        known = [self._service, self._devices, self._namespace]
        self._kinds = [*known, *map(store.kind, _OTHERS)]
        self._revision = -1
        self._version = 0

    @property
    def has_services(self) -> bool:
        """Whether there are any Services."""
        services = self._ledger.find(self._service)
        return services is not None and bool(services.objects)

    @property
    def devices(self) -> int:
        """How often device classes have changed."""
        return self._changes(self._devices)

    @property
    def namespaces(self) -> int:
        """How often namespaces have changed, by whose labels terms select them."""
        return self._changes(self._namespace)

    @property
    def version(self) -> int:
        """A number that grows with every change of theirs."""
        if self._revision != self._ledger.revision:
            self._revision = self._ledger.revision
            self._version = sum(map(self._changes, self._kinds))
        return self._version

    def _changes(self, kind: Kind) -> int:
        found = self._ledger.find(kind)
        return 0 if found is None else found.log.end
