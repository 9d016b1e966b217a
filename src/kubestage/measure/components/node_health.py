"""NodeHealthTracker: whether too many nodes were unwell at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster import node_readiness
from kubestage.cluster.access import Resource, Selection
from kubestage.measure import perf_data
from kubestage.measure.informer import SYNC_LOOK_NS, SYNC_TIMEOUT_NS
from kubestage.measure.measurement import Measurement
from kubestage.measure.outcome import NOTHING, Outcome, Summary, Verdict
from kubestage.measure.params import Selecting
from kubestage.objects import go_text

if TYPE_CHECKING:
    from kubestage.cluster.access import Seen, Subscription
    from kubestage.measure.measurement import Context
    from kubestage.measure.outcome import Result

NAME: Final = "NodeHealthTracker"
_NODES: Final = Resource("v1", "Node")
_NEWS_NS: Final = 60_000_000_000


class NodeHealthParams(Selecting, frozen=True, kw_only=True):
    """So many nodes may be unwell: `threshold`, or the `ratio` of all if that is more."""

    threshold: int = 4
    ratio: float = 0.01


class NodeHealthTracker(Measurement[NodeHealthParams]):
    """Watches nodes and counts those that take no pods; only what changes is looked at."""

    params_type = NodeHealthParams

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._params = NodeHealthParams()
        self._subscription: Subscription | None = None
        self._is_running = False
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._nodes: set[str] = set()
        # Names in the order in which they fell ill: the first is the example that is told.
        self._unwell: dict[str, None] = {}
        self._is_synced = False
        self._told_ns: int | None = None
        self._violation = ""
        self._most = 0
        self._allowed = 0.0

    def perform(self, params: NodeHealthParams) -> Result:
        """Start, gather, or stop without a word."""
        if params.action == "stop":
            self.dispose()
            return NOTHING
        return super().perform(params)

    def start(self, params: NodeHealthParams) -> Result:
        """Watch; it has begun when all nodes are known."""
        if self._is_running:
            return NOTHING
        self._begin_anew()
        self._params = params
        self._is_running = True
        selection = Selection(
            _NODES, label_selector=params.label_selector, field_selector=params.field_selector
        )
        self._subscription = self.cluster.watch(selection, self._seen)
        return self.wait(
            self._has_synced, self._started, every_ns=SYNC_LOOK_NS, timeout_ns=SYNC_TIMEOUT_NS
        )

    def gather(self, params: NodeHealthParams) -> Result:
        """Stop, and say whether there were ever too many."""
        del params
        if not self._is_running:
            return Outcome(errors=(f"measurement {NAME} has not been started",))
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
        return Outcome(
            summaries=(Summary(NAME, content, self.cluster.moments.unix_ns),),
            verdicts=(verdict,),
            errors=(f"node health: {self._violation}",) if is_reached else (),
        )

    def dispose(self) -> None:
        """Watch no more."""
        self._is_running = False
        if self._subscription is not None:
            self._subscription.stop()
            self._subscription = None

    def _has_synced(self) -> bool:
        return self._subscription is None or self._subscription.is_synced

    def _started(self, is_synced: bool) -> Outcome:
        if not is_synced:
            problem = f"starting {NAME} measurement problem"
            return Outcome(errors=(f"{problem}: timed out waiting for caches to sync",))
        self._is_synced = True
        self._check()
        return NOTHING

    def _seen(self, seen: Seen) -> None:
        name = seen.object["metadata"]["name"]
        if seen.type == "DELETED":
            self._nodes.discard(name)
            self._unwell.pop(name, None)
        else:
            self._nodes.add(name)
            if node_readiness.is_schedulable_and_untainted(seen.object):
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
        if self._told_ns is None or now_ns - self._told_ns >= _NEWS_NS:
            self._told_ns = now_ns
            self._violation = (
                f"number of unhealthy nodes ({unwell}) is above threshold "
                f"({go_text.float_text(self._allowed)}), total nodes: {count}, "
                f"example unhealthy node: {next(iter(self._unwell))}"
            )
