"""APIAvailability: how much of the time the API server is ready."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.measure import perf_data
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Duration, Params
from kubestage.measure.results import (
    NOT_STARTED,
    NOTHING,
    MeasurementResult,
    Summary,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.cluster.access import Page, Timer
    from kubestage.measure.measurement import Context
    from kubestage.measure.results import Result

NAME: Final = "APIAvailability"
# A server that is about to shut down still answers; only this check reports the shutdown.
PATH: Final = "/readyz?exclude=shutdown"
_PATIENCE_NS: Final = 120_000_000_000
_POLL_NS: Final = 100_000_000


class AvailabilityParams(Params, frozen=True, kw_only=True):
    """`poll_frequency` is the pause between two checks, `threshold` a percentage.

    The `host` parameters are for checks of each machine of the control plane by its address.
    """

    poll_frequency: Duration | None = None
    threshold: float = 0.0
    use_host_internal_ips: bool = msgspec.field(default=False, name="useHostInternalIPs")
    use_host_public_ips: bool = msgspec.field(default=False, name="useHostPublicIPs")
    host_poll_timeout_seconds: int = 5
    host_poll_exec_timeout_seconds: int = 10

    def problems(self) -> Iterator[InputError]:
        """``start`` needs the time between two checks."""
        is_missing = self.poll_frequency is None or self.poll_frequency <= 0
        if self.action == "start" and is_missing:
            yield InputError(
                "the time between two questions is missing",
                path="params.pollFrequency",
                fix='write it as "5s"',
            )


class AvailabilityCount:
    """How many checks succeeded, and the longest run of failed ones."""

    def __init__(self) -> None:
        self.successes = 0
        self.failures = 0
        self.longest = 0
        self._row = 0

    def add(self, *, is_available: bool) -> None:
        """Count one check."""
        if is_available:
            self.successes += 1
            self._row = 0
            return
        self.failures += 1
        self._row += 1
        self.longest = max(self.longest, self._row)

    @property
    def count(self) -> int:
        """How many checks there were."""
        return self.successes + self.failures

    @property
    def percentage(self) -> float:
        """How many percent succeeded; all where there was none."""
        return self.successes / self.count * 100 if self.count else 100.0


class APIAvailability(Measurement[AvailabilityParams]):
    """Requests ``/readyz`` repeatedly, each time a while after the last answer."""

    params_type = AvailabilityParams
    actions = ("start", "pause", "unpause", "gather")
    needs_start = True
    is_restarted = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._checks = AvailabilityCount()
        self._frequency_ns = 0
        self._threshold = 0.0
        self._is_running = False
        self._is_paused = False
        self._is_requesting = False
        self._timer: Timer | None = None

    def perform(self, params: AvailabilityParams) -> Result:
        """Start, pause, unpause or gather."""
        if params.action in ("pause", "unpause"):
            return self._pause(is_paused=params.action == "pause")
        return super().perform(params)

    def start(self, params: AvailabilityParams) -> Result:
        """Start the checks."""
        if self._is_running:
            return NOTHING
        params.check()
        assert params.poll_frequency is not None
        self._checks = AvailabilityCount()
        self._frequency_ns = params.poll_frequency
        self._threshold = params.threshold
        self._is_running, self._is_paused = True, False
        self._schedule_request()
        if params.use_host_internal_ips or params.use_host_public_ips:
            warning = "hosts are not checked one by one: that needs the exec service"
            return MeasurementResult(warnings=(f"{NAME}: {warning}",))
        return NOTHING

    def gather(self, params: AvailabilityParams) -> Result:
        """Report the availability, when the last answer is there."""
        del params
        if not self._is_running:
            return NOT_STARTED
        self._stop()
        return self.wait(
            self._is_quiet, self._summarize, every_ns=_POLL_NS, timeout_ns=_PATIENCE_NS
        )

    def dispose(self) -> None:
        """Stop requesting."""
        self._stop()

    def _pause(self, *, is_paused: bool) -> MeasurementResult:
        if not self._is_running:
            return NOTHING
        if self._is_paused == is_paused:
            word = "paused" if is_paused else "unpaused"
            return MeasurementResult(warnings=(f"{NAME}: measurement already {word}",))
        self._is_paused = is_paused
        if is_paused:
            self._cancel()
        elif not self._is_requesting:
            self._schedule_request()
        return NOTHING

    def _schedule_request(self) -> None:
        self._timer = self.cluster.moments.at(self.now_ns + self._frequency_ns, self._request)

    def _request(self) -> None:
        self._timer = None
        self._is_requesting = True
        self.cluster.raw(PATH, self._answered)

    def _answered(self, page: Page) -> None:
        self._is_requesting = False
        self._checks.add(is_available=page.code == HTTPStatus.OK)
        if self._is_running and not self._is_paused:
            self._schedule_request()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _stop(self) -> None:
        self._is_running = False
        self._cancel()

    def _is_quiet(self) -> bool:
        return not self._is_requesting

    def _summarize(self, is_quiet: bool) -> MeasurementResult:
        del is_quiet
        checks = self._checks
        summary = _summary(checks, self._frequency_ns)
        content = perf_data.pretty({"clusterMetrics": summary, "hostMetrics": None})
        passed = checks.percentage >= self._threshold
        errors = () if passed else (_violation(self._threshold, checks.percentage),)
        verdict = Verdict(
            name="API availability",
            passed=passed,
            value=checks.percentage,
            threshold=self._threshold,
            unit="%",
            samples=checks.count,
            is_upper=False,
        )
        return MeasurementResult(
            summaries=(Summary(NAME, content, self.cluster.moments.unix_ns),),
            verdicts=(verdict,),
            errors=errors,
        )


def _summary(checks: AvailabilityCount, frequency_ns: int) -> dict[str, Any]:
    return {
        "availabilityPercentage": checks.percentage,
        "longestUnavailablePeriod": durations.go_string(checks.longest * frequency_ns),
    }


def _violation(threshold: float, percentage: float) -> str:
    return (
        f"API availability: SLO not fulfilled (expected >= {threshold:.2f}, got: {percentage:.2f})"
    )
