"""The objects besides pods and nodes on which attempts depend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import gvk

if TYPE_CHECKING:
    from kubestage.store.store import Store

# Services and owners spread their pods by default, namespaces are selected by affinity terms, and
# device classes may stand behind resources.
_OTHERS: Final = (
    ("v1", "ReplicationController"),
    ("apps/v1", "ReplicaSet"),
    ("apps/v1", "StatefulSet"),
)


class Backdrop:
    """Detects whether any of them has changed."""

    __slots__ = (
        "_all", "_devices", "_namespaces", "_revision", "_services", "_store", "_version",
    )  # fmt: skip

    def __init__(self, store: Store) -> None:
        self._store = store
        self._services = store.collection(gvk.SERVICE)
        self._devices = store.collection(gvk.DEVICE_CLASS)
        self._namespaces = store.collection(gvk.NAMESPACE)
        known = [self._services, self._devices, self._namespaces]
        self._all = [*known, *map(store.collection, _OTHERS)]
        self._revision = -1
        self._version = 0

    @property
    def has_services(self) -> bool:
        """Whether there are any Services."""
        return bool(self._services.objects)

    @property
    def devices(self) -> int:
        """How often device classes have changed."""
        return self._devices.log.end

    @property
    def namespaces(self) -> int:
        """How often namespaces have changed, by whose labels terms select them."""
        return self._namespaces.log.end

    @property
    def version(self) -> int:
        """A number that grows with every change of theirs."""
        revision = self._store.revision
        if self._revision != revision:
            self._revision = revision
            version = 0
            for each in self._all:
                version += each.log.end
            self._version = version
        return self._version
