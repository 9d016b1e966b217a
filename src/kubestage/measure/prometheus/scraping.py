"""Adds the metrics of a component to series, and touches only what has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.golang import floats
from kubestage.metrics.families import Histogram
from kubestage.promql.matchers import NAME
from kubestage.promql.series import STALE, Axis, labels_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.metrics.families import Distribution, Family
    from kubestage.promql.series import BucketColumns, Labels, Series, SeriesStore

    Values = tuple[str, ...]


class Target(msgspec.Struct, frozen=True):
    """A component and the labels that a scrape adds to all of its series.

    `interval_ns` is 0 for the default of the store. Series whose namespace begins with `dropped`
    are not stored; none are dropped if that is empty.
    """

    component: str
    labels: dict[str, str]
    interval_ns: int = 0
    dropped: str = ""


def control_plane(component: str, endpoint: str, port: int) -> Target:
    """A component of the control plane, as ClusterLoader2's Prometheus knows it."""
    labels = {
        "endpoint": endpoint,
        "instance": f"master:{port}",
        "job": "master",
        "namespace": "monitoring",
        "service": "master",
    }
    return Target(component, labels)


APISERVER: Final = control_plane("apiserver", "apiserver", 443)
SCHEDULER: Final = control_plane("scheduler", "kube-scheduler", 10259)
CONTROLLER_MANAGER: Final = control_plane("controller-manager", "kube-controller-manager", 10257)
ETCD: Final = control_plane("etcd", "etcd-2382", 2382)
_KUBELET_NS: Final = 30_000_000_000
KUBELET: Final = Target(
    "kubelet", {"endpoint": "https-metrics", "job": "kubelet"}, interval_ns=_KUBELET_NS
)
CADVISOR: Final = Target(
    "cadvisor",
    {"endpoint": "https-metrics", "job": "kubelet", "metrics_path": "/metrics/cadvisor"},
    interval_ns=_KUBELET_NS,
    dropped="test-",
)
CONTROL_PLANE: Final = (APISERVER, SCHEDULER, CONTROLLER_MANAGER, ETCD)
SYSTEM: Final = (*CONTROL_PLANE, msgspec.structs.replace(CADVISOR, component="system-containers"))
"""With the containers outside of the load: they must not restart, however large the load is."""
EVERYTHING: Final = (*CONTROL_PLANE, KUBELET, CADVISOR)
"""With what runs on the nodes: there are as many series then as there are containers."""


class Scrape:
    """All that has been scraped of one target."""

    def __init__(self, target: Target, store: SeriesStore) -> None:
        self.target = target
        self.due_ns = 0
        self._added = target.labels
        self._store = store
        self._axis = Axis()
        self._families: dict[str, _Family] = {}
        self._pairs: dict[tuple[str, str], tuple[str, str]] = {}
        self._up = self.series("up", (), ())

    def take(self, families: Iterable[Family], at_ms: int) -> None:
        """The numbers of now; what is no longer among them has ended."""
        self._axis.append(at_ms)
        self._up.put(1.0)
        present = set()
        for family in families:
            present.add(family.name)
            known = self._families.get(family.name)
            if known is None:
                known = self._families[family.name] = _Family(self, family)
            known.take(family)
        for name in [name for name in self._families if name not in present]:
            self._families.pop(name).end()

    def is_dropped(self, labels: tuple[str, ...], values: Values) -> bool:
        """Whether a series is not stored."""
        dropped = self.target.dropped
        if not dropped or "namespace" not in labels:
            return False
        return values[labels.index("namespace")].startswith(dropped)

    def labels(self, name: str, labels: tuple[str, ...], values: Values) -> Labels:
        """The labels of a series of this target."""
        own = dict(zip(labels, values, strict=True))
        added = self._added
        # The labels of the target replace those of the component.
        moved = {f"exported_{key}" if key in added else key: each for key, each in own.items()}
        # NOTE: ten thousand series have a dozen labels each, most of them in common.
        same = self._pairs
        return tuple(
            same.setdefault(pair, pair) for pair in labels_of({**moved, **added, NAME: name})
        )

    def series(self, name: str, labels: tuple[str, ...], values: Values) -> Series:
        """The series of a metric that is one number."""
        return self._store.series(self.labels(name, labels, values), self._axis)

    def buckets(self, labels: list[Labels]) -> BucketColumns:
        """The columns of a distribution."""
        return self._store.buckets(labels, self._axis)


