"""Asking one pod for all that are alike comes to what asking each comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hypothesis
from hypothesis import strategies as st

from kubestage.objects.views import pod as pod_views
from kubestage.scheduler import config, profiles, property_changes
from kubestage.scheduler.plugins import alike_hints
from kubestage.scheduler.queue import QueuedPod, QueueingHints, occasions, wakening
from kubestage.scheduler.queue.hints import Strategy
from kubestage.scheduler.queue.unschedulable import UnschedulablePods
from kubestage.sim.clock import Clock
from tests.scheduler.plugins import clusters, crowds

if TYPE_CHECKING:
    from kubestage.aliases import Json

HINTS = QueueingHints(
    profiles.build(
        config.complete(config.default()).configuration,
        clusters.handle(crowds.namespace_objects()),
        {},
    )
)
PLUGINS = ("NodeResourcesFit", "NodePorts", "InterPodAffinity", "PodTopologySpread")
LABELS: list[Json] = [{"app": "web"}, {"app": "db"}]
DISK = {"name": "disk", "gcePersistentDisk": {"pdName": "one"}}
SPREAD = {
    "topologyKey": crowds.ZONE,
    "whenUnsatisfiable": "DoNotSchedule",
    "maxSkew": 1,
    "labelSelector": crowds.app("web"),
}
SPECS: list[Json] = [
    {},
    {"volumes": [DISK]},
    {"topologySpreadConstraints": [SPREAD]},
    {"affinity": {"podAffinity": {crowds.REQUIRED: [crowds.term(crowds.app("web"))]}}},
    {"affinity": {"podAntiAffinity": {crowds.REQUIRED: [crowds.term(crowds.app("db"))]}}},
    {"containers": [{"name": "c", "ports": [{"containerPort": 80, "hostPort": 80}]}]},
]


@st.composite
def _pods(draw: st.DrawFn, name: str) -> Json:
    labels, spec = draw(st.sampled_from(LABELS)), draw(st.sampled_from(SPECS))
    raw = crowds.pod(name, labels=labels, **{"containers": [], **spec}).raw
    if draw(st.booleans()):
        raw["spec"]["nodeName"] = "node-0"
    return raw


@st.composite
def _waiting(draw: st.DrawFn, number: int) -> QueuedPod:
    raw = draw(_pods(f"pod-{number}"))
    raw["spec"].pop("nodeName", None)
    return _rejected(raw, draw(st.sampled_from([*PLUGINS, "VolumeRestrictions"])))


def _rejected(raw: Json, *plugins: str) -> QueuedPod:
    queued = QueuedPod(pod_views.of(raw), 0, 0)
    queued.unschedulable_plugins = frozenset(plugins)
    return queued


@st.composite
def _events(draw: st.DrawFn, names: list[str]) -> tuple[Any, Json | None, Json | None]:
    """A pod or a node comes, changes or goes; the pod may be one of those that wait."""
    if draw(st.booleans()):
        one, other = (draw(crowds.nodes("node-0")) for _ in range(2))
        changes = property_changes.of_node(one, other)
        if changes:
            return draw(st.sampled_from(changes)), one, other
        return occasions.NODE_ADD, None, one
    name = draw(st.sampled_from(["stranger", *names]))
    one, other = draw(_pods(name)), draw(_pods(name))
    match draw(st.sampled_from(["add", "delete", "update"])):
        case "add":
            return occasions.ASSIGNED_POD_ADD, None, one
        case "delete":
            return occasions.ASSIGNED_POD_DELETE, one, None
    other["spec"]["nodeName"] = "node-0"
    return draw(st.sampled_from(list(property_changes.of_pod(one, other)))), one, other


@hypothesis.given(st.data())
def test_pods_are_brought_back_as_if_each_had_been_asked(data: st.DataObject) -> None:
    pool = UnschedulablePods(Clock())
    waiting = [data.draw(_waiting(number)) for number in range(data.draw(st.integers(1, 8)))]
    for queued in waiting:
        pool.put(queued)
    for _ in range(3):
        event, old, new = data.draw(_events([each.pod.name for each in waiting]))
        found = wakening.helped(pool, HINTS, event, old, new)
        asked = [(each, HINTS.strategy(each, event, old, new)) for each in pool]
        assert found == [each for each in asked if each[1] is not Strategy.SKIP]


def test_what_happens_to_one_pod_says_nothing_about_those_that_are_alike() -> None:
    pool = UnschedulablePods(Clock())
    raws = [crowds.pod(f"pod-{number}", labels={"app": "web"}).raw for number in range(3)]
    pods = [_rejected(raw, "InterPodAffinity") for raw in raws]
    for queued in pods:
        pool.put(queued)
    placed = {**raws[1], "spec": {**raws[1]["spec"], "nodeName": "node-0"}}
    relabelled = {**placed, "metadata": {**placed["metadata"], "labels": {"app": "db"}}}
    (event,) = property_changes.of_pod(placed, relabelled)
    found = wakening.helped(pool, HINTS, event, placed, relabelled)
    assert found == [(pods[1], Strategy.AFTER_BACKOFF)]


def test_a_pod_with_resources_in_its_status_is_like_no_other() -> None:
    raw = crowds.pod("one", resources={"requests": {"cpu": "2"}}).raw
    resized = {"resources": {"requests": {"cpu": "1"}}}
    plain, special = pod_views.of(raw), pod_views.of({**raw, "status": resized})
    assert alike_hints.likeness_of(plain) == alike_hints.likeness_of(pod_views.of({**raw}))
    assert alike_hints.likeness_of(plain) != alike_hints.likeness_of(special)
