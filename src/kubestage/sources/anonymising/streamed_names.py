"""Names in place of others while a cluster is still observed: what will come is not known yet.

Where an import numbers names in their order, only the keyed hash is left here: the same name is
replaced by the same one whenever it comes, also after the recording was continued.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Final

from kubestage.sources.anonymising.replaced_names import ReplacedNames
from kubestage.sources.anonymising.walking import Walker
from kubestage.sources.imported import reference_of

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sources.imported import Reference

_HEX: Final = 12
_HOSTS: Final = {"address4": 24, "address6": 64}


class StreamedNames(ReplacedNames):
    """Names that are replaced at once."""

    def __init__(self, key: bytes) -> None:
        super().__init__(key)
        self._replaced = {}
        self._claims: dict[str, str] = {}
        self._addresses: dict[str, str] = {}
        self._used: set[str] = set()

    def fingerprint(self) -> str:
        """A hash of the key, to recognise it."""
        return self._digest("key", "")[:_HEX]

    def name(self, category: str, text: str) -> str:
        """The name in place of a name."""
        if category in _HOSTS:
            return self._host(category, text)
        if not text or self.is_public(category, text):
            return text
        if category == "persistentvolumeclaim":
            # Its StatefulSet may be seen later; a claim keeps its first name nevertheless.
            found = self._claims.get(text)
            if found is None:
                found = self._claims[text] = self._derived(category, text) or self._new(
                    category, text
                )
            return found
        return self._derived(category, text) or self._new(category, text)

    def is_known(self, category: str, text: str) -> bool:  # noqa: ARG002
        """What may be a name is one; an address is none."""
        try:
            ipaddress.ip_address(text)
        except ValueError:
            return True
        return False

    def _new(self, category: str, text: str) -> str:
        return f"{self.prefix(category)}-{self._digest(category, text)[:_HEX]}"

    def _host(self, category: str, text: str) -> str:
        found = self._addresses.get(text)
        if found is None:
            network = self.network(category)
            bits = _HOSTS[category]
            place = int(self._digest(category, text), 16)
            while found is None or found in self._used:
                # Not the address of the network itself, nor its last one.
                found = str(network[1 + place % (2**bits - 2)])
                place += 1
            self._addresses[text] = found
            self._used.add(found)
        return found


class StreamedNaming:
    """Replaces objects one by one, as they come."""

    def __init__(self, key: bytes) -> None:
        self.names = StreamedNames(key)
        self._walker = Walker(self.names)

    def learn(self, stateful_set: Json) -> None:
        """Take note of the claims that a StatefulSet has, whose names are made from its own."""
        self._walker.object(stateful_set, "StatefulSet", "apps")

    def replaced(self, obj: Json) -> tuple[Reference, Json]:
        """An object with other names."""
        group = obj["apiVersion"].rpartition("/")[0]
        found = self._walker.object(obj, obj["kind"], group)
        return reference_of(found), found
