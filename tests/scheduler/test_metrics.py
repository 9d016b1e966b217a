"""The metrics of a run, by upstream's names."""

from __future__ import annotations

import pickle
from typing import Any

from kubestage.scheduler.metrics import SchedulerMetrics
from kubestage.testing import make_node, make_pod
from tests.scheduler import rehearsals
from tests.scheduler.rehearsals import Rehearsal


def samples(run: Rehearsal) -> dict[str, str]:
    """Every line of the exposition, by metric and labels."""
    lines = run.scheduler.metrics.exposition().splitlines()
    pairs = (line.rpartition(" ") for line in lines if not line.startswith("#"))
    return {name: value for name, _, value in pairs}


class Stopwatch:
    """Each look at it is a millisecond after the one before."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> int:
        self.looks += 1
        return self.looks * 1_000_000


def busy_run(**options: Any) -> Rehearsal:
    run = Rehearsal(make_node("n1", cpu="1"), make_node("n2", cpu="1"), **options)
    run.add_pod("a", cpu="1")
    run.add_pod("b", cpu="1")
    run.add_pod("c", cpu="1")
    gated = make_pod("d")
    gated["spec"]["schedulingGates"] = [{"name": "example.com/gate"}]
    run.store.create(gated)
    run.run(1)
    return run


def test_the_names_and_kinds_are_upstreams() -> None:
    named = {family.name: (family.kind, family.labels) for family in SchedulerMetrics().families()}
    assert named == {
        "scheduler_schedule_attempts_total": ("counter", ("result", "profile")),
        "scheduler_scheduling_attempt_duration_seconds": ("histogram", ("result", "profile")),
        "scheduler_scheduling_algorithm_duration_seconds": ("histogram", ()),
        "scheduler_pod_scheduling_attempts": ("histogram", ()),
        "scheduler_pod_scheduling_sli_duration_seconds": ("histogram", ("attempts",)),
        "scheduler_preemption_attempts_total": ("counter", ()),
        "scheduler_preemption_victims": ("histogram", ()),
        "scheduler_pending_pods": ("gauge", ("queue",)),
        "scheduler_framework_extension_point_duration_seconds": (
            "histogram",
            ("extension_point", "status", "profile"),
        ),
        "scheduler_plugin_execution_duration_seconds": (
            "histogram",
            ("plugin", "extension_point", "status"),
        ),
        "scheduler_permit_wait_duration_seconds": ("histogram", ("result",)),
        "scheduler_queue_incoming_pods_total": ("counter", ("queue", "event")),
    }


def test_attempts_and_queues_are_counted() -> None:
    told = samples(busy_run())
    of_default = 'profile="default-scheduler",result='
    assert told[f'scheduler_schedule_attempts_total{{{of_default}"scheduled"}}'] == "2"
    assert told[f'scheduler_schedule_attempts_total{{{of_default}"unschedulable"}}'] == "1"
    assert told['scheduler_pending_pods{queue="unschedulable"}'] == "1"
    assert told['scheduler_pending_pods{queue="gated"}'] == "1"
    assert told['scheduler_pending_pods{queue="active"}'] == "0"
    assert told["scheduler_pod_scheduling_attempts_count"] == "2"
    assert told["scheduler_scheduling_algorithm_duration_seconds_count"] == "3"
    assert told["scheduler_preemption_attempts_total"] == "1"
    assert told["scheduler_preemption_victims_count"] == "0"
    incoming = "scheduler_queue_incoming_pods_total"
    assert told[f'{incoming}{{event="UnschedulablePodAdd",queue="active"}}'] == "3"
    assert told[f'{incoming}{{event="ScheduleAttemptFailure",queue="unschedulable"}}'] == "1"


def test_extension_points_are_counted_even_if_nothing_takes_time() -> None:
    told = samples(busy_run())
    counted = "scheduler_framework_extension_point_duration_seconds_count"
    summed = "scheduler_framework_extension_point_duration_seconds_sum"
    for point, status, count in (
        ("PreEnqueue", "Success", 4),
        ("PreFilter", "Success", 3),
        ("Filter", "Success", 3),
        ("PostFilter", "Unschedulable", 1),
        ("Score", "Success", 1),
        ("Reserve", "Success", 2),
        ("Permit", "Success", 2),
        ("PreBind", "Success", 2),
        ("Bind", "Success", 2),
        ("PostBind", "Success", 2),
    ):
        labels = f'{{extension_point="{point}",profile="default-scheduler",status="{status}"}}'
        assert (point, told[counted + labels]) == (point, str(count))
        assert told[summed + labels] == "0"
    assert "scheduler_plugin_execution_duration_seconds" not in "".join(told)


def test_reading_twice_counts_nothing_twice() -> None:
    run = busy_run()
    assert samples(run) == samples(run)


def test_a_stopwatch_measures_points_and_samples_plugins() -> None:
    run = busy_run(stopwatch=Stopwatch())
    for index in range(20):
        run.add_pod(f"tiny-{index}")
    run.run(2)
    told = samples(run)
    of = 'extension_point="PreFilter",profile="default-scheduler",status="Success"'
    count = told[f"scheduler_framework_extension_point_duration_seconds_count{{{of}}}"]
    total = told[f"scheduler_framework_extension_point_duration_seconds_sum{{{of}}}"]
    plugins = len(run.scheduler.profiles["default-scheduler"].pre_filter)
    assert int(count) == 23
    # Each plugin takes one millisecond by this watch.
    assert abs(float(total) - 23 * plugins * 0.001) < 1e-9
    of = 'extension_point="Filter",plugin="NodeResourcesFit",status="Success"'
    assert told[f"scheduler_plugin_execution_duration_seconds_count{{{of}}}"] == "2"
    of = 'extension_point="Score",plugin="NodeResourcesFit",status="Success"'
    assert f"scheduler_plugin_execution_duration_seconds_count{{{of}}}" in told


def test_a_stopwatch_changes_no_decision() -> None:
    plain, timed = busy_run(), busy_run(stopwatch=Stopwatch())
    assert plain.scheduler.record.lines() == timed.scheduler.record.lines()


def test_a_measured_scheduler_still_pickles() -> None:
    run = busy_run(stopwatch=Stopwatch())
    copy: Rehearsal = pickle.loads(pickle.dumps(run))
    for each in (run, copy):
        for index in range(12):
            each.add_pod(f"tiny-{index}")
        each.run(2)
    assert samples(run) == samples(copy)


def test_the_wait_of_a_pod_is_measured_in_virtual_time() -> None:
    run = Rehearsal(configuration=rehearsals.configuration(podInitialBackoffSeconds=3))
    run.add_pod("web")
    run.run(1)
    run.add_node("n1")
    run.run(60)
    told = samples(run)
    assert told['scheduler_pod_scheduling_sli_duration_seconds_count{attempts="2"}'] == "1"
    assert told['scheduler_pod_scheduling_sli_duration_seconds_sum{attempts="2"}'] == "4"
    assert told['scheduler_pod_scheduling_attempts_bucket{le="1"}'] == "0"
    assert told['scheduler_pod_scheduling_attempts_bucket{le="2"}'] == "1"
