from __future__ import annotations

import functools
import pickle
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.measure.metrics_store import MetricsStore
from kubestage.measure.prometheus.scraping import APISERVER, SCHEDULER, Target
from kubestage.metrics.families import Counter, Family, Gauge, Histogram
from tests.cluster.stages import Every, alive, create, pod
from tests.measure.fake_cluster import FakeMoments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.cluster.staged import StagedCluster
    from kubestage.measure.facilities import QueryAnswer

OWN = Target("own", {"job": "own", "instance": "here"})


class Speaking:
    """A component whose numbers are set by hand."""

    def __init__(self) -> None:
        self.moments = FakeMoments()
        self.own: list[Family] = []

    def families(self, component: str) -> list[Family]:
        return self.own if component == "own" else []


def _store(cluster: Speaking, **options: Any) -> MetricsStore:
    return MetricsStore(cluster, targets=(OWN,), **options)


def _ask(store: MetricsStore, cluster: Speaking, query: str) -> dict[str, float]:
    told: list[QueryAnswer] = []
    store.query(query, cluster.moments.now_ns, told.append)
    assert not told, "an answer never comes from within the call"
    cluster.moments.run()
    assert not told[0].error
    return {
        ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items())): sample.value
        for sample in told[0].samples
    }


def test_numbers_are_taken_every_interval_with_the_labels_of_their_target() -> None:
    cluster = Speaking()
    counter = Counter("seen_total", "ALPHA", "", ("verb", "job"))
    cluster.own = [counter]
    store = _store(cluster, interval_ns=10_000_000_000)
    counter.increase("GET", "inner", times=5)
    cluster.moments.run(25)
    assert _ask(store, cluster, "seen_total") == {
        "__name__=seen_total,exported_job=inner,instance=here,job=own,verb=GET": 5
    }
    assert _ask(store, cluster, "count_over_time(seen_total[1m])") == {
        "exported_job=inner,instance=here,job=own,verb=GET": 3
    }
    assert _ask(store, cluster, "up") == {"__name__=up,instance=here,job=own": 1}


def test_what_changes_is_seen_when_it_changes() -> None:
    cluster = Speaking()
    gauge = Gauge("size", "ALPHA", "")
    cluster.own = [gauge]
    store = _store(cluster)
    for value in (1, 1, 4, 4, 2):
        gauge.put({(): value})
        cluster.moments.run(5)
    assert _ask(store, cluster, "sum_over_time(size[21s])") == {
        "instance=here,job=own": 1 + 1 + 4 + 4 + 2
    }


def test_a_histogram_becomes_buckets_sum_and_count() -> None:
    cluster = Speaking()
    histogram = Histogram("took_seconds", "ALPHA", "", (0.1, 1.0), ("verb",))
    cluster.own = [histogram]
    store = _store(cluster)
    histogram.distribution("GET").observe(0.05)
    cluster.moments.run()
    histogram.distribution("GET").observe(0.5, 2)
    histogram.distribution("GET").observe(3)
    cluster.moments.run(5)
    rows = _ask(store, cluster, 'sum by (le) (took_seconds_bucket{verb="GET"})')
    assert rows == {"le=0.1": 1, "le=1": 3, "le=+Inf": 4}
    assert _ask(store, cluster, "sum(took_seconds_count)") == {"": 4}
    assert _ask(store, cluster, "sum(took_seconds_sum)") == {"": pytest.approx(4.05)}
    assert _ask(store, cluster, 'sum(took_seconds_bucket{le="0.1"} offset 1s)') == {"": 1}


def test_what_is_no_longer_told_has_ended() -> None:
    cluster = Speaking()
    gauge = Gauge("pods", "ALPHA", "", ("queue",))
    histogram = Histogram("took_seconds", "ALPHA", "", (1.0,))
    gauge.put({("a",): 1, ("b",): 2})
    cluster.own = [gauge, histogram]
    store = _store(cluster)
    cluster.moments.run()
    gauge.put({("b",): 2})
    cluster.own = [gauge]
    cluster.moments.run(5)
    assert list(_ask(store, cluster, "sum by (queue) (pods)")) == ["queue=b"]
    assert _ask(store, cluster, "took_seconds_count") == {}
    gauge.put({("a",): 7, ("b",): 2})
    cluster.moments.run(5)
    assert _ask(store, cluster, "sum by (queue) (pods)") == {"queue=a": 7, "queue=b": 2}


