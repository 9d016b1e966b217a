"""NodeHealthTracker: whether too many nodes were unhealthy at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster import node_readiness
from kubestage.cluster.access import Resource, Selection
from kubestage.golang import floats
from kubestage.measure import perf_data
from kubestage.measure.informer import SYNC_POLL_NS, SYNC_TIMEOUT_NS
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Selecting
from kubestage.measure.results import NOTHING, MeasurementResult, Summary, Verdict

if TYPE_CHECKING:
    from kubestage.cluster.access import Subscription, WatchEvent
    from kubestage.measure.measurement import Context
    from kubestage.measure.results import Result

NAME: Final = "NodeHealthTracker"
_NODES: Final = Resource("v1", "Node")
_NEWS_NS: Final = 60_000_000_000


class NodeHealthParams(Selecting, frozen=True, kw_only=True):
    """How many nodes may be unhealthy: `threshold`, or the `ratio` of all if that is more."""

    threshold: int = 4
    ratio: float = 0.01


class NodeHealthTracker(Measurement[NodeHealthParams]):
    """Watches nodes and counts those that take no pods; only changes are evaluated."""

    params_type = NodeHealthParams
    actions = ("start", "gather", "stop")
    needs_start = True
    is_restarted = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._params = NodeHealthParams()
        self._subscription: Subscription | None = None
        self._is_running = False
        self._reset()

    def _reset(self) -> None:
        self._nodes: set[str] = set()
        # Names in the order in which they became unhealthy: the first is reported as an example.
        self._unwell: dict[str, None] = {}
        self._is_synced = False
        self._reported_ns: int | None = None
        self._violation = ""
        self._most = 0
        self._allowed = 0.0

    def perform(self, params: NodeHealthParams) -> Result:
        """Start, gather, or stop without a result."""
        if params.action == "stop":
            self.dispose()
            return NOTHING
        return super().perform(params)

    def start(self, params: NodeHealthParams) -> Result:
        """Watch; it has started when all nodes are known."""
        if self._is_running:
            return NOTHING
        self._reset()
        self._params = params
        self._is_running = True
        selection = Selection(
            _NODES, label_selector=params.label_selector, field_selector=params.field_selector
        )
        self._subscription = self.cluster.watch(selection, self._on_event)
        return self.wait(
            self._has_synced, self._started, every_ns=SYNC_POLL_NS, timeout_ns=SYNC_TIMEOUT_NS
        )

    def gather(self, params: NodeHealthParams) -> Result:
        """Stop, and report whether there were ever too many."""
        del params
        if not self._is_running:
            return MeasurementResult(errors=(f"measurement {NAME} has not been started",))
        self.dispose()
        is_reached = bool(self._violation)
        content = perf_data.pretty(
            {
                "nodeCount": len(self._nodes),
                "runningNodes": len(self._nodes) - len(self._unwell),
                "thresholdReached": is_reached,
            }
        )
        verdict = Verdict(
            name="unhealthy nodes",
            passed=not is_reached,
            value=float(self._most),
            threshold=self._allowed,
            unit="nodes",
            samples=len(self._nodes),
        )
        return MeasurementResult(
            summaries=(Summary(NAME, content, self.cluster.moments.unix_ns),),
            verdicts=(verdict,),
            errors=(f"node health: {self._violation}",) if is_reached else (),
        )

    def dispose(self) -> None:
        """Stop watching."""
        self._is_running = False
        if self._subscription is not None:
            self._subscription.stop()
            self._subscription = None

    def _has_synced(self) -> bool:
        return self._subscription is None or self._subscription.is_synced

    def _started(self, is_synced: bool) -> MeasurementResult:
        if not is_synced:
            problem = f"starting {NAME} measurement problem"
            return MeasurementResult(errors=(f"{problem}: timed out waiting for caches to sync",))
        self._is_synced = True
        self._check()
        return NOTHING

    def _on_event(self, event: WatchEvent) -> None:
        name = event.object["metadata"]["name"]
        if event.type == "DELETED":
            self._nodes.discard(name)
            self._unwell.pop(name, None)
        else:
            self._nodes.add(name)
            if node_readiness.is_schedulable_and_untainted(event.object):
                self._unwell.pop(name, None)
            else:
                self._unwell.setdefault(name)
        if self._is_synced:
            self._check()

    def _check(self) -> None:
        count, unwell = len(self._nodes), len(self._unwell)
        if not count:
            return
        self._allowed = max(float(self._params.threshold), count * self._params.ratio)
        self._most = max(self._most, unwell)
        if unwell <= self._allowed:
            return
        now_ns = self.now_ns
        if self._reported_ns is None or now_ns - self._reported_ns >= _NEWS_NS:
            self._reported_ns = now_ns
            self._violation = (
                f"number of unhealthy nodes ({unwell}) is above threshold "
                f"({floats.text(self._allowed)}), total nodes: {count}, "
                f"example unhealthy node: {next(iter(self._unwell))}"
            )