class _Family:
    """The series of one metric, by the values of its labels."""

    def __init__(self, scrape: Scrape, family: Family) -> None:
        self._scrape = scrape
        self._name = family.name
        self._labels = family.labels
        self._rows: dict[Any, _Number | _Buckets] = {}
        # The distributions of the last time, each with its row.
        self._present: Any = None
        self._paired: list[tuple[_Number | _Buckets, Distribution]] = []

    def take(self, family: Family) -> None:
        """The numbers of now."""
        rows = self._rows
        if isinstance(family, Histogram):
            present: Any = family.distributions
            # NOTE: to find a row by seven labels takes longer than to see that nothing has changed
            # there, which is so for most of them (benchmarks/load.py).
            if present is not self._present or len(present) != len(self._paired):
                self._present, self._paired = present, self._pairs(family)
            for row, distribution in self._paired:
                row.take(distribution)
        else:
            present = self._without_dropped(_numbers(family))
            for values, value in present.items():
                known = rows.get(values)
                if known is None:
                    series = self._scrape.series(self._name, self._labels, values)
                    known = rows[values] = _Number(series)
                known.take(value)
        if len(rows) != len(present):
            for values in [values for values in rows if values not in present]:
                rows.pop(values).end()

    def _pairs(self, family: Histogram) -> list[tuple[_Number | _Buckets, Distribution]]:
        rows = self._rows
        found: list[tuple[_Number | _Buckets, Distribution]] = []
        for values, distribution in family.distributions.items():
            row = rows.get(values)
            if row is None:
                row = rows[values] = self._buckets(values, distribution)
            found.append((row, distribution))
        return found

    def _without_dropped(self, numbers: dict[Values, float]) -> dict[Values, float]:
        if not self._scrape.target.dropped:
            return numbers
        labels, is_dropped = self._labels, self._scrape.is_dropped
        return {key: value for key, value in numbers.items() if not is_dropped(labels, key)}

    def end(self) -> None:
        """The metric is gone."""
        for row in self._rows.values():
            row.end()

    def _buckets(self, values: Values, distribution: Distribution) -> _Buckets:
        name, labels = self._name, self._labels
        bounds = [*map(floats.text, distribution.bounds), "+Inf"]
        names = [
            self._scrape.labels(f"{name}_bucket", (*labels, "le"), (*values, bound))
            for bound in bounds
        ]
        names += [
            self._scrape.labels(f"{name}_{word}", labels, values) for word in ("count", "sum")
        ]
        return _Buckets(self._scrape.buckets(names))


def _numbers(family: Family) -> dict[Values, float]:
    """Numbers by the values of labels; a family that stores none as such is read line by line."""
    values = getattr(family, "values", None)
    if values is not None:
        found: dict[Values, float] = values
        return found
    numbers: dict[Values, float] = {}
    for suffix, pairs, value in family.samples():
        assert not suffix, "only histograms have lines of several names"
        by_name = dict(pairs)
        numbers[tuple(by_name[label] for label in family.labels)] = value
    return numbers


class _Number:
    """One series, and its last value."""

    __slots__ = ("_last", "_series")

    def __init__(self, series: Series) -> None:
        self._series = series
        self._last: float | None = None

    def take(self, value: Any) -> None:
        """What it is now."""
        if value != self._last:
            self._last = value
            self._series.put(float(value))

    def end(self) -> None:
        """It is gone."""
        self._series.put(STALE)


class _Buckets:
    """The columns of one distribution (buckets, count, sum), and their last values."""

    __slots__ = ("_columns", "_counts")

    def __init__(self, columns: BucketColumns) -> None:
        self._columns = columns
        self._counts: list[int] = []

    def take(self, distribution: Any) -> None:
        """What it is now; where nothing was observed, nothing has changed."""
        if distribution.counts != self._counts:
            self._counts = counts = list(distribution.counts)
            self._columns.put_counts(counts, distribution.total)

    def end(self) -> None:
        """It is gone."""
        self._columns.end()
