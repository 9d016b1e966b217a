"""The metrics of a run, by upstream's names."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from kubestage.metrics.families import Histogram
from kubestage.objects.views import node as node_views
from kubestage.scheduler.metrics import SchedulerMetrics
from kubestage.scheduler.timings import ALGORITHM, ATTEMPT, MEASURED, PLUGIN, POINT, Part
from kubestage.testing import make_node, make_pod
from tests.scheduler import rehearsals
from tests.scheduler.rehearsals import Rehearsal

ALGORITHM_COUNT = (
    'scheduler_scheduling_algorithm_duration_seconds_count{profile="default-scheduler"}'
)


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


V1_36: dict[str, tuple[str, tuple[str, ...]]] = {
    "schedule_attempts_total": ("counter", ("result", "profile")),
    "event_handling_duration_seconds": ("histogram", ("event",)),
    "scheduling_attempt_duration_seconds": ("histogram", ("result", "profile")),
    # Upstream has no label here, the document on profiles has this one.
    "scheduling_algorithm_duration_seconds": ("histogram", ("profile",)),
    "preemption_victims": ("histogram", ()),
    "preemption_attempts_total": ("counter", ()),
    "pending_pods": ("gauge", ("queue",)),
    "inflight_events": ("gauge", ("event",)),
    "goroutines": ("gauge", ("operation",)),
    "batch_attempts_total": ("counter", ("profile", "result")),
    "batch_cache_flushed_total": ("counter", ("profile", "reason")),
    "get_node_hint_duration_seconds": ("histogram", ("hinted", "profile")),
    "store_schedule_results_duration_seconds": ("histogram", ("profile",)),
    "pod_scheduling_sli_duration_seconds": ("histogram", ("attempts",)),
    "pod_scheduling_attempts": ("histogram", ()),
    "pod_scheduled_after_flush_total": ("counter", ()),
    "framework_extension_point_duration_seconds": (
        "histogram",
        ("extension_point", "status", "profile"),
    ),
    "plugin_execution_duration_seconds": ("histogram", ("plugin", "extension_point", "status")),
    "queueing_hint_execution_duration_seconds": ("histogram", ("plugin", "event", "hint")),
    "queue_incoming_pods_total": ("counter", ("queue", "event")),
    "permit_wait_duration_seconds": ("histogram", ("result",)),
    "cache_size": ("gauge", ("type",)),
    "unschedulable_pods": ("gauge", ("plugin", "profile")),
    "plugin_evaluation_total": ("counter", ("plugin", "extension_point", "profile")),
    "preemption_goroutines_duration_seconds": ("histogram", ("result",)),
    "preemption_goroutines_execution_total": ("counter", ("result",)),
    "async_api_call_execution_total": ("counter", ("call_type", "result")),
    "async_api_call_execution_duration_seconds": ("histogram", ("call_type", "result")),
    "pending_async_api_calls": ("gauge", ("call_type",)),
    "resourceclaim_creates_total": ("counter", ("status",)),
    "dra_bindingconditions_allocations_total": ("counter", ("profile", "driver", "status")),
    "dra_bindingconditions_wait_duration_seconds": ("histogram", ("profile", "driver", "status")),
    "podgroup_schedule_attempts_total": ("counter", ("result", "profile")),
    "podgroup_scheduling_attempt_duration_seconds": ("histogram", ("result", "profile")),
    "podgroup_scheduling_algorithm_duration_seconds": ("histogram", ()),
    "volume_binder_cache_requests_total": ("counter", ("operation",)),
    "volume_scheduling_stage_error_total": ("counter", ("operation",)),
}
OF_THE_DOCUMENT: dict[str, tuple[str, tuple[str, ...]]] = {
    "e2e_scheduling_duration_seconds": ("histogram", ("result", "profile")),
    "scheduling_algorithm_preemption_evaluation_seconds": ("histogram", ("profile",)),
    "binding_duration_seconds": ("histogram", ("profile",)),
}
BUCKETS = {
    "event_handling_duration_seconds": (0.0001, 12),
    "scheduling_attempt_duration_seconds": (0.001, 15),
    "scheduling_algorithm_duration_seconds": (0.001, 15),
    "preemption_victims": (1, 7),
    "get_node_hint_duration_seconds": (0.00001, 12),
    "store_schedule_results_duration_seconds": (0.00001, 12),
    "pod_scheduling_sli_duration_seconds": (0.01, 20),
    "pod_scheduling_attempts": (1, 5),
    "framework_extension_point_duration_seconds": (0.0001, 12),
    "plugin_execution_duration_seconds": (0.00001, 20),
    "queueing_hint_execution_duration_seconds": (0.00001, 20),
    "permit_wait_duration_seconds": (0.001, 15),
    "preemption_goroutines_duration_seconds": (0.01, 20),
    "async_api_call_execution_duration_seconds": (0.001, 15),
    "dra_bindingconditions_wait_duration_seconds": (0.1, 14),
    "podgroup_scheduling_attempt_duration_seconds": (0.001, 15),
    "podgroup_scheduling_algorithm_duration_seconds": (0.001, 15),
}


def test_the_names_and_kinds_are_upstreams() -> None:
    families = SchedulerMetrics().families()
    named = {family.name: (family.kind, family.labels) for family in families}
    wanted = V1_36 | OF_THE_DOCUMENT
    assert named == {f"scheduler_{name}": about for name, about in wanted.items()}


def test_the_buckets_are_upstreams() -> None:
    found = {
        family.name.removeprefix("scheduler_"): (family.bounds[0], len(family.bounds))
        for family in SchedulerMetrics().families()
        if isinstance(family, Histogram)
    }
    assert {name: found[name] for name in BUCKETS} == BUCKETS
    assert set(found) == set(BUCKETS) | set(OF_THE_DOCUMENT)


def test_every_name_is_in_the_exposition_from_the_start() -> None:
    lines = SchedulerMetrics().exposition().splitlines()
    types = {line.split()[2]: line.split()[3] for line in lines if line.startswith("# TYPE ")}
    wanted = V1_36 | OF_THE_DOCUMENT
    assert types == {f"scheduler_{name}": kind for name, (kind, _) in wanted.items()}


def test_attempts_of_a_profile_that_nobody_uses_stay_at_zero() -> None:
    both = rehearsals.configuration(rehearsals.profile(), rehearsals.profile("batch"))
    told = samples(busy_run(configuration=both))
    for result in ("scheduled", "unschedulable", "error"):
        name = f'scheduler_schedule_attempts_total{{profile="batch",result="{result}"}}'
        assert told[name] == "0"


def test_the_names_of_the_document_can_be_filtered_by_profile() -> None:
    run = busy_run()
    told = samples(run)
    of = 'profile="default-scheduler"'
    assert (
        told[f'scheduler_e2e_scheduling_duration_seconds_count{{{of},result="scheduled"}}'] == "2"
    )
    assert told[f"scheduler_scheduling_algorithm_duration_seconds_count{{{of}}}"] == "3"
    assert told[f"scheduler_binding_duration_seconds_count{{{of}}}"] == "2"
    preemption = "scheduler_scheduling_algorithm_preemption_evaluation_seconds_count"
    assert told[f"{preemption}{{{of}}}"] == "1"


def test_queue_and_cache_are_looked_at_when_somebody_reads() -> None:
    told = samples(busy_run())
    assert told['scheduler_cache_size{type="nodes"}'] == "2"
    assert told['scheduler_cache_size{type="pods"}'] == "2"
    assert told['scheduler_cache_size{type="assumed_pods"}'] == "0"
    assert told['scheduler_goroutines{operation="binding"}'] == "0"
    assert told['scheduler_inflight_events{event="PodPopped"}'] == "0"
    of = 'profile="default-scheduler"'
    assert told[f'scheduler_unschedulable_pods{{plugin="NodeResourcesFit",{of}}}'] == "1"
    assert told[f'scheduler_unschedulable_pods{{plugin="SchedulingGates",{of}}}'] == "1"


@pytest.mark.parametrize(
    ("point", "plugin", "count"),
    [
        ("PreFilter", "NodePorts", 3),
        ("Filter", "NodeResourcesFit", 3),
        ("Score", "NodeAffinity", 1),
    ],
)
def test_plugins_are_evaluated_once_in_each_attempt(point: str, plugin: str, count: int) -> None:
    of = f'{{extension_point="{point}",plugin="{plugin}",profile="default-scheduler"}}'
    assert samples(busy_run())[f"scheduler_plugin_evaluation_total{of}"] == str(count)


def test_a_pod_that_was_put_off_for_too_long_is_counted_when_it_is_bound() -> None:
    run = Rehearsal(make_node("n1", cpu="1"))
    run.add_pod("large", cpu="4")
    run.run(1)
    # The queue does not hear of a node that has grown, as if a hint were wrong.
    run.store.unsubscribe(run.scheduler._handlers._handlers[1][0])
    node = run.store.get(rehearsals.NODE, "n1")
    status = {**node["status"], "allocatable": {**node["status"]["allocatable"], "cpu": "8"}}
    run.store.update({**node, "status": status}, subresource="status")
    run.scheduler.cache.add_node(node_views.of(run.store.get(rehearsals.NODE, "n1")))
    run.run(400)
    assert run.node_of("large") == "n1"
    assert samples(run)["scheduler_pod_scheduled_after_flush_total"] == "1"


def test_preemptions_that_evict_are_executed() -> None:
    run = Rehearsal(make_node("n1", cpu="1"))
    run.store.create(priority_class())
    run.add_pod("weak", cpu="1")
    run.run(1)
    vip = make_pod("vip", cpu="1")
    vip["spec"]["priorityClassName"] = "high"
    run.store.create(vip)
    run.run(2)
    told = samples(run)
    assert told["scheduler_preemption_victims_count"] == "1"
    assert told['scheduler_preemption_goroutines_execution_total{result="success"}'] == "1"
    assert told['scheduler_preemption_goroutines_duration_seconds_count{result="success"}'] == "1"


def priority_class() -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "high"},
        "value": 1000,
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
    assert told[ALGORITHM_COUNT] == "3"
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


def test_a_stopwatch_measures_points_and_plugins() -> None:
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
    assert told[f"scheduler_plugin_execution_duration_seconds_count{{{of}}}"] == "23"
    of = 'extension_point="Score",plugin="NodeResourcesFit",status="Success"'
    assert f"scheduler_plugin_execution_duration_seconds_count{{{of}}}" in told


def test_a_stopwatch_measures_events_and_hints() -> None:
    run = busy_run(stopwatch=Stopwatch())
    run.add_node("n3", cpu="1")
    run.run(60)
    told = samples(run)
    handled = "scheduler_event_handling_duration_seconds_count"
    assert told[f'{handled}{{event="NodeAdd"}}'] == "1"
    assert told[f'{handled}{{event="UnschedulablePodAdd"}}'] == "4"
    hinted = "scheduler_queueing_hint_execution_duration_seconds_count"
    of = 'event="NodeAdd",hint="Queue",plugin="NodeResourcesFit"'
    assert told[f"{hinted}{{{of}}}"] == "1"


def test_what_a_preemption_tries_is_not_the_next_pods_time() -> None:
    run = busy_run(stopwatch=Stopwatch())
    run.add_pod("tiny")
    run.run(2)
    timings = run.scheduler.timings
    assert timings is not None
    of_filter = dict(timings)[Part("default-scheduler", POINT, "Filter")]
    filters = len(run.scheduler.profiles["default-scheduler"].filter)
    assert of_filter.max_ns <= filters * 1_000_000


def test_timings_tell_profiles_points_and_plugins_apart() -> None:
    both = rehearsals.configuration(rehearsals.profile(), rehearsals.profile("batch"))
    run = busy_run(stopwatch=Stopwatch(), configuration=both)
    other = make_pod("other")
    other["spec"]["schedulerName"] = "batch"
    run.store.create(other)
    run.run(2)
    timings = run.scheduler.timings
    assert timings is not None
    assert timings.source == MEASURED
    counts = {part: found.count for part, found in timings}
    assert counts[Part("default-scheduler", ATTEMPT, result="scheduled")] == 2
    assert counts[Part("default-scheduler", ATTEMPT, result="unschedulable")] == 1
    assert counts[Part("default-scheduler", ALGORITHM)] == 3
    assert counts[Part("batch", ATTEMPT, result="scheduled")] == 1
    assert counts[Part("batch", PLUGIN, "Filter", "NodeResourcesFit")] == 1
    assert counts[Part("default-scheduler", PLUGIN, "Filter", "NodeResourcesFit")] == 3


def test_without_a_stopwatch_nothing_is_timed() -> None:
    assert busy_run().scheduler.timings is None


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
