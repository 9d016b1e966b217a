"""TestMetrics has its parts do their work in the order of the original."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.measure.bundles.test_metrics import PARTS
from kubestage.measure.facilities import Facilities
from kubestage.measure.measurement import Measurement
from kubestage.measure.measurements import Measurements
from kubestage.measure.params import FreeParams
from kubestage.measure.registry import Registry
from kubestage.measure.results import MeasurementResult
from kubestage.sim.streams import Streams
from tests.measure.components.measured import Measured, node
from tests.measure.fake_cluster import FakeCluster

if TYPE_CHECKING:
    from kubestage.measure.measurement import Context
    from kubestage.measure.results import Result

SWITCHES: dict[str, Any] = {
    "systemPodMetricsEnabled": True,
    "clusterOOMsTrackerEnabled": True,
    "clusterOOMsIgnoredProcesses": "",
    "clusterOOMsFailureEnabled": True,
    "systemPodsFailureEnabled": True,
    "restartCountThresholdOverrides": "",
    "enableRestartCountCheck": True,
    "resourceConstraints": "",
}


class Recorder(Measurement[FreeParams]):
    """Stands for every part and writes down what it is asked."""

    params_type = FreeParams
    mentions: list[tuple[str, str, str]]

    def perform(self, params: FreeParams) -> Result:
        """Take note."""
        component = params.values.get("componentName", "")
        self.mentions.append((self.context.method, params.action, component))
        return MeasurementResult(errors=("oh",) if self.context.method == "EtcdMetrics" else ())


def recorded(*actions: str) -> tuple[list[tuple[str, str, str]], list[MeasurementResult]]:
    mentions: list[tuple[str, str, str]] = []

    class Own(Recorder):
        """One that shares its notes."""

        def __init__(self, context: Context) -> None:
            super().__init__(context)
            self.mentions = mentions

    own: dict[str, Any] = {part.method: Own for part in PARTS}
    cluster = FakeCluster()
    measurements = Measurements(Registry(own), cluster, Streams(1), Facilities())
    told: list[MeasurementResult] = []
    for action in actions:
        measurements.perform("TestMetrics", "id", {"action": action}).then(told.append)
    return mentions, told


def test_parts_are_those_of_the_original_in_its_order() -> None:
    mentions, _ = recorded("gather")
    methods = [method for method, _, _ in mentions]
    assert methods[:4] == [
        "EtcdMetrics",
        "SchedulingMetrics",
        "MetricsForE2E",
        "ResourceUsageSummary",
    ]
    assert methods[4:7] == ["CPUProfile", "MemoryProfile", "BlockProfile"]
    assert methods[-2:] == ["SystemPodMetrics", "ClusterOOMsTracker"]
    assert len(methods) == 21
    assert [component for _, _, component in mentions[4:-2:3]] == [
        "etcd",
        "etcd-events",
        "kube-apiserver",
        "kube-scheduler",
        "kube-controller-manager",
    ]


def test_the_scheduler_is_reset_and_metrics_are_only_gathered() -> None:
    mentions, _ = recorded("start")
    actions = {method: action for method, action, _ in mentions}
    assert actions.pop("SchedulingMetrics") == "reset"
    assert "MetricsForE2E" not in actions
    assert set(actions.values()) == {"start"}


def test_restarts_of_system_pods_can_be_left_out_of_account() -> None:
    mentions, _ = recorded("pauseSystemPodMetrics", "unpauseSystemPodMetrics")
    assert mentions == [("SystemPodMetrics", "pause", ""), ("SystemPodMetrics", "unpause", "")]


def test_errors_say_which_part_it_was() -> None:
    _, (outcome,) = recorded("gather")
    assert outcome.errors == ("action gather failed for EtcdMetrics measurement: oh",)


def test_an_unknown_action_is_refused() -> None:
    _, (outcome,) = recorded("stopp")
    assert "pauseSystemPodMetrics" in outcome.errors[0]


def test_parts_that_are_skipped_are_told_once_and_do_not_skip_the_rest() -> None:
    measured = Measured("TestMetrics", is_stage=False)
    measured.cluster.put(node("n1"))
    started = measured.perform("start", **SWITCHES)
    assert not started.skipped
    assert [line for line in started.warnings if "EtcdMetrics" in line]
    profiles = [line for line in started.warnings if "Profile" in line]
    assert len(profiles) == len({line.partition(":")[2] for line in profiles})
    gathered = measured.perform("gather", **SWITCHES)
    assert not set(started.warnings) & set(gathered.warnings)
    assert [summary.name for summary in gathered.summaries] == [
        "MetricsForE2E",
        "ResourceUsageSummary",
        "SystemPodMetrics",
        "ClusterOOMsTracker",
    ]
    assert not gathered.errors


def test_a_parameter_that_no_part_knows_is_warned_of_with_the_likely_one() -> None:
    measured = Measured("TestMetrics")
    assert not [line for line in measured.perform("start", **SWITCHES).warnings if "params" in line]
    known = measured.perform("pauseSystemPodMetrics", gatherKubeletsMetrics=True, **SWITCHES)
    assert not known.warnings
    outcome = measured.perform("start", systemPodMetricEnabled=True)
    assert [line for line in outcome.warnings if "did you mean 'systemPodMetricsEnabled'" in line]


def test_a_wrong_parameter_fails_its_part_only() -> None:
    measured = Measured("TestMetrics", is_stage=False)
    params = {**SWITCHES, "restartCountThresholdOverrides": "- c1"}
    measured.perform("start", **SWITCHES)
    (error,) = measured.perform("gather", **params).errors
    assert error.startswith("action gather failed for SystemPodMetrics measurement:")


def test_the_end_of_the_test_is_that_of_all_parts() -> None:
    measured = Measured("TestMetrics")
    measured.perform("start", **SWITCHES)
    assert measured.cluster.moments.pending
    measured.measurements.dispose()
    assert measured.cluster.moments.pending == 0
    assert all(watch.is_stopped for watch in measured.cluster.watches)


def test_a_part_without_a_sample_does_not_empty_the_rest() -> None:
    measured = Measured("TestMetrics")
    measured.perform("start", **SWITCHES)
    gathered = measured.perform("gather", **SWITCHES)
    assert any(each.is_empty for each in gathered.verdicts)
    assert not gathered.is_empty
