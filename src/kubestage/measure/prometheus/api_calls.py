"""API calls by verb, resource and scope: their latencies, counts and thresholds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
import yaml

from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.measure.params import unknown_parameter
from kubestage.measure.percentiles import LatencyMetric
from kubestage.measure.perf_data import DataItem, PerfData
from kubestage.measure.results import Verdict
from kubestage.units import MILLISECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.measure.facilities import Sample

SINGLE_RESOURCE_NS: Final = 1_000_000_000
MULTIPLE_RESOURCES_NS: Final = 30_000_000_000
_VERSION: Final = "v1"


class Key(NamedTuple):
    """Which calls."""

    resource: str
    subresource: str
    verb: str
    scope: str

    def __str__(self) -> str:
        return "|".join(self)

    @classmethod
    def of(cls, sample: Sample, verb: str | None = None) -> Key:
        """The calls that a row is about."""
        own = sample.labels.get("verb", "") if verb is None else verb
        return cls(
            sample.labels.get("resource", ""),
            sample.labels.get("subresource", ""),
            own,
            sample.labels.get("scope", ""),
        )


class ApiCall(msgspec.Struct):
    """What was observed of some calls; quantiles are in seconds."""

    key: Key
    quantiles: dict[float, float] = msgspec.field(default_factory=dict)
    count: int = 0
    slow_count: int = 0

    @property
    def latency(self) -> LatencyMetric:
        """The percentiles."""
        return LatencyMetric.of_seconds(self.quantiles)

    def description(self) -> str:
        """As ClusterLoader2 prints it."""
        key = self.key
        return (
            f"&{{Resource:{key.resource} Subresource:{key.subresource} Verb:{key.verb} "
            f"Scope:{key.scope} Latency:{self.latency} Count:{self.count} "
            f"SlowCount:{self.slow_count}}}"
        )


class ApiCalls:
    """All calls of a test."""

    def __init__(self) -> None:
        self._calls: dict[Key, ApiCall] = {}

    def __contains__(self, key: Key) -> bool:
        return key in self._calls

    def call(self, key: Key) -> ApiCall:
        """What is known of some calls."""
        found = self._calls.get(key)
        if found is None:
            found = self._calls[key] = ApiCall(key)
        return found

    def set_quantiles(self, samples: Iterable[Sample], q: float | None, verb: str | None) -> None:
        """Rows of a quantile, which is their own label where none is passed."""
        for sample in samples:
            quantile = _quantile(sample) if q is None else q
            self.call(Key.of(sample, verb)).quantiles[quantile] = sample.value

    def set_counts(self, samples: Iterable[Sample], verb: str | None = None) -> None:
        """Rows with the number of calls."""
        for sample in samples:
            count = rounded(sample.value)
            if count:
                self.call(Key.of(sample, verb)).count = count

    def set_fast_counts(self, samples: Iterable[Sample]) -> None:
        """Rows with the number of calls that were fast enough; the rest were slow."""
        for sample in samples:
            call = self.call(Key.of(sample))
            slow = call.count - rounded(sample.value)
            if slow:
                call.slow_count = slow

    def ordered(self) -> list[ApiCall]:
        """The slowest first."""
        return sorted(self._calls.values(), key=_slowness)

    def to_json(self) -> str:
        """The summary that perfdash reads."""
        items = []
        for call in self.ordered():
            p50, p90, p99 = (each / MILLISECOND_NS for each in call.latency.values_ns)
            key = call.key
            labels = {
                "Verb": key.verb,
                "Resource": key.resource,
                "Subresource": key.subresource,
                "Scope": key.scope,
                "Count": str(call.count),
                "SlowCount": str(call.slow_count),
            }
            items.append(DataItem({"Perc50": p50, "Perc90": p90, "Perc99": p99}, "ms", labels))
        return PerfData(_VERSION, tuple(items)).to_json()


def _quantile(sample: Sample) -> float:
    text = sample.labels.get("quantile", "")
    try:
        return float(text)
    except ValueError as error:
        raise InputError(f"a row's label quantile is not a number: {text!r}") from error


def rounded(value: float) -> int:
    """The nearest whole number, halves away from zero."""
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


def _slowness(call: ApiCall) -> int:
    return -call.latency.perc99_ns


class Limits(msgspec.Struct, frozen=True):
    """How slow calls may be: those of one object, all others, and some that are named."""

    single_ns: int = SINGLE_RESOURCE_NS
    multiple_ns: int = MULTIPLE_RESOURCES_NS
    custom_ns: dict[Key, int] = msgspec.field(default_factory=dict)
    allowed_slow_calls: int = 0

    def threshold_ns(self, key: Key) -> int:
        """The limit of some calls."""
        custom = self.custom_ns.get(key)
        if custom is not None:
            return custom
        return self.single_ns if key.scope == "resource" else self.multiple_ns

    def problem(self, call: ApiCall) -> str | None:
        """The problem of some calls, in ClusterLoader2's words."""
        if self.allowed_slow_calls > 0 and call.slow_count <= self.allowed_slow_calls:
            return None
        threshold_ns = self.threshold_ns(call.key)
        if call.latency.violation(threshold_ns) is None:
            return None
        most = durations.go_string(threshold_ns)
        return f"got: {call.description()}; expected perc99 <= {most}"


