"""What the API server and etcd report of the stored objects: number, size, version."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from kubestage.cluster.usage import DATABASE_OBJECT_BYTES
from kubestage.metrics.families import (
    Counter,
    Distribution,
    Gauge,
    Histogram,
    exponential_buckets,
    number,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.cluster.endpoints import Endpoint
    from kubestage.metrics.families import Family
    from kubestage.store.store import Store

_BY_GROUP: Final = ("group", "resource")
_DISK_BOUNDS: Final = exponential_buckets(0.001, 2, 14)
# The part of a write in etcd that each of its two disk operations takes.
_DISK: Final = 0.5
_OPERATIONS: Final = (
    ("etcd_disk_wal_fsync_duration_seconds", "The latency distributions of fsync called by WAL."),
    (
        "etcd_disk_backend_commit_duration_seconds",
        "The latency distributions of commit called by backend.",
    ),
)


def of_api_server(store: Store) -> list[Family]:
    """Objects by resource, and the cache from which watches are served."""
    text = "Number of stored objects at the time of last check split by kind."
    by_name = Gauge("apiserver_storage_objects", "STABLE", text, ("resource",))
    by_group = Gauge("apiserver_resource_objects", "ALPHA", text, _BY_GROUP)
    sizes = Gauge(
        "apiserver_resource_size_estimate_bytes",
        "ALPHA",
        "Estimated size of stored objects in database.",
        _BY_GROUP,
    )
    versions = Gauge(
        "apiserver_watch_cache_resource_version",
        "ALPHA",
        "Current resource version of watch cache broken by resource type.",
        _BY_GROUP,
    )
    beginnings = Counter(
        "apiserver_watch_cache_initializations_total",
        "ALPHA",
        "Counter of watch cache initializations broken by resource type.",
        _BY_GROUP,
    )
    for each in store.collections():
        row, count = each.kind, len(each.objects)
        by_name.increase(row.resource, times=count)
        by_group.increase(row.group, row.plural, times=count)
        sizes.increase(row.group, row.plural, times=count * DATABASE_OBJECT_BYTES)
        versions.increase(row.group, row.plural, times=store.revision)
        beginnings.increase(row.group, row.plural)
    return [by_name, by_group, sizes, versions, beginnings]


def of_etcd(store: Store, database_bytes: int, endpoints: Iterable[Endpoint]) -> list[Family]:
    """The database, and the disk that it is on."""
    revision = store.revision
    families: list[Family] = [
        number(
            "etcd_mvcc_db_total_size_in_bytes",
            "Total size of the underlying database physically allocated in bytes.",
            database_bytes,
        ),
        number("etcd_debugging_mvcc_current_revision", "The current revision of store.", revision),
        number("etcd_server_has_leader", "Whether or not a leader exists.", 1),
        number(
            "etcd_server_proposals_applied_total",
            "The total number of consensus proposals applied.",
            revision,
        ),
    ]
    took = Distribution(_DISK_BOUNDS)
    for endpoint in endpoints:
        if endpoint.is_mutating:
            _add(took, endpoint.etcd_duration.bounds, endpoint.etcd_duration.counts)
    for name, text in _OPERATIONS:
        histogram = Histogram(name, "STABLE", text, _DISK_BOUNDS)
        histogram.distributions[()] = took
        families.append(histogram)
    return families


def _add(into: Distribution, bounds: tuple[float, ...], counts: list[int]) -> None:
    """Count each disk operation as a part of its write, by its bucket."""
    for value, count in zip(_values(bounds), counts, strict=True):
        if count:
            into.observe(value, count)


@functools.lru_cache(maxsize=16)
def _values(bounds: tuple[float, ...]) -> tuple[float, ...]:
    """How long a disk operation takes by the bucket of its write."""
    pairs = zip((0.0, *bounds), (*bounds, bounds[-1]), strict=True)
    return tuple((low + high) / 2 * _DISK for low, high in pairs)
