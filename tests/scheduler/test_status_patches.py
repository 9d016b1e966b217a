"""What the scheduler writes straight into a status is what a patch would make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hypothesis
import msgspec
import pytest
from hypothesis import strategies as st

from kubestage import errors
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler import failure_handler, status_patches
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.store import Store
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.store.admission.admission_request import AdmissionRequest
    from kubestage.store.core import Core
    from kubestage.store.log import Change


POD = ("v1", "Pod")
_times = st.sampled_from([None, "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"])


def _condition(*kinds: str) -> SearchStrategy[Json]:
    return st.fixed_dictionaries(
        {"type": st.sampled_from(kinds), "status": st.sampled_from(["True", "False"])},
        optional={
            "lastProbeTime": _times,
            "lastTransitionTime": _times,
            "reason": st.sampled_from(["", "Unschedulable"]),
            "message": st.sampled_from(["", "no room"]),
            "observedGeneration": st.sampled_from([0, 1, 2]),
        },
    )


_stored = st.lists(
    _condition("PodScheduled", "Ready", "example.com/gate", "DisruptionTarget"),
    max_size=3,
    unique_by=lambda each: str(each["type"]),
)
_statuses: SearchStrategy[Json] = st.fixed_dictionaries(
    {"phase": st.sampled_from(["Pending", "Running"])},
    optional={
        "conditions": _stored,
        "nominatedNodeName": st.sampled_from(["n1", "gone"]),
        "startTime": st.just("2026-01-01T00:00:00Z"),
        "podIP": st.just("10.0.0.1"),
        "podIPs": st.just([{"ip": "10.0.0.1"}]),
    },
)
_fresh = _condition("PodScheduled", "DisruptionTarget", "Ready", "not/a/type")


@st.composite
def _changes(draw: st.DrawFn, stored: list[Json]) -> Json:
    changes: Json = {}
    if draw(st.booleans()):
        kept = draw(st.lists(st.sampled_from(stored), max_size=2)) if stored else []
        changes["conditions"] = draw(st.permutations([*kept, draw(_fresh)]))
    if draw(st.booleans()):
        changes["nominatedNodeName"] = draw(st.sampled_from([None, "", "n1", "n2", "Not A Node"]))
    if draw(st.integers(0, 9)) == 0:
        changes["reason"] = draw(st.sampled_from([None, "because"]))
    return changes


def _store(pod: Json) -> Store:
    store = Store(Clock(), Streams(0), implicit_namespaces=True)
    for name in ("n1", "n2"):
        store.create(make_node(name))
    store.load(pod)
    if pod["metadata"].get("labels", {}).get("leaves"):
        store.delete(POD, "web", "default")
    return store


def _outcome(store: Store, write: Any) -> tuple[str, str, bytes]:
    """What came of a write: what was refused, the version of all, and the pod to the byte."""
    refused = ""
    try:
        write()
    except errors.ApiError as error:
        refused = error.message
    return refused, store.resource_version, msgspec.json.encode(store.read(POD).get("default/web"))


@hypothesis.given(_statuses, st.booleans(), st.booleans(), st.data())
def test_the_pod_is_stored_as_a_patch_would_have_it(
    status: Json, bound: bool, leaves: bool, data: st.DataObject
) -> None:
    pod = {**make_pod("web", labels={"leaves": "soon"} if leaves else {}), "status": status}
    if bound:
        pod["spec"] = {**pod["spec"], "nodeName": "n1"}
    ours, theirs = _store(pod), _store(pod)
    assume = ours.read(POD).get("default/web")
    hypothesis.assume(assume is not None)
    assert assume is not None
    changes = data.draw(_changes(assume["status"].get("conditions") or []))
    view = pod_views.of(assume)
    found = _outcome(ours, lambda: status_patches.merge(ours, view, changes))
    expected = _outcome(
        theirs,
        lambda: theirs.patch(POD, "web", {"status": changes}, "default", subresource="status"),
    )
    assert found == expected


def _say(store: Store, view: PodView, reason: str, message: str) -> None:
    """Write the whole condition, as for a pod that has none yet."""
    fresh: Json = {
        "type": "PodScheduled", "status": "False", "lastProbeTime": None,
        "lastTransitionTime": "2026-01-03T00:00:00Z", "reason": reason, "message": message,
    }  # fmt: skip
    if view.raw["metadata"].get("generation"):
        fresh["observedGeneration"] = view.raw["metadata"]["generation"]
    changed = failure_handler.with_condition(view.raw["status"].get("conditions") or (), fresh)
    if changed is not None:
        status_patches.merge(store, view, {"conditions": changed})


_messages = st.sampled_from(["", "0/1 nodes", "0/2 nodes", "0/3 nodes"])
_reasons = st.sampled_from(["Unschedulable", "Unschedulable", "SchedulerError"])


@hypothesis.given(
    _statuses, st.sampled_from([0, 1, 2]), st.lists(st.tuples(_reasons, _messages), max_size=5)
)
@hypothesis.example(
    {"phase": "Pending"}, 1, [("Unschedulable", f"0/{count} nodes") for count in (1, 2, 2, 3)]
)
def test_a_pod_is_reworded_as_the_whole_condition_would_have_it(
    status: Json, generation: int, said: list[tuple[str, str]]
) -> None:
    pod = {**make_pod("web"), "status": status}
    pod["metadata"] = {**pod["metadata"], **({"generation": generation} if generation else {})}
    ours, theirs = _store(pod), _store(pod)
    seen: list[list[tuple[bool, bytes]]] = []
    for store, is_ours in ((ours, True), (theirs, False)):
        changes = list[Any]()
        store.subscribe(changes.append)
        for reason, message in said:
            view = pod_views.of(store.get(POD, "web"))
            if not (is_ours and status_patches.reword(store, view, reason, message)):
                _say(store, view, reason, message)
        seen.append(
            [
                (each.is_reworded, msgspec.json.encode([each.old, each.new, each.type]))
                for each in changes
            ]
        )
    assert seen[0] == seen[1]
    assert ours.resource_version == theirs.resource_version


def test_what_is_not_only_another_message_is_not_said_in_short() -> None:
    store = Store(Clock(), Streams(0), implicit_namespaces=True)
    view = pod_views.of(store.create(make_pod("web")))
    assert not status_patches.reword(store, view, "Unschedulable", "0/2 nodes"), "says nothing yet"
    _say(store, view, "Unschedulable", "0/2 nodes")
    before, view = view, pod_views.of(store.get(POD, "web"))
    assert not status_patches.reword(store, before, "Unschedulable", "0/3 nodes"), "out of date"
    assert not status_patches.reword(store, view, "SchedulerError", "0/3 nodes")
    assert not status_patches.reword(store, view, "Unschedulable", "0/2 nodes"), "said before"
    assert status_patches.reword(store, view, "Unschedulable", "0/3 nodes")


def _waiting(**status: Any) -> tuple[Store, list[Change]]:
    """A pod that waits, and what happens to it from now on."""
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    stated = {"phase": "Pending", "conditions": [{**condition, "message": "0/1 nodes"}], **status}
    store, changes = _store({**make_pod("web"), "status": stated}), list[Any]()
    store.subscribe(changes.append)
    return store, changes


def _merge(store: Store, message: str, **changes: Any) -> None:
    stored = store.get(POD, "web")
    (condition,) = stored["status"]["conditions"]
    fresh = {**condition, "message": message, **changes.pop("condition", {})}
    status_patches.merge(store, pod_views.of(stored), {"conditions": [fresh], **changes})


def test_another_message_is_marked_as_no_more_than_that() -> None:
    store, changes = _waiting()
    _merge(store, "0/2 nodes")
    _merge(store, "0/2 nodes")
    _merge(store, "")
    assert [each.is_reworded for each in changes] == [True, True]


@pytest.mark.parametrize(
    "more",
    [
        {"nominatedNodeName": "n1"},
        {"condition": {"reason": "SchedulerError"}},
        {"condition": {"status": "True"}},
        {"condition": {"lastTransitionTime": "2026-01-01T00:00:00Z"}},
        {"condition": {"observedGeneration": 2}},
    ],
)
def test_what_is_more_than_another_message_is_not(more: Json) -> None:
    store, changes = _waiting()
    _merge(store, "0/2 nodes", **more)
    assert [each.is_reworded for each in changes] == [False]


def test_pods_on_nodes_are_not_marked_either() -> None:
    store, changes = _waiting()
    store.assign("default/web", "n1", store.get(POD, "web")["metadata"]["uid"])
    stored = store.get(POD, "web")
    (condition,) = stored["status"]["conditions"]
    told = {"conditions": [{**condition, "message": "moved"}]}
    status_patches.merge(store, pod_views.of(stored), told)
    assert [each.is_reworded for each in changes] == [False, False]


def test_what_changes_nothing_is_not_written() -> None:
    store = _store({**make_pod("web"), "status": {"phase": "Pending", "nominatedNodeName": "n1"}})
    before = store.resource_version
    view = pod_views.of(store.get(POD, "web"))
    status_patches.merge(store, view, {"nominatedNodeName": "n1"})
    assert store.resource_version == before


def test_a_pod_that_is_gone_cannot_be_told() -> None:
    store = _store(make_pod("web"))
    view = pod_views.of(store.get(POD, "web"))
    store.delete(POD, "web", "default")
    with pytest.raises(errors.NotFound):
        status_patches.merge(store, view, {"nominatedNodeName": "n1"})


def test_a_check_of_the_users_own_is_asked() -> None:
    asked: list[str] = []

    def check(_: Core, request: AdmissionRequest) -> None:
        asked.append(request.subresource)

    store = Store(Clock(), Streams(0), implicit_namespaces=True, checks=(check,))
    store.create(make_node("n1"))
    view = pod_views.of(store.create(make_pod("web")))
    status_patches.merge(store, view, {"nominatedNodeName": "n1"})
    assert asked[-1] == "status"
