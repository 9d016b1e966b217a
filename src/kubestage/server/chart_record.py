"""The record that the charts of a served cluster are drawn from; it follows the cluster's history.

While the cluster works, nothing is done for it: it takes in changes when charts are requested, when
the clock is quiet, or before the history forgets them.
"""

from __future__ import annotations

import asyncio
import copy
from typing import TYPE_CHECKING, Final

from kubestage import lazy
from kubestage.results.life.usage_series import UsageSeries
from kubestage.server import background, slices
from kubestage.server.pacing import Pacer

with lazy.imports():
    from kubestage.results import timings
    from kubestage.results.life import replay, served_life
    from kubestage.results.load import reading

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json
    from kubestage.results.charts.served import ChartEntry
    from kubestage.results.history.cluster_history import ClusterHistory
    from kubestage.results.life.life import Life
    from kubestage.results.life.replay import LifeReplay
    from kubestage.results.timings import RecordedTimings
    from kubestage.server.live import Live
    from kubestage.traffic.record import Record

_LOOK_EVERY_S: Final = 2.0
# So many changes are taken in at once, when nothing else is to be done.
_MANY: Final = 5_000


class ChartSet:
    """All charts of one moment; each is drawn when it is first requested."""

    def __init__(self, life: Life, entries: list[ChartEntry], revision: int) -> None:
        self.life = life
        self.entries = entries
        self.revision = revision
        self.drawn: dict[str, Json | None] = {}


class ChartRecord:
    """The record of one cluster, and the charts of its newest moment.

    A kept load has a `report`, whose charts come first.
    """

    def __init__(
        self, live: Live, history: ClusterHistory, report: pathlib.Path | None = None
    ) -> None:
        self._live = live
        self._history = history
        self._report = report
        self._replay: LifeReplay | None = None
        self._usage = UsageSeries()
        self._usage.follow(live.stage.metrics)
        self._reading = asyncio.Lock()
        self._newest: tuple[tuple[int, int], ChartSet] | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Follow the history from now on; a loop must be running."""
        self._task = asyncio.get_running_loop().create_task(self._follow())

    async def close(self) -> None:
        """Follow it no more."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def charts(self, begin_ns: int | None = None, end_ns: int | None = None) -> ChartSet:
        """All charts, of the whole record or of a part of it (Unix nanoseconds)."""
        async with self._reading:
            version = (self._history.end, self._live.stage.clock.unix_ns)
            if self._newest is None or self._newest[0] != version:
                await self._catch_up()
                # Time may have passed meanwhile.
                version = (self._history.end, self._live.stage.clock.unix_ns)
                self._newest = (version, await self._all())
            newest = self._newest[1]
        if begin_ns is None and end_ns is None:
            return newest
        return await background.run(self._part, newest, begin_ns, end_ns)

    @property
    def begin_ns(self) -> int:
        """Where the record begins."""
        return self._history.begin_ns if self._replay is None else self._replay.begin_ns

    async def _catch_up(self) -> None:
        if self._replay is None or self._replay.is_lost:
            self._replay = replay.LifeReplay(
                self._history, self._live.store.kinds, self._live.state.node_decisions
            )
        await slices.in_slices(self._replay.steps())

    async def _all(self) -> ChartSet:
        """What changes is copied here, in the loop; all else is done in a thread."""
        stage, followed = self._live.stage, self._replay
        assert followed is not None
        self._usage.follow(stage.metrics)
        life = followed.life(stage.clock.unix_ns)
        records = {} if stage.traffic is None else stage.traffic.records()
        copied = {key: copy.deepcopy(record) for key, record in records.items()}
        scheduler = stage.scheduler
        measured = None
        if scheduler is not None and scheduler.timings is not None:
            measured = timings.of(scheduler.timings)
        life = served_life.with_usage(life, self._usage.since(followed.begin_ns))
        offset_ns = followed.begin_ns - stage.clock.epoch_ns
        targets = followed.targets()

        def complete(life: Life, copied: dict[str, Record]) -> ChartSet:
            whole = served_life.with_requests(life, copied, targets, offset_ns)
            return ChartSet(whole, self._entries(whole, measured), followed.next)

        return await background.run(complete, life, copied)

    def _entries(self, life: Life, measured: RecordedTimings | None) -> list[ChartEntry]:
        # Large, and part of an extra.
        from kubestage.results.charts import libraries  # noqa: PLC0415

        libraries.require_altair()
        from kubestage.results.charts import served  # noqa: PLC0415
        from kubestage.results.charts.load import report  # noqa: PLC0415

        found = [*served.of_life(life), served.of_timings(measured)]
        if self._report is None:
            return found
        with reading.open_report(self._report) as opened:
            return [*report.of_report(opened), *found]

    def _part(self, whole: ChartSet, begin_ns: int | None, end_ns: int | None) -> ChartSet:
        # Large, and part of an extra.
        from kubestage.results.charts import served  # noqa: PLC0415

        life = whole.life
        begin = 0.0 if begin_ns is None else max((begin_ns - self.begin_ns) / 1e9, 0.0)
        end = life.seconds
        if end_ns is not None:
            end = min((end_ns - self.begin_ns) / 1e9, end)
        part = served_life.between(life, min(begin, end), end)
        others = [each for each in whole.entries if each.group in (served.LOAD, served.SCHEDULER)]
        return ChartSet(part, [*served.of_life(part), *others], whole.revision)

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_EVERY_S)
            if self._is_due() and not self._reading.locked():
                async with self._reading:
                    await self._catch_up()

    def _is_due(self) -> bool:
        """Whether there is much to take in, and either time for it or none to lose."""
        done = self._history.forgotten if self._replay is None else self._replay.next
        behind = self._history.end - done
        most = self._history.limits.most_changes
        if most is not None and len(self._history.changes) > most // 2 and behind > most // 4:
            return True
        pace = self._live.pace
        return behind > _MANY and isinstance(pace, Pacer) and pace.is_quiet
