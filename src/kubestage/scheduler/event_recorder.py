"""The Events that tell people what the scheduler did."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Final

from kubestage.objects import gvk, names, timestamps
from kubestage.store.outlines import outline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.store.collection import Collection
    from kubestage.store.store import Store


WARNING: Final = "Warning"
NORMAL: Final = "Normal"
MAX_NOTE: Final = 1024

_HOST: Final = "kubestage"
_SERIES_NS: Final = 360 * 1_000_000_000
_MAX_SERIES: Final = 4096

_METADATA: Final = outline(
    dict.fromkeys(("name", "namespace", "uid", "creationTimestamp", "resourceVersion"))
)
_INVOLVED: Final = outline(
    dict.fromkeys(("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion"))
)

_Key = tuple[str, str, str, str, str]


@dataclasses.dataclass(slots=True)
class _Series:
    key: str
    count: int
    last_ns: int


class EventRecorder:
    """Writes Events to the store.

    What goes wrong with the same version of an object in the same way within six minutes is one
    Event that counts its repetitions.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kind = store.kind(gvk.EVENT)
        self._clock = store.clock
        self._series: dict[_Key, _Series] = {}
        self._most_series = _MAX_SERIES
        self._last_number = 0
        # Looked up when first used: collections are kept in the order of their first use.
        self._namespaces: Mapping[str, Json] | None = None
        self._events: Collection | None = None
        self._read_clock()

    def record(
        self, regarding: Json, kind: str, reason: str, action: str, note: str, by: str
    ) -> None:
        """Write an Event, or count it in; an ending namespace takes none."""
        if kind != WARNING:
            self._write(regarding, kind, reason, action, note, by)
            return
        metadata = regarding["metadata"]
        key = metadata["uid"], metadata["resourceVersion"], reason, action, by
        now_ns = self._clock.now_ns
        series = self._series.get(key)
        if series is not None and now_ns - series.last_ns <= _SERIES_NS:
            series.count, series.last_ns = series.count + 1, now_ns
            if self._count_in(series):
                return
        written = self._write(regarding, kind, reason, action, note, by)
        if written:
            self._forget_old(now_ns)
            self._series[key] = _Series(written, 1, now_ns)

    def _write(
        self, regarding: Json, kind: str, reason: str, action: str, note: str, by: str
    ) -> str:
        store, metadata = self._store, regarding["metadata"]
        namespace, about = metadata.get("namespace") or "default", metadata["name"]
        within = (self._namespaces or self._find_namespaces()).get(namespace)
        if within is None or "deletionTimestamp" in within["metadata"]:
            return ""
        events = self._events or self._find_events()
        if self._clock.now_ns != self._now_ns:
            self._read_clock()
        # The number makes the name unique and is, as upstream's, the time when there is no haste.
        number = self._last_number + 1
        if number < self._at_ns:
            number = self._at_ns
        name = f"{about}.{number:x}"
        while (key := f"{namespace}/{name}") in events.objects:
            number += 1
            name = f"{about}.{number:x}"
        self._last_number = number
        event = _outline(kind, reason, action, by).copy()
        event["metadata"] = own = _METADATA.copy()
        own["name"] = name
        own["namespace"] = within["metadata"]["name"]
        own["uid"] = names.uid(store.uid_stream)
        own["creationTimestamp"] = self._time
        event["involvedObject"] = involved = _INVOLVED.copy()
        involved["kind"] = regarding["kind"]
        involved["namespace"] = namespace
        involved["name"] = about
        involved["uid"] = metadata["uid"]
        involved["apiVersion"] = regarding["apiVersion"]
        involved["resourceVersion"] = metadata["resourceVersion"]
        event["message"] = note
        event["eventTime"] = self._micro_time
        # NOTE: written as it is stored, which passes every rule for Events: going through
        # `create` costs several times as much, once for every pod (benchmarks/scheduler.py).
        store.ledger.add(events, key, event)
        store.settle()
        return key

    def _read_clock(self) -> None:
        """Write the time down once for all Events of a moment."""
        self._now_ns, self._at_ns = self._clock.now_ns, self._clock.unix_ns
        self._time = timestamps.format_time(self._at_ns)
        self._micro_time = timestamps.format_micro_time(self._at_ns)

    def _find_namespaces(self) -> Mapping[str, Json]:
        self._namespaces = found = self._store.read(gvk.NAMESPACE)
        return found

    def _find_events(self) -> Collection:
        self._events = found = self._store.ledger.collection(self._kind)
        return found

    def _count_in(self, series: _Series) -> bool:
        store = self._store
        found = store.read(gvk.EVENT).get(series.key)
        if found is None:
            return False
        seen = timestamps.format_micro_time(self._clock.unix_ns)
        event = {
            **found,
            "metadata": dict(found["metadata"]),
            "series": {"count": series.count, "lastObservedTime": seen},
        }
        store.put(self._kind, series.key, event)
        store.settle()
        return True

    def _forget_old(self, now_ns: int) -> None:
        if len(self._series) >= self._most_series:
            self._series = {
                key: each
                for key, each in self._series.items()
                if now_ns - each.last_ns <= _SERIES_NS
            }
            # NOTE: a flood of failing pods would else have all looked through for each of them.
            self._most_series = max(2 * len(self._series), _MAX_SERIES)


def shortened(note: str) -> str:
    """A note cut to what an Event can hold."""
    encoded = note.encode()
    if len(encoded) <= MAX_NOTE:
        return note
    return encoded[: MAX_NOTE - 4].decode(errors="ignore") + " ..."


@functools.lru_cache(maxsize=256)
def _outline(kind: str, reason: str, action: str, by: str) -> Json:
    """An Event with places for what differs between those of one sort; to be copied."""
    fields: Json = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": None,
        "involvedObject": None,
        "reason": reason,
        "message": "",
        "source": {},
        "firstTimestamp": None,
        "lastTimestamp": None,
        "type": kind,
        "eventTime": None,
        "action": action,
        "reportingComponent": by,
        "reportingInstance": f"{by}-{_HOST}",
    }
    return outline(fields)
