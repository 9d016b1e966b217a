from __future__ import annotations

import hypothesis
import pytest
from hypothesis import strategies as st

from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventResource
from kubestage.scheduler.queue import QueuedPod, QueueingHints, occasions
from kubestage.scheduler.queue.hints import Concern, Strategy
from kubestage.scheduler.queue.unschedulable import Rejection
from kubestage.scheduler.runtime import Profile
from tests.scheduler.queue import queues

PLUGINS = {
    "preFilter": [queues.WaitsForNodes(), queues.WaitsForTwoThings(), queues.Silent()],
}
BIG, SMALL = queues.node("big-1"), queues.node("small-1")


EVENTS = [
    *(ClusterEvent(EventResource.NODE, action) for action in ActionType),
    *(ClusterEvent(EventResource.ASSIGNED_POD, action) for action in ActionType),
    ClusterEvent(EventResource.RESOURCE_SLICE, ActionType.ADD),
    occasions.UNSCHEDULABLE_TIMEOUT,
]


def _hints() -> QueueingHints:
    return QueueingHints({"default-scheduler": Profile("default-scheduler", PLUGINS, {})})


@pytest.fixture
def hints() -> QueueingHints:
    return _hints()


def rejected(*plugins: str, pending: tuple[str, ...] = ()) -> QueuedPod:
    queued = QueuedPod(queues.pod("pod"), 0, 1)
    queued.unschedulable_plugins = frozenset(plugins)
    queued.pending_plugins = frozenset(pending)
    return queued


def test_only_the_plugin_that_rejected_the_pod_is_asked(hints: QueueingHints) -> None:
    by_nodes, by_labels = rejected("WaitsForNodes"), rejected("WaitsForLabels")
    assert hints.strategy(by_nodes, queues.NODE_ADD, None, BIG) is Strategy.AFTER_BACKOFF
    assert hints.strategy(by_labels, queues.NODE_ADD, None, BIG) is Strategy.SKIP


def test_a_hint_decides_whether_the_event_helps(hints: QueueingHints) -> None:
    assert hints.strategy(rejected("WaitsForNodes"), queues.NODE_ADD, None, SMALL) is Strategy.SKIP


def test_without_a_hint_every_such_event_helps(hints: QueueingHints) -> None:
    found = hints.strategy(rejected("WaitsForNodes"), queues.NODE_LABEL, SMALL, SMALL)
    assert found is Strategy.AFTER_BACKOFF


def test_a_plugin_that_was_merely_pending_brings_the_pod_back_at_once(
    hints: QueueingHints,
) -> None:
    pod = rejected("WaitsForLabels", pending=("WaitsForNodes",))
    assert hints.strategy(pod, queues.NODE_LABEL, BIG, BIG) is Strategy.IMMEDIATELY
    other = rejected("WaitsForLabels", pending=("Silent",))
    assert hints.strategy(other, queues.NODE_LABEL, BIG, BIG) is Strategy.IMMEDIATELY
    third = rejected("WaitsForNodes", pending=("WaitsForLabels",))
    assert hints.strategy(third, queues.NODE_ADD, None, BIG) is Strategy.AFTER_BACKOFF


def test_a_plugin_that_says_nothing_waits_for_everything_but_slices(hints: QueueingHints) -> None:
    pod = rejected("Silent")
    claim_update = ClusterEvent(EventResource.PERSISTENT_VOLUME_CLAIM, ActionType.UPDATE)
    slices = ClusterEvent(EventResource.RESOURCE_SLICE, ActionType.ADD)
    assert hints.strategy(pod, claim_update, {}, {}) is Strategy.AFTER_BACKOFF
    assert hints.strategy(pod, slices, None, {}) is Strategy.SKIP
    assert not hints.is_of_interest(slices)


def test_who_waits_for_new_nodes_is_told_of_taints_that_go(hints: QueueingHints) -> None:
    pod = rejected("WaitsForNodes")
    assert hints.strategy(pod, queues.NODE_TAINT, SMALL, SMALL) is Strategy.AFTER_BACKOFF
    assert hints.strategy(rejected("WaitsForLabels"), queues.NODE_TAINT, {}, {}) is Strategy.SKIP


def test_an_error_is_worth_another_attempt_whatever_happens(hints: QueueingHints) -> None:
    assert hints.strategy(rejected(), queues.NODE_TAINT, {}, {}) is Strategy.AFTER_BACKOFF


_plugins = st.frozensets(st.sampled_from(["WaitsForNodes", "WaitsForLabels", "Silent", "Other"]))


@hypothesis.given(_plugins, _plugins)
def test_whoever_is_not_concerned_would_have_been_passed_over(
    unschedulable: frozenset[str], pending: frozenset[str]
) -> None:
    hints, pod = _hints(), rejected(*unschedulable, pending=tuple(pending))
    rejection = Rejection("default-scheduler", unschedulable, pending)
    for event in EVENTS:
        # Asked twice, for what is found once is kept.
        for _ in range(2):
            if hints.concern(rejection, event) is Concern.NOBODY:
                assert hints.strategy(pod, event, BIG, BIG) is Strategy.SKIP


def test_a_users_plugin_is_asked_about_each_pod_unless_it_has_no_hint(
    hints: QueueingHints,
) -> None:
    rejection = Rejection("default-scheduler", frozenset({"WaitsForNodes"}), frozenset())
    assert hints.concern(rejection, queues.NODE_ADD) is Concern.EACH
    assert hints.concern(rejection, queues.NODE_LABEL) is Concern.ALIKE
    assert hints.concern(rejection, occasions.ASSIGNED_POD_ADD) is Concern.NOBODY


def test_a_wildcard_event_concerns_everybody_unless_it_names_a_pod(hints: QueueingHints) -> None:
    pod = rejected("WaitsForLabels")
    everybody, forced = occasions.UNSCHEDULABLE_TIMEOUT, occasions.FORCED_ACTIVATION
    assert hints.strategy(pod, everybody, None, None) is Strategy.AFTER_BACKOFF
    assert hints.strategy(pod, forced, None, pod.pod.raw) is Strategy.AFTER_BACKOFF
    other = queues.raw_pod("other")
    assert hints.strategy(pod, forced, None, other) is Strategy.SKIP


def test_an_update_of_nothing_special_does_not_concern_those_who_wait_for_labels() -> None:
    waits_for = ClusterEvent(EventResource.POD, ActionType.UPDATE_POD_LABEL)
    assert not waits_for.matches(occasions.UNSCHEDULED_POD_UPDATE)
    assert ClusterEvent(EventResource.POD, ActionType.UPDATE).matches(
        ClusterEvent(EventResource.ASSIGNED_POD, ActionType.UPDATE_POD_LABEL)
    )


def test_labels_are_upstreams() -> None:
    assert occasions.label_of(occasions.ASSIGNED_POD_ADD) == "AssignedPodAdd"
    assert occasions.label_of(occasions.UNSCHEDULED_POD_UPDATE) == "UnschedulablePodUpdate"
    assert occasions.label_of(queues.NODE_TAINT) == "NodeUpdateNodeTaint"
    assert occasions.label_of(occasions.UNSCHEDULABLE_TIMEOUT) == "UnschedulableTimeout"
    gates = ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED
    event = ClusterEvent(EventResource.UNSCHEDULED_POD, gates)
    assert occasions.label_of(event) == "UnschedulablePodUpdatePodSchedulingGatesEliminated"
    everything = ClusterEvent(EventResource.CSI_NODE, ActionType.ALL)
    assert occasions.label_of(everything) == "storage.k8s.io/CSINodeAll"