def test_a_target_may_be_scraped_more_seldom_and_not_be_kept_in_full() -> None:
    cluster = Speaking()
    gauge = Gauge("used", "ALPHA", "", ("pod", "namespace"))
    gauge.put({("a", "kube-system"): 1, ("b", "test-abc-1"): 2})
    cluster.own = [gauge]
    seldom = Target("own", {}, interval_ns=30_000_000_000, dropped="test-")
    store = MetricsStore(cluster, targets=(seldom,))
    cluster.moments.run(60)
    assert _ask(store, cluster, "count_over_time(used[5m])") == {"namespace=kube-system,pod=a": 3}


class Lines(Family):
    """A family that keeps its numbers to itself."""

    def samples(self) -> Iterator[tuple[str, list[tuple[str, str]], float]]:
        yield "", [("a", "1"), ("b", "2")], 5.5


def test_a_family_of_any_kind_is_asked_line_by_line() -> None:
    cluster = Speaking()
    cluster.own = [Lines("own_lines", "ALPHA", "", ("b", "a"))]
    store = _store(cluster)
    cluster.moments.run()
    assert _ask(store, cluster, "sum by (a, b) (own_lines)") == {"a=1,b=2": 5.5}


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("sum(", "1:5: parse error"),
        ("1 + 1", "incorrect response type: scalar"),
        ("'x'", "incorrect response type: string"),
    ],
)
def test_what_cannot_be_answered_is_told(query: str, problem: str) -> None:
    cluster = Speaking()
    told: list[QueryAnswer] = []
    _store(cluster).query(query, 0, told.append)
    cluster.moments.run()
    assert problem in told[0].error


def test_a_store_that_is_stopped_takes_nothing_more_and_still_answers() -> None:
    cluster = Speaking()
    store = _store(cluster)
    cluster.moments.run()
    store.stop()
    cluster.moments.run(60)
    assert _ask(store, cluster, "count_over_time(up[10m])") == {"instance=here,job=own": 1}


def _loaded(seed: int) -> tuple[StagedCluster, MetricsStore, Any]:
    stage, cluster = alive(nodes=2, seed=seed)
    store = MetricsStore(cluster, targets=(APISERVER, SCHEDULER))
    Every(cluster, 500_000_000, 40, functools.partial(_create, cluster))
    stage.run("30s")
    return cluster, store, stage


def _create(cluster: StagedCluster, index: int) -> None:
    cluster.call(create(pod(f"p{index}")), _nothing)


def _nothing(answer: object) -> None:
    del answer


def test_a_stage_answers_for_its_own_api_server_and_scheduler() -> None:
    cluster, store, stage = _loaded(1)
    told: list[QueryAnswer] = []
    for query in (
        'sum(apiserver_request_total{verb="POST",resource="pods",subresource="binding",code="201"})',
        "sum(scheduler_pod_scheduling_sli_duration_seconds_count)",
        'count(up{job="master"})',
    ):
        store.query(query, cluster.moments.now_ns, told.append)
    stage.run("1s")
    assert [answered.samples[0].value for answered in told] == [40, 40, 2]


def test_a_store_survives_being_pickled_with_its_stage() -> None:
    cluster, store, stage = _loaded(1)
    stage, cluster, store = pickle.loads(pickle.dumps((stage, cluster, store)))
    stage.run("30s")
    told: list[QueryAnswer] = []
    query = 'count_over_time(up{endpoint="apiserver"}[50s])'
    store.query(query, cluster.moments.now_ns, told.append)
    stage.run("1s")
    assert told[0].samples[0].value == 11


def test_equal_seeds_are_equal_series() -> None:
    one, other = (_loaded(7)[1] for _ in range(2))
    assert pickle.dumps(one.series) == pickle.dumps(other.series)
