from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kubestage.aliases import Json
from kubestage.controllers import ownership
from kubestage.controllers.replicaset.pod_counter import Counts, PodCounter
from kubestage.objects import labels, timestamps
from kubestage.testing import make_replica_set
from kubestage.units import SECOND_NS
from tests.reference import replica_counts

_OWNER = make_replica_set("web", labels={"app": "web", "tier": "x"})
_OWNER["metadata"]["uid"] = "u1"
_OWNER["spec"]["selector"] = {"matchLabels": {"app": "web"}}
_START_NS = timestamps.parse_time("2026-01-01T00:00:00Z")


def _tally(min_ready_seconds: int = 0) -> PodCounter:
    spec = _OWNER["spec"]
    selector = labels.from_label_selector(spec["selector"])
    return PodCounter(selector, spec["template"]["metadata"]["labels"], min_ready_seconds)


def _pod(
    *,
    phase: str = "Running",
    ready_at: int | None = None,
    app: str = "web",
    tier: str = "x",
    is_terminating: bool = False,
) -> Json:
    metadata: Json = {
        "labels": {"app": app, "tier": tier},
        "ownerReferences": [ownership.controller_reference(_OWNER)],
    }
    if is_terminating:
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    ready: Json = {"type": "Ready", "status": "False" if ready_at is None else "True"}
    if ready_at is not None:
        ready["lastTransitionTime"] = timestamps.format_time(_START_NS + ready_at * SECOND_NS)
    return {"metadata": metadata, "spec": {}, "status": {"phase": phase, "conditions": [ready]}}


def test_a_pod_counts_until_it_has_ended() -> None:
    counter = _tally()
    assert counter.observe("a", _pod())
    assert counter.counts(0) == Counts(1, 1, 0, 0, 0)
    assert counter.observe("a", _pod(phase="Failed"))
    assert counter.counts(0) == Counts(0, 0, 0, 0, 0)


def test_a_change_that_counts_for_nothing_is_none() -> None:
    counter = _tally()
    counter.observe("a", _pod())
    assert not counter.observe("a", {**_pod(), "spec": {"nodeName": "n1"}})


def test_a_ready_pod_is_available_after_its_time_and_not_before() -> None:
    counter = _tally(min_ready_seconds=10)
    counter.observe("a", _pod(ready_at=5))
    soon_ns = _START_NS + 15 * SECOND_NS
    assert counter.counts(soon_ns - 1).available == 0
    assert counter.next_available_ns == soon_ns
    assert counter.counts(soon_ns).available == 1
    assert counter.next_available_ns is None


def test_a_pod_that_was_ready_for_a_moment_does_not_become_available() -> None:
    counter = _tally(min_ready_seconds=10)
    counter.observe("a", _pod(ready_at=5))
    counter.observe("a", _pod())
    counter.observe("a", _pod(ready_at=9))
    assert counter.counts(_START_NS + 15 * SECOND_NS).available == 0
    assert counter.counts(_START_NS + 19 * SECOND_NS).available == 1


def test_a_ready_pod_that_does_not_say_since_when_never_becomes_available() -> None:
    counter, pod = _tally(min_ready_seconds=1), _pod(ready_at=0)
    del pod["status"]["conditions"][0]["lastTransitionTime"]
    counter.observe("a", pod)
    assert counter.counts(_START_NS + 10**18) == Counts(1, 1, 1, 0, 0)
    assert counter.next_available_ns is None


def test_an_active_pod_with_other_labels_is_a_stray() -> None:
    counter = _tally()
    counter.observe("a", _pod(app="other"))
    assert (counter.active, counter.strays) == (0, 1)
    assert counter.active_keys() == []
    assert counter.active_keys(strays=True) == ["a"]


_pods = st.builds(
    _pod,
    phase=st.sampled_from(["Pending", "Running", "Succeeded", "Failed"]),
    ready_at=st.none() | st.integers(0, 30),
    app=st.sampled_from(["web", "web", "other"]),
    tier=st.sampled_from(["x", "y"]),
    is_terminating=st.booleans(),
)
_steps = st.lists(
    st.tuples(st.sampled_from("abcd"), st.none() | _pods, st.integers(0, 5)), max_size=40
)


@given(_steps, st.sampled_from([0, 0, 3, 10]))
def test_counting_on_gives_what_counting_from_scratch_gives(
    steps: list[tuple[str, Json | None, int]], min_ready_seconds: int
) -> None:
    owner = {**_OWNER, "spec": {**_OWNER["spec"], "minReadySeconds": min_ready_seconds}}
    counter, present, now_ns = _tally(min_ready_seconds), dict[str, Json](), _START_NS
    for key, pod, seconds in steps:
        now_ns += seconds * SECOND_NS
        if pod is None:
            counter.forget(key)
            present.pop(key, None)
        else:
            counter.observe(key, pod)
            present[key] = pod
        assert counter.counts(now_ns) == replica_counts.count(owner, list(present.values()), now_ns)
