"""What the real scheduler did, found by the kernels: the same nodes, and as many of them."""

from __future__ import annotations

import gzip
import json
import pathlib  # noqa: TC003 - read by pytest
from typing import Any

import pytest

from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.queue import QueuedPod
from kubestage.scheduler.quick import compiled
from kubestage.scheduler.quick.forecaster import Forecaster
from kubestage.scheduler.record import Recording
from kubestage.scheduler.replay.runner import Runner
from kubestage.scheduler.scheduler import Scheduler
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.store import Store
from tests.golden import cases
from tests.scheduler.quick import stories

BENCH = cases.HERE / "bench"
WORK = sorted(path.name.removesuffix(".placements.json.gz") for path in BENCH.glob("*.placements*"))


class _Around:
    """Stands for the objects around, which do not change in a recorded case."""

    has_services = True
    devices = 0
    namespaces = 0
    version = 0


class _Foretelling(Runner):
    """A case of which each attempt is foretold, and that compares as it goes on."""

    def __init__(self, case: Any) -> None:
        super().__init__(case)
        around: Any = _Around()
        self._look = Forecaster(self.cycle, self.profiles, around)
        self.foretold = 0

    def _attempt(self, key: str) -> tuple[Any, bool]:
        foretold = self._foretell(pod_views.of(self.cluster.pod(key).raw))
        told, again = super()._attempt(key)
        if foretold is not None:
            self.foretold += 1
            assert (told["selected"], len(told["feasible"])) == foretold, key
        return told, again

    def _foretell(self, pod: Any) -> tuple[str, int] | None:
        profile, columns = self.profiles.get(pod.scheduler_name), self.cache.columns
        is_held = profile is None or not all(
            plugin.pre_enqueue(pod).is_success for plugin in profile.pre_enqueue
        )
        if is_held or not self.cycle.is_plain or not len(columns):
            return None
        twice = [QueuedPod(pod, 0, number) for number in range(2)]
        forecast = self._look.forecast(columns, twice, set(), compiled)
        if forecast is None:
            return None
        turn = forecast.turns[0]
        forecast.withdraw()
        return columns.names[turn.row], turn.feasible


@pytest.mark.parametrize("path", cases.paths(), ids=lambda path: path.name.split(".")[0])
def test_a_recorded_case_is_foretold(path: pathlib.Path) -> None:
    runner = _Foretelling(cases.read(path))
    for _ in runner.attempts():
        pass


def test_a_good_part_of_all_attempts_is_foretold() -> None:
    runners = [_Foretelling(cases.read(path)) for path in cases.paths()[::20]]
    attempts = sum(len(list(runner.attempts())) for runner in runners)
    assert sum(runner.foretold for runner in runners) > attempts // 3


@pytest.mark.parametrize("name", WORK)
@pytest.mark.parametrize("are_used", [True, False])
def test_recorded_placements_are_the_same_with_kernels_and_without(
    name: str, are_used: bool
) -> None:
    objects = json.loads(gzip.decompress((BENCH / f"{name}.json.gz").read_bytes()))["objects"]
    recorded = cases.read(BENCH / f"{name}.placements.json.gz")
    streams = Streams(1)
    store = Store(Clock(), streams, implicit_namespaces=True)
    scheduler = Scheduler(store, None, streams, recording=Recording.DECISIONS)
    for obj in objects:
        if obj["kind"] == "Pod":
            store.create({**obj, "status": {}})
        else:
            store.load(obj)
    with stories.compiled(are_used):
        scheduler.run_until_idle()
    assert [[row.node, row.evaluated] for row in scheduler.record.decisions] == recorded
