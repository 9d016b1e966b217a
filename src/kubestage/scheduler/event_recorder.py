"""The Events that tell people what the scheduler did."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import names, timestamps

if TYPE_CHECKING:
    from kubestage.store.store import Store

Json = dict[str, Any]

WARNING: Final = "Warning"
NORMAL: Final = "Normal"
MAX_NOTE: Final = 1024

_EVENT: Final = ("v1", "Event")
_NAMESPACE: Final = ("v1", "Namespace")
_HOST: Final = "kubestage"
_SERIES_NS: Final = 360 * 1_000_000_000
_MAX_SERIES: Final = 4096

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
        self._kind = store.kind(_EVENT)
        self._series: dict[_Key, _Series] = {}
        self._last_number = 0

    def record(
        self, regarding: Json, kind: str, reason: str, action: str, note: str, by: str
    ) -> None:
        """Write an Event, or count it in; an ending namespace takes none."""
        metadata = regarding["metadata"]
        if kind != WARNING:
            self._write(regarding, kind, reason, action, note, by)
            return
        key = metadata["uid"], metadata["resourceVersion"], reason, action, by
        now_ns = self._store.clock.now_ns
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
        namespace = metadata.get("namespace") or "default"
        within = store.read(_NAMESPACE).get(namespace)
        if within is None or "deletionTimestamp" in within["metadata"]:
            return ""
        at_ns = store.clock.unix_ns
        # The number makes the name unique and is, as upstream's, the time when there is no haste.
        number = max(self._last_number + 1, at_ns)
        while f"{namespace}/{metadata['name']}.{number:x}" in store.read(self._kind):
            number += 1
        self._last_number = number
        name = f"{metadata['name']}.{number:x}"
        event = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {
                "name": name,
                "namespace": within["metadata"]["name"],
                "uid": names.uid(store.uid_stream),
                "creationTimestamp": timestamps.format_time(at_ns),
            },
            "involvedObject": {
                "kind": regarding["kind"],
                "namespace": namespace,
                "name": metadata["name"],
                "uid": metadata["uid"],
                "apiVersion": regarding["apiVersion"],
                "resourceVersion": metadata["resourceVersion"],
            },
            "reason": reason,
            "message": note,
            "source": {},
            "firstTimestamp": None,
            "lastTimestamp": None,
            "type": kind,
            "eventTime": timestamps.format_micro_time(at_ns),
            "action": action,
            "reportingComponent": by,
            "reportingInstance": f"{by}-{_HOST}",
        }
        # NOTE: written as it is stored, which passes every rule for Events: going through
        # `create` costs several times as much, once for every pod (benchmarks/scheduler.py).
        key = f"{namespace}/{name}"
        store.put(self._kind, key, event)
        store.settle()
        return key

    def _count_in(self, series: _Series) -> bool:
        store = self._store
        found = store.read(_EVENT).get(series.key)
        if found is None:
            return False
        seen = timestamps.format_micro_time(store.clock.unix_ns)
        event = {
            **found,
            "metadata": dict(found["metadata"]),
            "series": {"count": series.count, "lastObservedTime": seen},
        }
        store.put(self._kind, series.key, event)
        store.settle()
        return True

    def _forget_old(self, now_ns: int) -> None:
        if len(self._series) >= _MAX_SERIES:
            self._series = {
                key: each
                for key, each in self._series.items()
                if now_ns - each.last_ns <= _SERIES_NS
            }


def shortened(note: str) -> str:
    """A note cut to what an Event can hold."""
    encoded = note.encode()
    if len(encoded) <= MAX_NOTE:
        return note
    return encoded[: MAX_NOTE - 4].decode(errors="ignore") + " ..."
