"""The Events of loops: similar ones are counted, combined, and held back when there are too many.

The rules are those of client-go's event correlator, which every component of a cluster uses that
writes Events of the core group.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from kubestage.aliases import Json
from kubestage.objects import gvk, names, timestamps

if TYPE_CHECKING:
    from kubestage.store.store import Store

T = TypeVar("T")

NORMAL: Final = "Normal"
WARNING: Final = "Warning"

_REMEMBERED: Final = 4096
_SIMILAR: Final = 10
_SIMILAR_FOR_NS: Final = 600 * 1_000_000_000
_COMBINED: Final = "(combined from similar events): "
_BURST: Final = 25
_REFILL_NS: Final = 300 * 1_000_000_000


class _Similar(msgspec.Struct):
    messages: dict[str, None]
    last_ns: int


class _Seen(msgspec.Struct):
    count: int
    first: str
    name: str


class _Bucket(msgspec.Struct):
    tokens: float
    at_ns: int


class EventRecorder:
    """Writes the Events of one component to the store."""

    def __init__(self, store: Store, component: str) -> None:
        self._store = store
        self._component = component
        self._kind = store.kind(gvk.EVENT)
        self._similar: OrderedDict[tuple[str, str, str], _Similar] = OrderedDict()
        self._seen: OrderedDict[tuple[str, ...], _Seen] = OrderedDict()
        self._buckets: OrderedDict[tuple[str, str], _Bucket] = OrderedDict()

    def event(
        self,
        regarding: Json,
        kind: str,
        reason: str,
        message: str,
        annotations: dict[str, str] | None = None,
    ) -> None:
        """Report that something happened to an object: Normal or Warning, why, and in words."""
        store = self._store
        now_ns, metadata = store.clock.now_ns, regarding["metadata"]
        uid = metadata.get("uid") or metadata["name"]
        key: tuple[str, ...] = (uid, kind, reason, message)
        if self._is_one_of_many((uid, kind, reason), message, now_ns):
            key, message = (uid, kind, reason), _COMBINED + message
        seen = _recall(self._seen, key)
        stamp = timestamps.format_time(store.clock.unix_ns)
        if seen is None:
            seen = _Seen(0, stamp, self._fresh_name(regarding))
            _remember(self._seen, key, seen)
        seen.count += 1
        if not self._may_pass((uid, kind), now_ns):
            return
        if seen.count > 1 and self._count_in(regarding, seen, message, stamp):
            return
        self._write(regarding, kind, reason, message, seen, stamp, annotations)

    def _is_one_of_many(self, key: tuple[str, str, str], message: str, now_ns: int) -> bool:
        """Whether too many different messages give the same reason within ten minutes."""
        similar = _recall(self._similar, key)
        if similar is None or now_ns - similar.last_ns > _SIMILAR_FOR_NS:
            similar = _Similar({}, now_ns)
            _remember(self._similar, key, similar)
        similar.messages[message] = None
        similar.last_ns = now_ns
        if len(similar.messages) < _SIMILAR:
            return False
        del similar.messages[next(iter(similar.messages))]
        return True

    def _may_pass(self, key: tuple[str, str], now_ns: int) -> bool:
        """One Event in five minutes about an object, and 25 in hand."""
        bucket = _recall(self._buckets, key)
        if bucket is None:
            bucket = _Bucket(_BURST, now_ns)
            _remember(self._buckets, key, bucket)
        grown = bucket.tokens + (now_ns - bucket.at_ns) / _REFILL_NS
        bucket.tokens, bucket.at_ns = min(grown, _BURST), now_ns
        if bucket.tokens < 1:
            return False
        bucket.tokens -= 1
        return True

    def _fresh_name(self, regarding: Json) -> str:
        """Named by the time, as upstream; several of one instant count on."""
        metadata = regarding["metadata"]
        number = self._store.clock.unix_ns
        events = self._store.read(gvk.EVENT)
        namespace = metadata.get("namespace") or "default"
        while f"{namespace}/{metadata['name']}.{number:x}" in events:
            number += 1
        return f"{metadata['name']}.{number:x}"

    def _count_in(self, regarding: Json, seen: _Seen, message: str, stamp: str) -> bool:
        namespace = regarding["metadata"].get("namespace") or "default"
        key = f"{namespace}/{seen.name}"
        found = self._store.read(gvk.EVENT).get(key)
        if found is None:
            return False
        counted = {
            **found,
            "metadata": dict(found["metadata"]),
            "message": message,
            "count": seen.count,
            "lastTimestamp": stamp,
        }
        self._store.put(self._kind, key, counted)
        self._store.settle()
        return True

    def _write(
        self,
        regarding: Json,
        kind: str,
        reason: str,
        message: str,
        seen: _Seen,
        stamp: str,
        annotations: dict[str, str] | None,
    ) -> None:
        store, metadata = self._store, regarding["metadata"]
        namespace = metadata.get("namespace") or "default"
        within = store.read(gvk.NAMESPACE).get(namespace)
        if within is None or "deletionTimestamp" in within["metadata"]:
            return
        seen.name = self._fresh_name(regarding)
        involved = {"kind": regarding["kind"]}
        if metadata.get("namespace"):
            involved["namespace"] = metadata["namespace"]
        involved["name"] = metadata["name"]
        if metadata.get("uid"):
            involved["uid"] = metadata["uid"]
        involved["apiVersion"] = regarding["apiVersion"]
        if metadata.get("resourceVersion"):
            involved["resourceVersion"] = metadata["resourceVersion"]
        event = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {
                "name": seen.name,
                "namespace": within["metadata"]["name"],
                "uid": names.uid(store.uid_stream),
                "creationTimestamp": stamp,
                **({"annotations": annotations} if annotations else {}),
            },
            "involvedObject": involved,
            "reason": reason,
            "message": message,
            "source": {"component": self._component},
            "firstTimestamp": seen.first,
            "lastTimestamp": stamp,
            "count": seen.count,
            "type": kind,
            "eventTime": None,
            "reportingComponent": self._component,
            "reportingInstance": "",
        }
        # NOTE: written as it is stored, which passes every rule for Events: `create` costs
        # several times as much, and there are Events for every pod (benchmarks/controllers.py).
        store.put(self._kind, f"{namespace}/{seen.name}", event)
        store.settle()


def _recall(cache: OrderedDict[Any, T], key: Any) -> T | None:
    found = cache.get(key)
    if found is not None:
        cache.move_to_end(key)
    return found


def _remember(cache: OrderedDict[Any, T], key: Any, entry: T) -> None:
    cache[key] = entry
    cache.move_to_end(key)
    if len(cache) > _REMEMBERED:
        cache.popitem(last=False)
