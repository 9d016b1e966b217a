"""The results of a measurement: summaries, verdicts, rows and errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Summary(msgspec.Struct, frozen=True):
    """One file of a report: ``<name>_<test>_<time>.<ext>``; perfdash knows it by its name."""

    name: str
    content: str
    unix_ns: int
    ext: str = "json"


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """One condition that was checked, and whether it holds.

    `name` is what is checked (``pod_startup p99``), `value` and `threshold` are in `unit`, None
    where there is nothing to compare. `samples` is how many observations the value is based on: a
    pass without any is reported as an empty one. With `is_upper` the value may be at most the
    threshold, else it must be at least the threshold. `is_enforced` is False where a miss is
    reported and does not fail the test.
    """

    name: str
    passed: bool
    value: float | None = None
    threshold: float | None = None
    unit: str = ""
    samples: int | None = None
    is_upper: bool = True
    is_enforced: bool = True

    @property
    def is_empty(self) -> bool:
        """Whether it passed without a single sample."""
        return self.passed and self.samples == 0


class Latencies(msgspec.Struct, frozen=True):
    """What was observed of each object, in columns: its key, when it began, how long it took."""

    metric: str
    objects: list[str]
    began_ns: Sequence[int]
    took_ns: Sequence[int]


class Series(msgspec.Struct, frozen=True):
    """A value over time, for charts: throughput, usage, replicas."""

    metric: str
    unit: str
    at_ns: list[int]
    values: list[float]


class MeasurementResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one action of a measurement.

    `errors` fail the step, and with it the test; `is_fatal` ends the test. `skipped` is why
    nothing was measured, where the measured feature is off. `warnings` are reported. `has_samples`
    is set where a part without verdicts measured something.
    """

    summaries: tuple[Summary, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    latencies: tuple[Latencies, ...] = ()
    series: tuple[Series, ...] = ()
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    skipped: str = ""
    is_fatal: bool = False
    has_samples: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether it has verdicts, and all of them passed without a sample."""
        are_empty = bool(self.verdicts) and all(each.is_empty for each in self.verdicts)
        return are_empty and not self.has_samples


NOTHING = MeasurementResult()
"""An empty result, as that of most starts."""
NOT_STARTED = MeasurementResult(skipped="it is not started")
"""The result of a gather where ClusterLoader2 reports nothing, and no error."""


class PendingResult:
    """A result that is not there yet."""

    def __init__(self) -> None:
        self._result: MeasurementResult | None = None
        self._callback: Callable[[MeasurementResult], None] | None = None

    @property
    def is_resolved(self) -> bool:
        """Whether the result is there."""
        return self._result is not None

    def resolve(self, result: MeasurementResult) -> None:
        """Set the result; only the first one counts."""
        if self._result is None:
            self._result = result
            if self._callback is not None:
                self._callback(result)

    def then(self, callback: Callable[[MeasurementResult], None]) -> None:
        """Set the callback; it is called at once if the result is there already."""
        self._callback = callback
        if self._result is not None:
            callback(self._result)


Result = MeasurementResult | PendingResult


_NO_ITEMS: Final = '\n  "dataItems": null'


def empty_verdict(name: str) -> Verdict:
    """The verdict of a file without a sample."""
    return Verdict(name=name, passed=True, samples=0)


def with_empty_verdicts(result: MeasurementResult) -> MeasurementResult:
    """A result with a verdict for each summary without data, unless one shows that already."""
    if any(each.samples == 0 for each in result.verdicts):
        return result
    empty = tuple(
        empty_verdict(each.name) for each in result.summaries if _NO_ITEMS in each.content
    )
    return msgspec.structs.replace(result, verdicts=result.verdicts + empty) if empty else result


def merge_results(results: list[MeasurementResult]) -> MeasurementResult:
    """Several results as one, in their order."""
    parts: dict[str, Any] = {
        name: tuple(item for result in results for item in getattr(result, name))
        for name in ("summaries", "verdicts", "latencies", "series", "errors", "warnings")
    }
    return MeasurementResult(
        **parts,
        skipped="; ".join(result.skipped for result in results if result.skipped),
        is_fatal=any(result.is_fatal for result in results),
        has_samples=any(result.has_samples for result in results),
    )
