"""How much is done for each pod, in calls of functions: a lost fast path shows, on any machine.

A bound is what was counted when it was set and a fifth more. If one is exceeded, see with
``python benchmarks/scheduler.py --profile NAME`` what is called now that was not before; raise a
bound only for work that has to be done.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest

from kubestage.scheduler import config
from kubestage.scheduler.cycle import Cycle
from kubestage.scheduler.framework import SUCCESS
from kubestage.scheduler.quick import compiled
from kubestage.scheduler.record import Recording
from kubestage.scheduler.scheduler import Scheduler
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.store import Store
from tests.golden import cases
from tests.scheduler.quick import stories

BENCH = cases.HERE / "bench"
UNBOUND = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [
        {
            "plugins": {
                "bind": {
                    "enabled": [{"name": "LeavesUnbound"}],
                    "disabled": [{"name": "DefaultBinder"}],
                }
            }
        }
    ],
}


class _LeavesUnbound:
    name = "LeavesUnbound"

    def __init__(self, args: Any, handle: Any) -> None:
        pass

    def bind(self, state: Any, pod: Any, node_name: str) -> Any:
        return SUCCESS


def _prepared(name: str, *, binding: bool) -> Scheduler:
    streams = Streams(1)
    store = Store(Clock(), streams, implicit_namespaces=True)
    scheduler = Scheduler(
        store,
        None,
        streams,
        None if binding else config.from_dict(UNBOUND),
        plugins={"LeavesUnbound": _LeavesUnbound},
        recording=Recording.DECISIONS,
        events=binding,
    )
    path = next(BENCH.glob(f"{name}-*0.json.gz"))
    for obj in cases.read(path)["objects"]:
        if obj["kind"] == "Pod":
            store.create({**obj, "status": {}})
        else:
            store.load(obj)
    return scheduler


def _calls(scheduler: Scheduler) -> tuple[int, int]:
    """Attempts, and the calls of functions that were made for them."""
    calls = 0

    def count(frame: Any, event: str, arg: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        attempts = scheduler.run_until_idle()
    finally:
        sys.setprofile(before)
    return attempts, calls


@pytest.mark.parametrize(
    ("name", "binding", "bound"),
    [
        ("basic", False, 48),
        ("basic", True, 122),
        ("affinity", False, 78),
        ("spread", False, 75),
        ("mixed", False, 75),
        ("mixed", True, 151),
    ],
)
def test_a_pod_takes_no_more_calls_than_it_did(name: str, binding: bool, bound: int) -> None:
    with stories.compiled(are_used=True):
        _prepared(name, binding=binding).run_until_idle(300)
        attempts, calls = _calls(_prepared(name, binding=binding))
    assert calls / attempts <= bound


@pytest.mark.parametrize("name", ["basic", "affinity", "spread", "mixed"])
def test_a_thousand_pods_are_placed_by_one_call_and_none_in_the_ordinary_way(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    placed, ordinary = [], []
    place_all, schedule = compiled.place_all, Cycle.schedule

    def spy_on_kernel(pods: Any, *rest: Any) -> int:
        placed.extend([len(pods)] if len(pods) else [])
        return place_all(pods, *rest)

    def spy_on_cycle(cycle: Cycle, profile: Any, pod: Any, columns: Any) -> Any:
        ordinary.append(pod)
        return schedule(cycle, profile, pod, columns)

    monkeypatch.setattr(compiled, "place_all", spy_on_kernel)
    monkeypatch.setattr(Cycle, "schedule", spy_on_cycle)
    with stories.compiled(are_used=True):
        attempts = _prepared(name, binding=False).run_until_idle()
    assert not ordinary
    assert sum(placed) == attempts
    assert len(placed) == -(-attempts // 1024)
