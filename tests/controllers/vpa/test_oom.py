"""How kills are noticed in the statuses of pods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.vpa import oom
from kubestage.controllers.vpa.aggregate_state import AggregateContainerState
from kubestage.controllers.vpa.container_state import ContainerState
from kubestage.controllers.vpa.settings import VpaSettings
from kubestage.units import HOUR_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json

_MIB = 1 << 20
_KILLED = {"reason": "OOMKilled", "finishedAt": "2026-01-01T00:00:00Z"}


def _pod(memory: str = "100Mi", restarts: int = 0, **status: Json) -> Json:
    return {
        "metadata": {"namespace": "default", "name": "p"},
        "spec": {"containers": [{"name": "app", "resources": {"requests": {"memory": memory}}}]},
        "status": {"containerStatuses": [{"name": "app", "restartCount": restarts, **status}]},
    }


def _seen(old: Json, new: Json) -> list[int]:
    return [each.requested // _MIB for each in oom.observed(old, new)]


def test_a_container_that_ends_by_a_kill_is_noticed_once() -> None:
    running, ended = _pod(state={"running": {}}), _pod(state={"terminated": _KILLED})
    assert _seen(running, ended) == [100]
    assert not _seen(ended, ended)
    assert not _seen(running, _pod(state={"terminated": {**_KILLED, "reason": "Error"}}))


def test_one_that_ends_again_without_having_been_seen_running_is_noticed_again() -> None:
    ended = _pod(state={"terminated": _KILLED})
    assert _seen(ended, _pod(restarts=1, state={"terminated": _KILLED})) == [100]


def test_one_that_already_runs_again_is_judged_by_what_it_had_before() -> None:
    running = _pod("64Mi", state={"running": {}})
    again = _pod(restarts=1, state={"running": {}}, lastState={"terminated": _KILLED})
    assert _seen(running, again) == [64]
    assert not _seen(_pod(state={"waiting": {}}), again)


def _killed(container: ContainerState, requested: int, at_ns: int) -> AggregateContainerState:
    aggregate = AggregateContainerState(VpaSettings(), 0)
    assert container.record_oom(aggregate, requested, at_ns)
    return aggregate


def test_a_kill_is_a_sample_of_a_fifth_more_or_a_hundred_mebibytes() -> None:
    small, large = ContainerState(), ContainerState()
    _killed(small, 10 * _MIB, HOUR_NS)
    _killed(large, 1000 * _MIB, HOUR_NS)
    assert small.max_memory_peak == 110 * _MIB
    assert large.max_memory_peak == 1200 * _MIB


def test_kill_upon_kill_does_not_run_away() -> None:
    container = ContainerState()
    for hour in range(1, 5):
        _killed(container, 1000 * _MIB, hour * HOUR_NS)
    assert container.max_memory_peak == 1200 * _MIB


def test_a_kill_of_long_ago_is_passed_over() -> None:
    container, aggregate = ContainerState(), AggregateContainerState(VpaSettings(), 0)
    assert container.add_memory(aggregate, 5, 100 * HOUR_NS)
    assert not container.record_oom(aggregate, 5, 75 * HOUR_NS)
    assert container.record_oom(aggregate, 5, 77 * HOUR_NS)


def test_a_sample_that_is_older_than_the_last_one_is_passed_over() -> None:
    container, aggregate = ContainerState(), AggregateContainerState(VpaSettings(), 0)
    assert container.add_memory(aggregate, 5 * _MIB, 10 * HOUR_NS)
    assert container.add_memory(aggregate, 6 * _MIB, 10 * HOUR_NS)
    assert not container.add_memory(aggregate, 900 * _MIB, 9 * HOUR_NS)
    assert not container.add_memory(aggregate, -1, 11 * HOUR_NS)
    assert container.max_memory_peak == 6 * _MIB


def test_only_the_highest_peak_of_an_interval_counts() -> None:
    container, aggregate = ContainerState(), AggregateContainerState(VpaSettings(), 0)
    for hour, mebibytes in ((1, 500), (2, 300), (3, 700), (26, 100)):
        assert container.add_memory(aggregate, mebibytes * _MIB, hour * HOUR_NS)
    weights = aggregate.memory_peaks.save().bucket_weights
    buckets = aggregate.memory_peaks.buckets
    assert list(weights) == [buckets.find(100.0 * _MIB), buckets.find(700.0 * _MIB)]
