from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from kubestage.controllers.replicaset import ranking
from kubestage.objects import timestamps
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    import random

    from kubestage.aliases import Json


_NOW_NS = timestamps.parse_time("2026-01-01T01:00:00Z")


def _pod(
    uid: str,
    *,
    node: str = "n1",
    phase: str = "Running",
    ready_for: int | None = 100,
    age: int = 100,
    cost: str | None = None,
    restarts: int = 0,
    sidecar_restarts: int = 0,
) -> Json:
    """Times in seconds before now."""
    metadata: Json = {"uid": uid, "name": uid, "creationTimestamp": _ago(age)}
    if cost is not None:
        metadata["annotations"] = {"controller.kubernetes.io/pod-deletion-cost": cost}
    status: Json = {"phase": phase, "containerStatuses": [{"name": "c", "restartCount": restarts}]}
    if ready_for is not None:
        ready = {"type": "Ready", "status": "True", "lastTransitionTime": _ago(ready_for)}
        status["conditions"] = [ready]
    spec: Json = {"nodeName": node} if node else {}
    if sidecar_restarts:
        spec["initContainers"] = [{"name": "s", "restartPolicy": "Always"}, {"name": "once"}]
        status["initContainerStatuses"] = [
            {"name": "s", "restartCount": sidecar_restarts},
            {"name": "once", "restartCount": 99},
        ]
    return {"metadata": metadata, "spec": spec, "status": status}


def _ago(seconds: int) -> str:
    return timestamps.format_time(_NOW_NS - seconds * SECOND_NS)


def _first(*candidates: Json, related: tuple[Json, ...] = ()) -> str:
    chosen = ranking.first_to_go(candidates, related, 1, _NOW_NS)
    backwards = ranking.first_to_go(candidates[::-1], related, 1, _NOW_NS)
    assert chosen == backwards
    uid: str = chosen[0]["metadata"]["uid"]
    return uid


def test_a_pod_without_a_node_goes_before_one_that_has_one() -> None:
    assert _first(_pod("a", phase="Pending", ready_for=None), _pod("b", node="")) == "b"


def test_a_pending_pod_goes_before_an_unknown_one_and_that_before_a_running_one() -> None:
    running, unknown = _pod("a", ready_for=None), _pod("b", phase="Unknown", ready_for=None)
    assert _first(running, unknown) == "b"
    assert _first(unknown, _pod("c", phase="Pending", ready_for=None)) == "c"


def test_a_pod_that_is_not_ready_goes_before_one_that_is_whatever_they_cost() -> None:
    assert _first(_pod("a", cost="-5"), _pod("b", ready_for=None, cost="100")) == "b"


def test_the_cheaper_pod_goes_first_and_a_cost_that_cannot_be_read_is_nothing() -> None:
    assert _first(_pod("a", cost="10"), _pod("b")) == "b"
    assert _first(_pod("a"), _pod("b", cost="-10")) == "b"
    assert _first(_pod("a", cost="-1"), _pod("b", cost="+9")) == "a"
    assert _first(_pod("a", cost="1"), _pod("b", cost="008")) == "b"
    assert _first(_pod("a", cost="1"), _pod("b", cost="99999999999")) == "b"


def test_of_equal_pods_the_one_with_more_neighbours_goes_first() -> None:
    alone, crowded = _pod("a", node="n1", age=10), _pod("b", node="n2", age=1000)
    other = _pod("c", node="n2")
    gone = _pod("d", node="n1", phase="Failed")
    assert _first(alone, crowded, related=(alone, crowded, other, gone, gone)) == "b"


def test_the_pod_that_has_been_ready_for_less_time_goes_first_by_powers_of_two() -> None:
    assert _first(_pod("a", ready_for=100), _pod("b", ready_for=10)) == "b"
    assert _first(_pod("a", ready_for=100), _pod("b", ready_for=90)) == "a"


def test_more_restarts_go_first_then_more_restarts_of_sidecars() -> None:
    assert _first(_pod("a"), _pod("b", restarts=2)) == "b"
    assert _first(_pod("a"), _pod("b", sidecar_restarts=2)) == "b"


def test_the_younger_pod_goes_first_by_powers_of_two_then_by_uid() -> None:
    assert _first(_pod("a", age=2000), _pod("b", age=200)) == "b"
    assert _first(_pod("b", age=2000), _pod("a", age=1900)) == "a"


def test_a_time_that_is_missing_is_the_latest() -> None:
    pod = _pod("b")
    del pod["status"]["conditions"][0]["lastTransitionTime"]
    assert _first(_pod("a", ready_for=1), pod) == "b"


_ranked_pods = st.lists(
    st.tuples(
        st.sampled_from(["", "n1", "n2", "n3"]),
        st.sampled_from(["Pending", "Running"]),
        st.sampled_from([None, 5, 300]),
        st.sampled_from([None, "-1", "7"]),
        st.sampled_from([10, 1000]),
    ),
    min_size=2,
    max_size=12,
)


@given(_ranked_pods, st.randoms(use_true_random=False))
def test_whom_it_hits_does_not_depend_on_the_order_of_the_candidates(
    drawn: list[tuple[str, str, int | None, str | None, int]], shuffler: random.Random
) -> None:
    candidates = [
        _pod(f"u{number:02}", node=node, phase=phase, ready_for=ready, cost=cost, age=age)
        for number, (node, phase, ready, cost, age) in enumerate(drawn)
    ]
    shuffled = [*candidates]
    shuffler.shuffle(shuffled)
    for count in range(1, len(candidates)):
        chosen = ranking.first_to_go(candidates, candidates, count, _NOW_NS)
        again = ranking.first_to_go(shuffled, candidates, count, _NOW_NS)
        assert len(chosen) == count
        assert [_merits(pod, candidates) for pod in chosen] == [
            _merits(pod, candidates) for pod in again
        ]


def _merits(pod: Json, candidates: list[Json]) -> Json:
    """All but which node it is and who it is."""
    known = pod["metadata"]
    return {
        "metadata": {key: value for key, value in known.items() if key not in ("uid", "name")},
        "status": pod["status"],
        "is_assigned": bool(pod["spec"]),
        "neighbours": sum(each["spec"] == pod["spec"] for each in candidates),
    }