def custom_thresholds(text: str, calls: ApiCalls) -> tuple[dict[Key, int], list[str]]:
    """The limits that a YAML list sets for named calls, and a warning for calls never made."""
    stated = stated_thresholds(text)
    found = {key: threshold_ns for key, threshold_ns in stated if key in calls}
    unknown = [key for key, _ in stated if key not in calls]
    return found, [f"unrecognized custom threshold API call key: {key}" for key in unknown]


def threshold_problems(text: str) -> Iterator[InputError]:
    """What is wrong with such a list."""
    try:
        stated_thresholds(text)
    except InputError as error:
        yield error


def stated_thresholds(text: str) -> list[tuple[Key, int]]:
    """The limits that a YAML list sets for named calls; InputError if it cannot be read."""
    path = "params.customThresholds"
    try:
        entries = yaml.safe_load(text) or []
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(f"no YAML: {error}", path=path) from error
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        raise InputError("must be a list of thresholds, written as YAML", path=path)
    return [
        (
            Key(*(str(entry.get(name) or "") for name in Key._fields)),
            _threshold_ns(entry.get("threshold"), f"{path}[{index}].threshold"),
        )
        for index, entry in enumerate(entries)
    ]


def unknown_keys(text: str) -> list[str]:
    """Warnings about keys of such a list that nothing reads; none if it cannot be read."""
    try:
        entries = yaml.safe_load(text) or []
    except (yaml.YAMLError, ValueError):
        return []
    known = [*Key._fields, "threshold"]
    return [
        unknown_parameter(key, known, f"customThresholds[{index}].")
        for index, entry in enumerate(entries if isinstance(entries, list) else [])
        for key in (entry if isinstance(entry, dict) else ())
        if key not in known
    ]


def _threshold_ns(value: Any, path: str) -> int:
    try:
        threshold_ns = (
            durations.parse_duration(value) if isinstance(value, str) else int(value or 0)
        )
    except (TypeError, ValueError) as error:
        raise InputError(str(error), path=path, fix='write it as "1s" or "500ms"') from error
    if threshold_ns <= 0:
        raise InputError("custom threshold must be set to a positive time duration", path=path)
    return threshold_ns


def single_resource_ns(text: str) -> tuple[int, list[str]]:
    """The limit of calls on one object; one that cannot be read is reported and not used."""
    try:
        return durations.parse_duration(text), []
    except ValueError as error:
        most = durations.go_string(SINGLE_RESOURCE_NS)
        description = f"invalid singleResourceThreshold value: {error}, defaulting to {most}"
        return SINGLE_RESOURCE_NS, [description]


def verdicts(calls: ApiCalls, limits: Limits, *, is_enforced: bool) -> tuple[Verdict, ...]:
    """One verdict per limit, on the slowest of the calls that it is for."""
    by_limit: dict[tuple[str, int], list[ApiCall]] = {}
    for call in calls.ordered():
        name = str(call.key) if call.key in limits.custom_ns else _scope(call.key)
        by_limit.setdefault((name, limits.threshold_ns(call.key)), []).append(call)
    if not by_limit:
        return (
            Verdict(
                name="API call p99",
                passed=True,
                threshold=limits.single_ns / durations.SECOND,
                unit="s",
                samples=0,
                is_enforced=is_enforced,
            ),
        )
    return tuple(
        _verdict(name, threshold_ns, group, limits, is_enforced=is_enforced)
        for (name, threshold_ns), group in sorted(by_limit.items(), key=_limit)
    )


def _limit(item: tuple[tuple[str, int], list[ApiCall]]) -> tuple[str, int]:
    return item[0]


def _verdict(
    name: str, threshold_ns: int, group: list[ApiCall], limits: Limits, *, is_enforced: bool
) -> Verdict:
    """On the slowest of some calls; those of which only the number is known are ignored."""
    timed = [call for call in group if call.quantiles]
    return Verdict(
        name=f"API call p99 ({name})",
        passed=all(limits.problem(call) is None for call in group),
        value=timed[0].latency.perc99_ns / durations.SECOND if timed else None,
        threshold=threshold_ns / durations.SECOND,
        unit="s",
        samples=sum(max(call.count, 1) for call in timed),
        is_enforced=is_enforced,
    )


def _scope(key: Key) -> str:
    return f"scope {key.scope}" if key.scope else "no scope"
