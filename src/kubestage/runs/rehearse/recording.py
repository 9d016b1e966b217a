"""One rehearsal under way: the stage, what is recorded of it, and when it is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import kubestage
from kubestage import lazy
from kubestage.results.life import recorder as recorders
from kubestage.runs.rehearse import settling, traffic_loss
from kubestage.runs.rehearse.settling import PATIENCE_NS, Activity
from kubestage.units import SECOND_NS

with lazy.imports():
    from kubestage.results.history import history_recorder

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.results.history.history_file import HistoryBytes
    from kubestage.results.history.history_recorder import HistoryBeginning, HistoryRecorder
    from kubestage.results.life.life import Life
    from kubestage.runs.rehearse.cluster import Cluster
    from kubestage.runs.rehearse.traffic_loss import TrafficLoss

_STEP_NS: Final = 5 * SECOND_NS


class Recording:
    """Lets time pass on a stage from the beginning of a rehearsal, and records what happens.

    `expected_ns` is how long it will take, roughly: samples are taken accordingly.
    """

    def __init__(self, cluster: Cluster, expected_ns: int) -> None:
        self.stage = cluster.stage
        self.is_at_rest = False
        self._traffic = traffic_loss.counts(self.stage)
        self._recorder = recorders.LifeRecorder(
            self.stage.store,
            self.stage.environment,
            recorders.resolution_ns(max(expected_ns, SECOND_NS)),
            self.stage,
        )
        self._recorder.start()
        self._history = _started_history(cluster) if cluster.keeps_history else None
        self.history: HistoryBytes | None = None
        """All changes, when it has ended, if they are kept."""
        self.activity = Activity(self.stage, self._recorder.workloads)
        # Only what lasts is recorded: that all was well before the action has to last, too.
        self.stage.run(1)
        self.began_ns = self.stage.clock.now_ns

    @property
    def seconds(self) -> float:
        """How long it has taken until now."""
        return self.seconds_at(self.stage.clock.now_ns)

    def seconds_at(self, at_ns: int) -> float:
        """A moment, in seconds since the beginning."""
        return (at_ns - self.began_ns) / SECOND_NS

    def mark(self, kind: str, subject: str, text: str) -> None:
        """Mark this moment on every chart."""
        self._recorder.mark(kind, subject, text)

    def run_until(self, is_over: Callable[[], bool], is_waiting: Callable[[], bool]) -> bool:
        """Let time pass until something is over; False if nothing changes before it is.

        `is_waiting` says whether it waits for a time of its own, and is not stuck.
        """
        while not is_over():
            if self.activity.quiet_ns >= PATIENCE_NS and not is_waiting():
                return False
            self.stage.run(_STEP_NS)
        return True

    def settle(self) -> None:
        """Let time pass until the cluster is quiescent."""
        self.activity.expect()
        self.is_at_rest = settling.settle(self.stage, self.activity)

    def lost_traffic(self) -> list[TrafficLoss]:
        """How the requests of each Traffic fared since the beginning."""
        return traffic_loss.since(self.stage, self._traffic)

    def end(self) -> Life:
        """All that was recorded; nothing is from now on."""
        if self.stage.traffic is not None:
            self.stage.traffic.report()
        self.activity.close()
        if self._history is not None:
            self.history = self._history.end()
        life = self._recorder.end(version=kubestage.__version__, seed=self.stage.seed)
        self.stage.store.unsubscribe(self._recorder.on_change)
        return life


def begin_history(cluster: Cluster) -> HistoryBeginning:
    """How the history of a rehearsal on a cluster begins, as the cluster is now."""
    stage, known = cluster.stage, cluster.start_state
    now = (stage.store.revision, stage.clock.unix_ns)
    if known is not None and (known.revision, known.begin_ns) == now:
        return known
    return history_recorder.beginning(stage.store, stage.clock, stage.scheduler, stage.seed)


def _started_history(cluster: Cluster) -> HistoryRecorder:
    stage = cluster.stage
    start_state = begin_history(cluster)
    started = history_recorder.HistoryRecorder(
        stage.store, stage.clock, stage.scheduler, start_state
    )
    started.start()
    return started
