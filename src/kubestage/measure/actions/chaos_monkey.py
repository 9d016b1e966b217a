"""ChaosMonkey: nodes that fail while a test goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kubestage.cluster.node_failures import NodeFailure, NodeFailures
from kubestage.errors import InputError
from kubestage.measure.measurement import Measurement, unknown_action
from kubestage.measure.params import Duration, Params
from kubestage.measure.results import NOTHING, MeasurementResult, PendingResult, Series

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.measure.measurement import Context
    from kubestage.measure.results import Result


class ChaosMonkeyParams(Params, frozen=True, kw_only=True):
    """The parameters of ChaosMonkey."""

    ignores_case: ClassVar[bool] = True

    failure_rate: float = 0.0
    interval: Duration = Duration(0)
    jitter_factor: float = 0.0
    simulated_downtime: Duration = Duration(0)

    def problems(self) -> Iterator[InputError]:
        """A share is between none and all."""
        if self.action == "start" and not 0 <= self.failure_rate <= 1:
            yield InputError(
                f"{self.failure_rate} is not a share of the nodes",
                path="params.failureRate",
                fix="use a number from 0 to 1",
            )


class ChaosMonkey(Measurement[ChaosMonkeyParams]):
    """Fails a share of the nodes repeatedly between ``start`` and ``stop``.

    No node fails twice, not even if it is started again.
    """

    params_type = ChaosMonkeyParams
    actions = ("start", "stop", "gather")
    needs_start = True
    is_restarted = True
    ends = ("stop", "gather")

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._failures: NodeFailures | None = None
        self._killed: dict[str, None] = {}

    def perform(self, params: ChaosMonkeyParams) -> Result:
        """Start or stop; to gather is to stop."""
        if params.action == "start":
            return self.start(params)
        if params.action in ("stop", "gather"):
            return self.gather(params)
        raise unknown_action(params.action, "start", "stop")

    def start(self, params: ChaosMonkeyParams) -> Result:
        """Start to fail nodes; those of a real cluster cannot be failed."""
        if not self.cluster.is_stage:
            problem = "nodes of a real cluster are not supported by NodeKiller"
            return MeasurementResult(errors=(f"error while creating chaos monkey: {problem}",))
        if self._failures is not None:
            return MeasurementResult(errors=("chaos monkey is running already",))
        params.check()
        self._failures = NodeFailures(self.cluster, self.context.random, self._killed)
        plan = NodeFailure(
            params.failure_rate, params.interval, params.jitter_factor, params.simulated_downtime
        )
        self._failures.begin(plan)
        return NOTHING

    def gather(self, params: ChaosMonkeyParams) -> Result:
        """Stop failing nodes, and wait until those that are down are back."""
        del params
        failures, self._failures = self._failures, None
        if failures is None:
            return MeasurementResult(errors=("chaos monkey has not been started",))
        self._killed = failures.killed
        ending = _Ending(failures)
        failures.stop(ending.end)
        return ending.pending

    def dispose(self) -> None:
        """Restore nodes that are down."""
        if self._failures is not None:
            self._failures.stop(_do_nothing)
            self._failures = None


class _Ending:
    """Waits for the last node to come back, and reports how many were down when."""

    def __init__(self, failures: NodeFailures) -> None:
        self.pending = PendingResult()
        self._failures = failures

    def end(self) -> None:
        down, at_ns, values = 0, [], []
        for event in self._failures.events:
            down += 1 if event.action == "stopService" else -1
            at_ns.append(event.at_ns)
            values.append(float(down))
        series = (Series("nodes_down", "nodes", at_ns, values),) if at_ns else ()
        self.pending.resolve(
            MeasurementResult(series=series, warnings=tuple(self._failures.problems))
        )


def _do_nothing() -> None:
    """The callback where nothing waits for the nodes to come back."""
