"""APIAvailability: how much of the time the API server says that it is ready."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.measure import perf_data
from kubestage.measure.measurement import Measurement
from kubestage.measure.outcome import NOTHING, Outcome, Summary, Verdict
from kubestage.measure.params import Duration, Params
from kubestage.objects import durations

if TYPE_CHECKING:
    from kubestage.cluster.access import Page, Timer
    from kubestage.measure.measurement import Context
    from kubestage.measure.outcome import Result

NAME: Final = "APIAvailability"
# A server that is about to shut down still answers; only this one check says that it will not.
PATH: Final = "/readyz?exclude=shutdown"
_PATIENCE_NS: Final = 120_000_000_000
_LOOK_NS: Final = 100_000_000


class AvailabilityParams(Params, frozen=True, kw_only=True):
    """`poll_frequency` is the pause between two questions, `threshold` a percentage.

    The `host` parameters are those of asking each machine of the control plane by its address.
    """

    poll_frequency: Duration | None = None
    threshold: float = 0.0
    use_host_internal_ips: bool = msgspec.field(default=False, name="useHostInternalIPs")
    use_host_public_ips: bool = msgspec.field(default=False, name="useHostPublicIPs")
    host_poll_timeout_seconds: int = 5
    host_poll_exec_timeout_seconds: int = 10


class Tally:
    """How often there was an answer, and the longest run of times without one."""

    def __init__(self) -> None:
        self.successes = 0
        self.failures = 0
        self.longest = 0
        self._row = 0

    def add(self, *, is_available: bool) -> None:
        """Count one question."""
        if is_available:
            self.successes += 1
            self._row = 0
            return
        self.failures += 1
        self._row += 1
        self.longest = max(self.longest, self._row)

    @property
    def count(self) -> int:
        """How many questions there were."""
        return self.successes + self.failures

    @property
    def percentage(self) -> float:
        """How many of a hundred were answered; all where none was asked."""
        return self.successes / self.count * 100 if self.count else 100.0


class APIAvailability(Measurement[AvailabilityParams]):
    """Asks ``/readyz`` again and again, each time a while after the last answer."""

    params_type = AvailabilityParams

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._tally = Tally()
        self._frequency_ns = 0
        self._threshold = 0.0
        self._is_running = False
        self._is_paused = False
        self._is_asking = False
        self._timer: Timer | None = None

    def perform(self, params: AvailabilityParams) -> Result:
        """Start, pause, unpause or gather."""
        if params.action in ("pause", "unpause"):
            return self._pause(is_paused=params.action == "pause")
        return super().perform(params)

    def start(self, params: AvailabilityParams) -> Result:
        """Begin to ask."""
        if self._is_running:
            return NOTHING
        if params.poll_frequency is None or params.poll_frequency <= 0:
            raise InputError(
                "the time between two questions is missing",
                path="params.pollFrequency",
                fix='write it as "5s"',
            )
        self._tally = Tally()
        self._frequency_ns = params.poll_frequency
        self._threshold = params.threshold
        self._is_running, self._is_paused = True, False
        self._ask_later()
        if params.use_host_internal_ips or params.use_host_public_ips:
            warning = "hosts are not asked one by one: that needs the exec service"
            return Outcome(warnings=(f"{NAME}: {warning}",))
        return NOTHING

    def gather(self, params: AvailabilityParams) -> Result:
        """Say how available it was, once the answer that is still due is there."""
        del params
        if not self._is_running:
            return NOTHING
        self._stop()
        return self.wait(
            self._is_quiet, self._summarize, every_ns=_LOOK_NS, timeout_ns=_PATIENCE_NS
        )

    def dispose(self) -> None:
        """Ask no more."""
        self._stop()

    def _pause(self, *, is_paused: bool) -> Outcome:
        if not self._is_running:
            return NOTHING
        if self._is_paused == is_paused:
            word = "paused" if is_paused else "unpaused"
            return Outcome(warnings=(f"{NAME}: measurement already {word}",))
        self._is_paused = is_paused
        if is_paused:
            self._cancel()
        elif not self._is_asking:
            self._ask_later()
        return NOTHING

    def _ask_later(self) -> None:
        self._timer = self.cluster.moments.at(self.now_ns + self._frequency_ns, self._ask)

    def _ask(self) -> None:
        self._timer = None
        self._is_asking = True
        self.cluster.raw(PATH, self._answered)

    def _answered(self, page: Page) -> None:
        self._is_asking = False
        self._tally.add(is_available=page.code == HTTPStatus.OK)
        if self._is_running and not self._is_paused:
            self._ask_later()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _stop(self) -> None:
        self._is_running = False
        self._cancel()

    def _is_quiet(self) -> bool:
        return not self._is_asking

    def _summarize(self, is_quiet: bool) -> Outcome:
        del is_quiet
        tally = self._tally
        summary = _summary(tally, self._frequency_ns)
        content = perf_data.pretty({"clusterMetrics": summary, "hostMetrics": None})
        passed = tally.percentage >= self._threshold
        errors = () if passed else (_violation(self._threshold, tally.percentage),)
        verdict = Verdict(
            name="API availability",
            passed=passed,
            value=tally.percentage,
            threshold=self._threshold,
            unit="%",
            samples=tally.count,
            is_upper=False,
        )
        return Outcome(
            summaries=(Summary(NAME, content, self.cluster.moments.unix_ns),),
            verdicts=(verdict,),
            errors=errors,
        )


def _summary(tally: Tally, frequency_ns: int) -> dict[str, Any]:
    return {
        "availabilityPercentage": tally.percentage,
        "longestUnavailablePeriod": durations.go_string(tally.longest * frequency_ns),
    }


def _violation(threshold: float, percentage: float) -> str:
    return (
        f"API availability: SLO not fulfilled (expected >= {threshold:.2f}, got: {percentage:.2f})"
    )
