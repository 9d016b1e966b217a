"""A paced scheduler: attempts one after another, bindings behind the client's limit."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.scheduler.pacing import SHARES, SchedulerPacing
from kubestage.scheduler.timings import (
    ALGORITHM,
    ATTEMPT,
    MODELLED,
    PLUGIN,
    POINT,
    Durations,
    Part,
)
from kubestage.testing import make_node
from tests.scheduler import rehearsals
from tests.scheduler.rehearsals import SECOND, Rehearsal

if TYPE_CHECKING:
    from kubestage.store.log import Change

MS = 1_000_000


class Paced(Rehearsal):
    """A rehearsal that notes when pods get their nodes, in milliseconds."""

    def __init__(self, nodes: int = 20, *, seed: int = 0, **pacing: Any) -> None:
        made = [make_node(f"n{each}", cpu="64") for each in range(nodes)]
        super().__init__(*made, seed=seed, pacing=SchedulerPacing(**pacing))
        self.bound: dict[str, float] = {}
        self.store.subscribe(self.on_change)

    def on_change(self, change: Change) -> None:
        if change.is_binding:
            self.bound[change.new["metadata"]["name"]] = self.clock.now_ns / MS

    def add_pods(self, count: int, prefix: str = "p") -> None:
        for number in range(count):
            self.add_pod(f"{prefix}{number:04}", cpu="10m")


def at_ten_seconds(**pacing: Any) -> Paced:
    run = Paced(**pacing)
    run.run(10)
    return run


@pytest.mark.parametrize(
    ("pacing", "path"),
    [
        ({"attempt": "sometimes"}, "scheduler.attempt"),
        ({"attempt_per_node": "-1s"}, "scheduler.attempt_per_node"),
        ({"informer_delay": "normal(1s)"}, "scheduler.informer_delay"),
        ({"binding": ""}, "scheduler.binding"),
        ({"client_qps": -1.0}, "scheduler.client_qps"),
        ({"client_qps": 50.0}, "scheduler.client_burst"),
        ({"client_burst": -1}, "scheduler.client_burst"),
        ({"plugins": {"NodeAffinity": -1.0}}, "scheduler.plugins.NodeAffinity"),
    ],
)
def test_what_cannot_be_a_pace_is_told_by_its_path(pacing: dict[str, Any], path: str) -> None:
    with pytest.raises(InputError) as error:
        SchedulerPacing(**pacing)
    assert error.value.path == path
    assert error.value.fix


def test_nothing_takes_time_unless_something_is_said_to() -> None:
    assert SchedulerPacing().is_instant
    assert SchedulerPacing(attempt="0s", client_burst=3).is_instant
    assert not SchedulerPacing(binding="uniform(0s,1ms)").is_instant
    assert not SchedulerPacing(client_qps=50.0, client_burst=100).is_instant


def test_without_a_pace_all_pods_are_bound_in_the_instant_they_come_up() -> None:
    run = at_ten_seconds()
    run.add_pods(50)
    run.run(11)
    assert set(run.bound.values()) == {10_000.0}


def test_attempts_go_one_after_another() -> None:
    run = at_ten_seconds(attempt="10ms")
    run.add_pods(50)
    run.run(20)
    assert list(run.bound.values()) == [10_010.0 + 10 * number for number in range(50)]


def test_an_attempt_takes_longer_the_more_nodes_it_looks_at() -> None:
    run = at_ten_seconds(attempt="1ms", attempt_per_node="100us")
    run.add_pods(3)
    run.run(20)
    assert list(run.bound.values()) == [10_003.0, 10_006.0, 10_009.0]


def test_pods_are_heard_of_after_a_delay() -> None:
    run = at_ten_seconds(informer_delay="30ms")
    run.add_pods(2)
    run.run(20)
    assert set(run.bound.values()) == {10_030.0}


def test_a_binding_is_on_its_way_while_others_are_tried() -> None:
    run = at_ten_seconds(attempt="10ms", binding="100ms")
    run.add_pods(5)
    run.run(10.09)
    assert not run.bound
    # What happens from here on cannot make them fit better.
    assert not len(run.scheduler.queue.in_flight)
    run.run(20)
    assert list(run.bound.values()) == [10_110.0 + 10 * number for number in range(5)]


def test_bindings_go_at_the_rate_of_the_client_after_its_burst() -> None:
    run = at_ten_seconds(client_qps=50.0, client_burst=10)
    run.add_pods(60)
    run.run(20)
    times = [round(at) for at in run.bound.values()]
    assert times[:10] == [10_000] * 10
    assert times[10:] == [10_020 + 20 * number for number in range(50)]


def test_a_pod_that_goes_before_it_is_heard_of_is_never_tried() -> None:
    run = at_ten_seconds(informer_delay="1s", attempt="1ms")
    run.add_pods(2)
    run.run(10.5)
    run.delete_pod("p0000")
    run.run(20)
    assert list(run.bound) == ["p0001"]
    assert len(run.attempts()) == 1
    assert not run.events("FailedScheduling")


def test_a_pod_that_goes_while_it_is_being_bound_leaves_its_place_to_others() -> None:
    run = at_ten_seconds(nodes=1, binding="1s")
    run.add_pod("large", cpu="60")
    run.run(10.5)
    run.delete_pod("large")
    run.add_pod("next", cpu="60")
    run.run(20)
    assert run.bound == {"next": 11_500.0}


def test_a_failed_attempt_takes_its_time_too() -> None:
    run = at_ten_seconds(attempt="10ms")
    run.add_pod("giant", cpu="1000")
    run.add_pods(1)
    run.run(20)
    assert run.bound == {"p0000": 10_020.0}


def test_metrics_tell_the_virtual_durations() -> None:
    run = at_ten_seconds(informer_delay="5ms", attempt="10ms", binding="90ms")
    run.add_pods(4)
    run.add_pod("giant", cpu="1000")
    run.run(10.9)
    told = run.scheduler.metrics.exposition()
    scheduled = '{profile="default-scheduler",result="scheduled"}'
    name = "scheduler_scheduling_attempt_duration_seconds"
    assert value(told, f"{name}_sum{scheduled}") == pytest.approx(0.4)
    assert value(told, f"{name}_count{scheduled}") == 4
    failed = '{profile="default-scheduler",result="unschedulable"}'
    assert value(told, f"{name}_sum{failed}") == pytest.approx(0.01)
    name = "scheduler_scheduling_algorithm_duration_seconds"
    assert value(told, f'{name}_sum{{profile="default-scheduler"}}') == pytest.approx(0.05)
    # From the queue to the node: 100, 110, 120 and 130 ms.
    name = "scheduler_pod_scheduling_sli_duration_seconds"
    assert value(told, f'{name}_sum{{attempts="1"}}') == pytest.approx(0.46)
    name = "scheduler_framework_extension_point_duration_seconds"
    points = 'profile="default-scheduler",status="Success"'
    bind = value(told, f'{name}_sum{{extension_point="Bind",{points}}}')
    assert bind == pytest.approx(0.36)
    score = value(told, f'{name}_sum{{extension_point="Score",{points}}}')
    assert 0 < score < 0.04


def value(exposition: str, series: str) -> float:
    found = [line for line in exposition.splitlines() if line.startswith(f"{series} ")]
    assert found, series
    return float(found[0].rpartition(" ")[2])


def kept(run: Rehearsal) -> dict[Part, Durations]:
    assert run.scheduler.timings is not None
    assert run.scheduler.timings.source == MODELLED
    return dict(run.scheduler.timings)


def modelled(**options: Any) -> Rehearsal:
    run = Rehearsal(*(make_node(f"n{each}", cpu="64") for each in range(20)), **options)
    for number in range(30):
        run.add_pod(f"p{number:04}", cpu="10m")
    run.add_pod("giant", cpu="1000")
    run.run(1)
    return run


def test_plugins_take_their_shares_of_an_extension_point() -> None:
    plugins = {"NodeResourcesFit": 6.0, "NodeAffinity": 2.0}
    run = modelled(model=SchedulerPacing(attempt="10ms", plugins=plugins))
    found = kept(run)
    whole = found[Part("default-scheduler", POINT, "Filter")]
    parts = {
        part.plugin: each
        for part, each in found.items()
        if (part.part, part.extension_point) == (PLUGIN, "Filter")
    }
    assert sum(each.total_ns for each in parts.values()) == pytest.approx(whole.total_ns, rel=1e-6)
    fit, affinity = parts["NodeResourcesFit"].total_ns, parts["NodeAffinity"].total_ns
    assert fit == pytest.approx(3 * affinity)
    assert affinity == pytest.approx(2 * parts["NodeName"].total_ns)


def mean_ns(shares: dict[str, float], disabled: tuple[str, ...] = ()) -> float:
    """How long an attempt takes with these shares, without some plugins."""
    plugins = {"multiPoint": {"disabled": [{"name": each} for each in disabled]}}
    profile = {"schedulerName": "default-scheduler", "plugins": plugins}
    model = SchedulerPacing(attempt="10ms", plugins=shares)
    run = modelled(model=model, configuration=rehearsals.configuration(profile))
    return kept(run)[Part("default-scheduler", ALGORITHM)].mean_ns


def test_an_attempt_is_shorter_with_fewer_plugins_and_longer_with_slower_ones() -> None:
    assert mean_ns(SHARES) == 10 * MS
    assert mean_ns({**SHARES, "InterPodAffinity": 40.0}) > 20 * MS
    assert 6 * MS < mean_ns(SHARES, ("InterPodAffinity",)) < 9 * MS


def test_a_model_says_how_long_it_would_take_and_nothing_waits() -> None:
    plain = modelled()
    run = modelled(model=SchedulerPacing(attempt="10ms", binding="90ms", informer_delay="1s"))
    assert run.scheduler.record.lines() == plain.scheduler.record.lines()
    found = kept(run)
    scheduled = found[Part("default-scheduler", ATTEMPT, result="scheduled")]
    assert (scheduled.count, scheduled.total_ns) == (30, 30 * 100 * MS)
    failed = found[Part("default-scheduler", ATTEMPT, result="unschedulable")]
    assert (failed.count, failed.total_ns) == (1, 10 * MS)
    told = run.scheduler.metrics.exposition()
    name = "scheduler_scheduling_attempt_duration_seconds_sum"
    of = '{profile="default-scheduler",result="scheduled"}'
    assert value(told, f"{name}{of}") == pytest.approx(3.0)
    plugin = "scheduler_plugin_execution_duration_seconds_count"
    of = '{extension_point="Bind",plugin="DefaultBinder",status="Success"}'
    assert value(told, f"{plugin}{of}") == 30


def test_a_pace_keeps_timings_if_it_is_asked_to() -> None:
    pacing = SchedulerPacing(attempt="10ms")
    assert modelled(pacing=pacing).scheduler.timings is None
    run = modelled(pacing=pacing, keeps_timings=True)
    run.run(20)
    assert kept(run)[Part("default-scheduler", ALGORITHM)].count == 31


def test_pending_pods_are_those_that_wait_for_their_attempt() -> None:
    run = at_ten_seconds(attempt="100ms")
    run.add_pods(20)
    run.run(10.95)
    told = run.scheduler.metrics.exposition()
    assert value(told, 'scheduler_pending_pods{queue="active"}') == 10


def test_a_paced_run_places_pods_as_an_instant_one_does() -> None:
    instant, paced = at_ten_seconds(), at_ten_seconds(attempt="lognormal(5ms,3ms)", binding="20ms")
    for run in (instant, paced):
        run.add_pods(100)
        run.run(60)
    names = [f"p{number:04}" for number in range(100)]
    assert [paced.node_of(name) for name in names] == [instant.node_of(name) for name in names]


LAWS = {
    "informer_delay": "uniform(1ms,9ms)",
    "attempt": "lognormal(5ms,3ms)",
    "binding": "exp(20ms)",
    "client_qps": 100.0,
    "client_burst": 5,
}


def test_the_same_seed_gives_the_same_times_and_another_one_others() -> None:
    times = []
    for seed in (1, 1, 2):
        run = at_ten_seconds(seed=seed, **LAWS)
        run.add_pods(40)
        run.run(30)
        times.append(run.bound)
    assert times[0] == times[1]
    assert len(times[0]) == 40
    assert times[0] != times[2]


def test_a_copy_goes_on_as_the_original_does() -> None:
    run = at_ten_seconds(**LAWS)
    run.add_pods(40)
    run.run(10.15)
    assert 0 < len(run.bound) < 40
    copy: Paced = pickle.loads(pickle.dumps(run))
    for each in (run, copy):
        each.run(30)
    assert copy.bound == run.bound


def test_one_that_time_does_not_drive_cannot_be_paced() -> None:
    with pytest.raises(InputError, match="not driven by time"):
        Rehearsal(by_itself=False, pacing=SchedulerPacing(attempt="1ms"))


def test_a_pod_costs_a_movement_for_its_attempt_and_one_for_its_binding() -> None:
    run = at_ten_seconds(attempt="1ms", binding="100ms")
    before = run.environment.completed_count
    run.add_pods(100)
    run.run(10 + 200 * MS / SECOND + 1)
    assert len(run.bound) == 100
    assert run.environment.completed_count - before <= 2 * 100 + 3
