"""How long the parts of scheduling took: by profile, extension point and plugin.

The metrics have kube-scheduler's fixed buckets and labels. This is the finer record behind
``kubestage analyze RUN timings``: every duration is counted, under the profile it belongs to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

MEASURED: Final = "measured"
MODELLED: Final = "modelled"
ATTEMPT: Final = "attempt"
ALGORITHM: Final = "algorithm"
POINT: Final = "extensionPoint"
PLUGIN: Final = "plugin"

# Buckets of one power of two: so a percentile is off by less than one part in 256.
_PRECISION_BITS: Final = 7
_EXACT: Final = 2 << _PRECISION_BITS


class Part(NamedTuple):
    """What took time. Of an `attempt` the result is known, of a `plugin` the extension point."""

    profile: str
    part: str
    extension_point: str = ""
    plugin: str = ""
    result: str = ""


class Durations:
    """How often which duration came up, in nanoseconds, with a bounded relative error."""

    __slots__ = ("_counts", "count", "max_ns", "total_ns")

    def __init__(self) -> None:
        self.count = 0
        self.total_ns = 0
        self.max_ns = 0
        self._counts: dict[int, int] = {}

    def observe(self, duration_ns: int) -> None:
        """Count a duration."""
        self.count += 1
        self.total_ns += duration_ns
        self.max_ns = max(self.max_ns, duration_ns)
        shift = max(duration_ns.bit_length() - _PRECISION_BITS - 1, 0)
        bucket = (shift << _PRECISION_BITS) + (duration_ns >> shift)
        self._counts[bucket] = self._counts.get(bucket, 0) + 1

    def percentile_ns(self, percent: int) -> int:
        """The duration that this percentage of all does not exceed."""
        rank, seen = -(-self.count * percent // 100), 0
        for bucket in sorted(self._counts):
            seen += self._counts[bucket]
            if seen >= rank:
                return min(_middle_ns(bucket), self.max_ns)
        return 0

    @property
    def mean_ns(self) -> float:
        """The arithmetic mean."""
        return self.total_ns / self.count if self.count else 0.0


class Timings:
    """All durations of a run; `source` is whether they were measured or come from a model."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._parts: dict[Part, Durations] = {}

    def observe(self, part: Part, duration_ns: int) -> None:
        """Count how long a part took."""
        found = self._parts.get(part)
        if found is None:
            found = self._parts[part] = Durations()
        found.observe(duration_ns)

    def __len__(self) -> int:
        return len(self._parts)

    def __iter__(self) -> Iterator[tuple[Part, Durations]]:
        """Every part, sorted: whole attempts first, then points, then their plugins."""
        return iter(sorted(self._parts.items(), key=lambda item: _rank(item[0])))


_PARTS: Final = (ATTEMPT, ALGORITHM, POINT, PLUGIN)
_POINTS: Final = (
    "PreEnqueue", "PreFilter", "Filter", "PostFilter", "PreFilterExtensionAddPod",
    "PreFilterExtensionRemovePod", "PreScore", "Score", "ScoreExtensionNormalize", "Reserve",
    "Unreserve", "Permit", "PreBind", "Bind", "PostBind",
)  # fmt: skip


def _rank(part: Part) -> tuple[object, ...]:
    point = part.extension_point
    place = _POINTS.index(point) if point in _POINTS else -1
    return part.profile, min(_PARTS.index(part.part), 2), place, part.plugin, part.result


def _middle_ns(bucket: int) -> int:
    if bucket < _EXACT:
        return bucket
    shift = (bucket >> _PRECISION_BITS) - 1
    lowest = (bucket - (shift << _PRECISION_BITS)) << shift
    return lowest + (1 << shift >> 1)
