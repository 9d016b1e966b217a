"""Writes Events to the store, and the rules that all who write Events of the core group follow.

The rules are those of client-go's event correlator (``tools/record``): similar Events are counted
or combined, and held back when there are too many about one object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.golang.rate import Limiter
from kubestage.objects import gvk, names, timestamps
from kubestage.store.outlines import outline
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.store.collection import Collection
    from kubestage.store.store import Store

NORMAL: Final = "Normal"
WARNING: Final = "Warning"

SIMILAR_EVENTS: Final = 10
"""So many different messages with one reason about one object are combined."""

SIMILAR_FOR_NS: Final = 600 * SECOND_NS
COMBINED: Final = "(combined from similar events): "

_METADATA: Final = outline(
    dict.fromkeys(("name", "namespace", "uid", "creationTimestamp")),
    ("annotations", "resourceVersion"),
)
_EVENT: Final = outline({
    "apiVersion": "v1", "kind": "Event", "metadata": None, "involvedObject": None, "reason": "",
    "message": "", "source": None, "firstTimestamp": None, "lastTimestamp": None, "count": 1,
    "type": "", "eventTime": None, "reportingComponent": "", "reportingInstance": "",
})  # fmt: skip


class SpamFilter(Limiter):
    """Lets one Event pass in five minutes, and 25 in reserve."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(1 / 300, 25)


class EventWriter:
    """Writes Events as they are stored.

    NOTE: what it writes passes every rule for Events. `Store.create` costs several times as much,
    and there are Events for every pod (benchmarks/scheduler.py, benchmarks/controllers.py).
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.clock = store.clock
        self._kind = store.kind(gvk.EVENT)
        self._namespaces: Mapping[str, Json] = store.read(gvk.NAMESPACE)
        self.events: Collection = store.collection(gvk.EVENT)
        self._stamped_ns = -1
        self._stamp = ""

    def namespace(self, name: str) -> Json | None:
        """A namespace, unless it is terminating: then it takes no Events."""
        found = self._namespaces.get(name)
        return None if found is None or "deletionTimestamp" in found["metadata"] else found

    def stamp(self) -> str:
        """Now, as objects write it."""
        clock = self.clock
        if clock.now_ns != self._stamped_ns:
            self._stamped_ns = clock.now_ns
            self._stamp = timestamps.format_time(clock.unix_ns)
        return self._stamp

    def free_key(self, namespace: str, about: str, least: int = 0) -> tuple[int, str]:
        """A number, and the key of the Event about the named object that has it in its name.

        The number is the time, as upstream, unless that is below `least`, before 1970 or in use.
        """
        number, events = max(self.clock.unix_ns, least, 0), self.events.objects
        while (key := f"{namespace}/{about}.{number:x}") in events:
            number += 1
        return number, key

    def add(self, key: str, event: Json) -> None:
        """Write a new Event, if there is room for it."""
        if self.store.object_limit.takes_events:
            self.store.ledger.add(self.events, key, event)

    def add_core(
        self,
        namespace: str,
        key: str,
        about: Json,
        kind: str,
        reason: str,
        message: str,
        *,
        count: int,
        first: str,
        source: Json,
        annotations: dict[str, str] | None = None,
    ) -> None:
        """Write a new Event of the core group; `about` is its involvedObject."""
        stamp = self.stamp()
        event, metadata = _EVENT.copy(), _METADATA.copy()
        event["metadata"] = metadata
        metadata["name"] = key[len(namespace) + 1 :]
        metadata["namespace"] = namespace
        metadata["uid"] = names.uid(self.store.uid_stream)
        metadata["creationTimestamp"] = stamp
        if annotations:
            metadata["annotations"] = annotations
        event["involvedObject"] = about
        event["reason"], event["message"] = reason, message
        event["source"] = source
        event["firstTimestamp"], event["lastTimestamp"] = first, stamp
        event["count"], event["type"] = count, kind
        event["reportingComponent"] = source["component"]
        event["reportingInstance"] = source.get("host", "")
        self.add(key, event)

    def change(self, key: str, **fields: object) -> bool:
        """Change fields of an Event; whether it is still there."""
        found = self.events.objects.get(key)
        if found is None:
            return False
        event = {**found, "metadata": dict(found["metadata"]), **fields}
        self.store.put(self._kind, key, event)
        return True
