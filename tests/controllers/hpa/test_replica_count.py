"""How many replicas a metric asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.controllers.hpa.metrics_client import PodMetric
from kubestage.controllers.hpa.replica_count import ReplicaCalculator, Tolerances
from kubestage.controllers.hpa.requests import CountError
from kubestage.controllers.hpa.settings import HpaSettings
from kubestage.objects import labels, timestamps
from tests.controllers.hpa.scene import LONG_AGO, running

if TYPE_CHECKING:
    from kubestage.aliases import Json

NOW_NS = timestamps.parse_time("2026-01-01T00:00:00Z")
SECOND_NS = 1_000_000_000
MINUTE_NS = 60 * SECOND_NS


class Known:
    """A client that knows the same of every metric."""

    def __init__(self, values: dict[str, int], totals: list[int] | None = None) -> None:
        self._values = values
        self._totals = totals or []

    def resource(self, resource: str, container: str) -> dict[str, PodMetric]:
        """What is known of pods."""
        del resource, container
        return {
            name: PodMetric(NOW_NS - 5 * SECOND_NS, 30 * SECOND_NS, value)
            for name, value in self._values.items()
        }

    def raw(self, metric: str, selector: labels.Selector) -> dict[str, PodMetric]:
        """The same."""
        del metric, selector
        return self.resource("", "")

    def of_object(self, metric: str, reference: Json, selector: labels.Selector) -> int:
        """The first total."""
        del metric, reference, selector
        return self._totals[0]

    def external(self, metric: str, selector: labels.Selector) -> list[int]:
        """All totals."""
        del metric, selector
        return self._totals


def calculator(
    pods: list[Json], values: dict[str, int] | list[int], totals: list[int] | None = None
) -> ReplicaCalculator:
    """Pods, and what the first of them use in thousandths."""
    if isinstance(values, list):
        named = {f"p{index}": value for index, value in enumerate(values)}
    else:
        named = values
    tolerances = Tolerances(0.1, 0.1)
    return ReplicaCalculator(
        HpaSettings(), "default", pods, Known(named, totals), tolerances, NOW_NS
    )


def by_cpu(pods: list[Json], values: list[int], current: int, target: int = 50) -> int:
    return calculator(pods, values).by_utilization(current, target, "cpu", "").replicas


def fleet(count: int) -> list[Json]:
    return [running(f"p{index}") for index in range(count)]


def started(name: str, ago_ns: int, ready: str, changed_ago_ns: int) -> Json:
    pod = running(name)
    since = timestamps.format_time(NOW_NS - changed_ago_ns)
    pod["status"] = {
        "phase": "Running",
        "startTime": timestamps.format_time(NOW_NS - ago_ns),
        "conditions": [{"type": "Ready", "status": ready, "lastTransitionTime": since}],
    }
    return pod


def test_three_pods_at_eighty_percent_of_fifty_make_five() -> None:
    assert by_cpu(fleet(3), [800, 800, 800], 3) == 5


def test_utilisation_is_cut_to_a_whole_percentage_before_it_is_compared() -> None:
    assert by_cpu(fleet(1), [559], 1) == 1
    assert by_cpu(fleet(1), [560], 1) == 2


def test_the_float_that_is_a_little_more_than_seven_makes_eight() -> None:
    assert by_cpu(fleet(25), [140] * 25, 25) == 8


def test_tolerance_includes_its_ends() -> None:
    within = Tolerances(0.2, 0.1)
    assert [within.is_within(ratio) for ratio in (0.79, 0.8, 1.1, 1.11)] == [
        False, True, True, False,
    ]  # fmt: skip


def test_missing_pods_are_idle_where_more_would_follow() -> None:
    # Two of four use 100 %: with the others idle the mean is the target.
    assert by_cpu(fleet(4), [1000, 1000], 4) == 4
    # Three of four: 75 % of a target of 50.
    assert by_cpu(fleet(4), [1000, 1000, 1000], 4) == 6


def test_missing_pods_are_busy_where_fewer_would_follow() -> None:
    # 10 % twice, and twice all of the request: that would turn it round.
    assert by_cpu(fleet(4), [100, 100], 4) == 4
    # 5 % six times and 100 % twice: 28 % of 50, on eight pods.
    assert by_cpu(fleet(8), [50] * 6, 8) == 5


def test_a_target_above_all_of_the_request_stands_in_for_missing_pods() -> None:
    # 30 % eight times and 150 % twice: 54 % of 150, on ten pods.
    assert by_cpu(fleet(10), [300] * 8, 10, target=150) == 4


def test_pods_that_still_start_are_idle_where_more_would_follow_and_ignored_else() -> None:
    young = started("p2", MINUTE_NS, "False", MINUTE_NS)
    pods = [*fleet(2), young]
    assert by_cpu(pods, [1000, 1000, 3000], 3) == 4
    assert by_cpu(pods, [100, 100, 3000], 3) == 1


@pytest.mark.parametrize(
    ("ago_ns", "ready", "changed_ago_ns", "counts"),
    [
        (4 * MINUTE_NS, "True", 4 * MINUTE_NS, True),
        (4 * MINUTE_NS, "True", 34 * SECOND_NS, False),
        (4 * MINUTE_NS, "True", 35 * SECOND_NS, True),
        (4 * MINUTE_NS, "False", 4 * MINUTE_NS, False),
        (5 * MINUTE_NS, "False", 5 * MINUTE_NS - 29 * SECOND_NS, False),
        (5 * MINUTE_NS, "False", 5 * MINUTE_NS - 30 * SECOND_NS, True),
        (5 * MINUTE_NS, "True", SECOND_NS, True),
    ],
)
def test_the_cpu_of_a_pod_counts_once_it_has_begun_to_work(
    ago_ns: int, ready: str, changed_ago_ns: int, counts: bool
) -> None:
    pod = started("p1", ago_ns, ready, changed_ago_ns)
    count = calculator([running("p0"), pod], [100, 900]).by_utilization(2, 50, "cpu", "")
    assert count.utilization == (50 if counts else 10)


def test_a_pod_that_never_said_when_it_became_unready_has_not_begun_to_work() -> None:
    pod = started("p1", 10 * MINUTE_NS, "False", 0)
    del pod["status"]["conditions"][0]["lastTransitionTime"]
    count = calculator([running("p0"), pod], [100, 900]).by_utilization(2, 50, "cpu", "")
    assert count.utilization == 10


def test_memory_and_custom_metrics_count_from_the_start() -> None:
    pods = [running("p0"), started("p1", MINUTE_NS, "False", MINUTE_NS)]
    assert calculator(pods, [1000, 3000]).by_pods_metric(2, 1000, "m", labels.EVERYTHING) == (
        4,
        2000,
        0,
    )
    assert calculator(pods, [1000, 3000]).by_resource_value(2, 1000, "memory", "").replicas == 4


def test_pods_that_go_or_failed_do_not_count() -> None:
    going, failed = running("p1"), running("p2")
    going["metadata"]["deletionTimestamp"] = LONG_AGO
    failed["status"]["phase"] = "Failed"
    count = calculator([running("p0"), going, failed], [1000, 0, 0]).by_utilization(
        3, 50, "cpu", ""
    )
    assert (count.replicas, count.utilization) == (2, 100)


def test_the_request_of_a_container_or_of_the_whole_pod_counts_if_stated() -> None:
    pod = running("p0")
    sidecar = {"name": "s", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}}
    once = {"name": "i", "resources": {"requests": {"cpu": "7"}}}
    pod["spec"]["initContainers"] = [sidecar, once]
    assert calculator([pod], [1000]).by_utilization(1, 50, "cpu", "").utilization == 50
    assert calculator([pod], [1000]).by_utilization(1, 50, "cpu", "s").utilization == 100
    pod["spec"]["resources"] = {"requests": {"cpu": "4"}}
    assert calculator([pod], [1000]).by_utilization(1, 50, "cpu", "").utilization == 25


@pytest.mark.parametrize(
    ("pods", "container", "text"),
    [
        ([], "", "no pods returned by selector while calculating replica count"),
        ([running("x")], "", "did not receive metrics for targeted pods (pods might be unready)"),
        ([running("p0", cpu="0")], "", "no metrics returned matched known pods"),
        ([running("p0")], "nobody", "container nobody not found in Pod p0"),
    ],
)
def test_what_is_not_known_is_said(pods: list[Json], container: str, text: str) -> None:
    values = {} if pods and pods[0]["metadata"]["name"] == "x" else {"p0": 1}
    with pytest.raises(CountError) as caught:
        calculator(pods, values).by_utilization(1, 50, "cpu", container)
    assert str(caught.value) == text


def test_a_total_is_met_by_as_many_ready_pods() -> None:
    unready = started("p3", MINUTE_NS, "False", MINUTE_NS)
    pods = [*fleet(3), unready]
    assert calculator(pods, [], [30_000]).by_external_value(4, 10_000, "m", None) == (9, 30_000, 0)
    # From nothing, the ratio itself is the number.
    assert calculator([], [], [21_000]).by_external_value(0, 10_000, "m", None).replicas == 3


def test_a_total_that_replicas_share_is_divided_by_the_target() -> None:
    count = calculator(fleet(3), [], [25_000, 5_000]).by_external_average(4, 10_000, "m", None)
    assert count == (3, 7500, 0)
    assert calculator([], [], [41_000]).by_external_average(4, 10_000, "m", None).replicas == 4
    assert calculator([], [], [10]).by_external_average(0, 10, "m", None) == (1, -(2**63), 0)
    reference = {"kind": "Ingress", "name": "x"}
    asked = ("m", reference, labels.EVERYTHING)
    assert calculator([], [], [50_001]).by_object_average(4, 10_000, *asked) == (6, 12_501, 0)


def test_a_total_beyond_all_numbers_asks_for_as_many_as_there_can_be() -> None:
    huge = [2**62, 2**62, 2**62]
    most = 2**31 - 1
    by_value = calculator(fleet(1), [], huge).by_external_value(1, 1, "m", None)
    assert by_value == (most, 2**63 - 1, 0)
    assert calculator([], [], huge).by_external_average(1, 1, "m", None) == (most, 2**63 - 1, 0)
