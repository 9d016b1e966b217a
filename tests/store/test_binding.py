from __future__ import annotations

import pytest

from kubestage.errors import Conflict, NotFound
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.store import Store
from tests.store.samples import POD, make_store, pod


@pytest.fixture
def store() -> Store:
    return make_store()


def test_a_bound_pod_has_its_node_and_says_so() -> None:
    clock = Clock()
    store = Store(clock, Streams(1))
    created = store.create(pod("a"))
    clock.now_ns = 3 * 10**9
    bound = store.bind("a", "default", "n1")
    assert bound["spec"]["nodeName"] == "n1"
    assert bound["status"]["conditions"] == [
        {
            "type": "PodScheduled",
            "status": "True",
            "lastProbeTime": None,
            "lastTransitionTime": "2026-01-01T00:00:03Z",
        }
    ]
    assert bound["metadata"]["generation"] == created["metadata"]["generation"]
    assert bound["metadata"]["resourceVersion"] == store.resource_version
    assert "nodeName" not in created["spec"]


def test_binding_takes_over_what_is_written_on_it(store: Store) -> None:
    store.create(pod("a", labels={"x": "1", "y": "1"}))
    bound = store.bind("a", "default", "n1", annotations={"n": "v"}, labels={"y": "2"})
    assert bound["metadata"]["annotations"] == {"n": "v"}
    assert bound["metadata"]["labels"] == {"x": "1", "y": "2"}


def test_earlier_verdicts_are_replaced_in_place(store: Store) -> None:
    store.create(pod("a"))
    waiting = {
        "conditions": [
            {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"},
            {"type": "Other", "status": "True"},
        ],
        "nominatedNodeName": "n9",
    }
    store.patch(POD, "a", {"status": waiting}, subresource="status")
    status = store.bind("a", "default", "n1")["status"]
    assert [each["type"] for each in status["conditions"]] == ["PodScheduled", "Other"]
    assert status["conditions"][0]["status"] == "True"
    assert "reason" not in status["conditions"][0]
    assert "nominatedNodeName" not in status


def test_a_pod_that_says_it_is_scheduled_keeps_the_time_since_when(store: Store) -> None:
    store.create(pod("a"))
    since = "2025-12-31T00:00:00Z"
    said = {"type": "PodScheduled", "status": "True", "lastTransitionTime": since}
    store.patch(POD, "a", {"status": {"conditions": [said]}}, subresource="status")
    condition = store.bind("a", "default", "n1")["status"]["conditions"][0]
    assert condition["lastTransitionTime"] == since


def test_other_conditions_stay(store: Store) -> None:
    store.create(pod("a"))
    status = {"conditions": [{"type": "Other", "status": "True"}]}
    store.patch(POD, "a", {"status": status}, subresource="status")
    conditions = store.bind("a", "default", "n1")["status"]["conditions"]
    assert [each["type"] for each in conditions] == ["Other", "PodScheduled"]


def test_a_pod_is_bound_once(store: Store) -> None:
    store.create(pod("a"))
    store.bind("a", "default", "n1")
    with pytest.raises(Conflict) as refusal:
        store.bind("a", "default", "n2")
    assert refusal.value.message == (
        'Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "n1"'
    )
    assert refusal.value.details == {"name": "a", "kind": "pods/binding"}


def test_gates_keep_a_pod_from_being_bound(store: Store) -> None:
    gated = pod("a")
    gated["spec"]["schedulingGates"] = [{"name": "example.com/wait"}]
    store.create(gated)
    with pytest.raises(Conflict, match=r"has non-empty .spec.schedulingGates"):
        store.bind("a", "default", "n1")


def test_a_pod_that_ends_is_not_bound(store: Store) -> None:
    store.create(pod("a", finalizers=["x.io/f"]))
    store.delete(POD, "a")
    with pytest.raises(Conflict, match=r"is being deleted, cannot be assigned to a host"):
        store.bind("a", "default", "n1")


def test_preconditions_are_kept(store: Store) -> None:
    created = store.create(pod("a"))
    with pytest.raises(Conflict, match=r"UID in precondition: other"):
        store.bind("a", "default", "n1", uid="other")
    with pytest.raises(Conflict, match=r"ResourceVersion in precondition: 1"):
        store.bind("a", "default", "n1", resource_version="1")
    store.bind("a", "default", "n1", uid=created["metadata"]["uid"])


def test_a_pod_that_is_not_there_is_not_found(store: Store) -> None:
    with pytest.raises(NotFound, match=r'pods "a" not found'):
        store.bind("a", "default", "n1")


def test_a_rehearsal_binds_nothing(store: Store) -> None:
    created = store.create(pod("a"))
    assert store.bind("a", "default", "n1", dry_run=True)["spec"]["nodeName"] == "n1"
    assert store.get(POD, "a") is created
