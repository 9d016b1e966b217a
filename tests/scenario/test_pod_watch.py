"""What a step has to know of the pods: who has no node, who is on the move, who is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage import Stage
from kubestage.scenario.ledger import Ledger
from kubestage.scenario.pod_watch import PodWatch
from kubestage.store.deletion import DeleteOptions
from kubestage.testing import make_node, make_pod
from tests.scenario.building import NODE, POD

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from kubestage.aliases import Json


AT_ONCE = DeleteOptions(grace_period_seconds=0)
KEY = "default/p"


class Scene:
    """A store, and somebody who watches its pods."""

    def __init__(self, schedulers: Container[str] | None = ("default-scheduler",)) -> None:
        self.stage = Stage()
        self.store = self.stage.store
        self.ledger = Ledger()
        self.watch = PodWatch(self.store, self.ledger, schedulers)
        self.store.subscribe(self.watch.on_change)

    def set_phase(self, phase: str) -> None:
        """The kubelet reports."""
        status = self.store.read(POD)[KEY]["status"]
        self.store.record_status(POD, KEY, {**status, "phase": phase})

    @property
    def told(self) -> list[str]:
        """The operations of the timeline."""
        events = self.watch.timeline.as_dict().values()
        return [event["operation"] for each in events for event in each]


def _gated(*gates: str) -> Json:
    pod = make_pod("p")
    pod["spec"]["schedulingGates"] = [{"name": gate} for gate in gates]
    return pod


def test_a_pod_without_a_node_is_unscheduled() -> None:
    scene = Scene()
    scene.store.create(make_pod("p"))
    assert scene.ledger.untried == [KEY]


def test_a_pod_that_is_bound_is_scheduled_and_begins_the_count_anew() -> None:
    scene = Scene()
    scene.store.create(make_pod("other"))
    scene.store.create(make_pod("p"))
    scene.ledger.tried("default/other")
    scene.ledger.tried("default/other")
    scene.store.bind("p", "default", "n1")
    assert scene.ledger.untried == ["default/other"]


def test_a_pod_that_comes_with_a_node_is_none_of_the_schedulers_business() -> None:
    scene = Scene()
    scene.store.create(make_pod("other"))
    scene.ledger.tried("default/other")
    scene.ledger.tried("default/other")
    scene.store.create(make_pod("p", node_name="n1"))
    assert scene.ledger.is_exhausted


def test_a_pod_behind_gates_is_unscheduled_when_the_last_of_them_is_gone() -> None:
    scene = Scene()
    scene.store.create(_gated("a", "b"))
    assert scene.ledger.is_exhausted
    scene.store.patch(POD, "p", {"spec": {"schedulingGates": [{"name": "b"}]}})
    assert scene.ledger.is_exhausted
    scene.store.patch(POD, "p", {"spec": {"schedulingGates": None}})
    assert scene.ledger.untried == [KEY]


@pytest.mark.parametrize(
    ("schedulers", "count"), [(("mine", "other"), 1), (("mine",), 0), (None, 1)]
)
def test_only_pods_of_schedulers_that_are_here_count(
    schedulers: tuple[str, ...] | None, count: int
) -> None:
    scene = Scene(schedulers)
    scene.store.create(make_pod("p", scheduler_name="other"))
    assert len(scene.ledger.untried) == count


def test_a_pod_that_is_gone_or_going_needs_no_node() -> None:
    scene = Scene()
    held = make_pod("p")
    held["metadata"]["finalizers"] = ["example.com/hold"]
    scene.store.create(held)
    scene.store.delete(POD, "p")
    assert scene.ledger.is_exhausted
    assert not scene.told
    scene.store.patch(POD, "p", {"metadata": {"finalizers": None}})
    assert scene.told == ["Delete"]


def test_a_pod_that_has_ended_needs_no_node() -> None:
    scene = Scene()
    scene.store.create(make_pod("p"))
    scene.set_phase("Failed")
    assert scene.ledger.is_exhausted
    assert scene.told == ["Patch"]


def test_a_pod_moves_from_its_binding_until_it_runs() -> None:
    scene = Scene()
    scene.store.create(make_node("n1"))
    scene.store.create(make_pod("p"))
    assert not scene.watch.moving
    scene.stage.run("5s")
    scene.store.bind("p", "default", "n1")
    assert scene.watch.moving == {KEY: 5_000_000_000}
    scene.stage.run("5s")
    scene.store.patch(POD, "p", {"metadata": {"labels": {"x": "1"}}})
    assert scene.watch.moving == {KEY: 5_000_000_000}
    scene.set_phase("Running")
    assert not scene.watch.moving


def test_a_pod_moves_from_its_deletion_until_it_is_gone() -> None:
    scene = Scene()
    scene.store.create(make_pod("p", node_name="n1"))
    scene.set_phase("Running")
    scene.stage.run("7s")
    scene.store.delete(POD, "p")
    assert scene.watch.moving == {KEY: 7_000_000_000}
    scene.store.delete(POD, "p", options=AT_ONCE)
    assert not scene.watch.moving


def test_the_latest_to_move_comes_last() -> None:
    scene = Scene()
    for name in ("a", "b", "p"):
        scene.store.create(make_pod(name))
        scene.stage.run("1s")
        scene.store.bind(name, "default", "n1")
    scene.stage.run("1s")
    scene.store.delete(POD, "a")
    assert list(scene.watch.moving) == ["default/b", "default/p", "default/a"]
    assert list(scene.watch.moving.values()) == [2_000_000_000, 3_000_000_000, 4_000_000_000]


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_pod_that_has_ended_moves_no_more_and_is_told_of(phase: str) -> None:
    scene = Scene()
    scene.store.create(make_pod("p", node_name="n1"))
    scene.set_phase(phase)
    assert not scene.watch.moving
    assert scene.told == ["Patch"]
    scene.set_phase(phase)
    scene.store.delete(POD, "p", options=AT_ONCE)
    assert scene.told == ["Patch", "Delete"]


def test_what_changes_in_the_cluster_ends_its_quiet_and_reports_do_not() -> None:
    scene = Scene()
    scene.stage.run("5s")
    scene.store.create(make_node("n1"))
    assert scene.watch.quiet_since_ns == 5_000_000_000
    scene.stage.run("5s")
    metadata = {"name": "n1", "namespace": "kube-node-lease"}
    scene.store.create(
        {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": {}}
    )
    assert scene.watch.quiet_since_ns == 5_000_000_000
    scene.store.patch(NODE, "n1", {"metadata": {"labels": {"x": "1"}}})
    assert scene.watch.quiet_since_ns == 10_000_000_000


def test_a_pod_is_known_from_the_step_in_which_it_was_first_seen() -> None:
    scene = Scene()
    scene.watch.step = 3
    pod = scene.store.create(make_pod("p"))
    scene.watch.step = 5
    scene.store.bind("p", "default", "n1")
    story = scene.watch.pod_record(pod)
    assert (story.created_at, story.bound_at, story.bound_to) == (3, 5, "n1")


def test_who_takes_over_knows_the_pods_that_there_are() -> None:
    scene = Scene()
    scene.stage.run("5s")
    scene.store.create(make_pod("waits"))
    scene.store.create(make_pod("starts", node_name="n1"))
    scene.store.create(_gated("a"))
    ledger = Ledger()
    watch = PodWatch(scene.store, ledger, ("default-scheduler",))
    watch.take_up(4)
    assert ledger.untried == ["default/waits"]
    assert watch.moving == {"default/starts": 5_000_000_000}
    assert watch.pod_record(scene.store.read(POD)["default/starts"]).bound_at == 4


def _exhausted() -> Scene:
    """One pod has been tried in vain twice, beside one that holds a node."""
    scene = Scene()
    scene.store.create(make_node("n1"))
    scene.store.create(make_pod("p", node_name="n1"))
    scene.store.create(make_pod("other"))
    scene.ledger.tried("default/other")
    scene.ledger.tried("default/other")
    assert scene.ledger.untried == []
    return scene


def _gone(scene: Scene) -> None:
    scene.store.delete(POD, "p", options=AT_ONCE)


def _over(scene: Scene) -> None:
    scene.set_phase("Succeeded")


def _another_node(scene: Scene) -> None:
    scene.store.create(make_node("n2"))


def _relabelled(scene: Scene) -> None:
    scene.store.patch(NODE, "n1", {"metadata": {"labels": {"x": "1"}}})


def _cordoned(scene: Scene) -> None:
    scene.store.patch(NODE, "n1", {"spec": {"unschedulable": True}})


def _another_class(scene: Scene) -> None:
    kind = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass"}
    scene.store.create({**kind, "metadata": {"name": "fast"}, "provisioner": "example.com/disk"})


@pytest.mark.parametrize(
    "change", [_gone, _over, _another_node, _relabelled, _cordoned, _another_class]
)
def test_what_may_help_a_pod_that_was_tried_in_vain_begins_the_count_anew(
    change: Callable[[Scene], None],
) -> None:
    """If any resource is created, edited or deleted, the scheduling result may change."""
    scene = _exhausted()
    change(scene)
    assert scene.ledger.untried == ["default/other"]


def _heartbeat(scene: Scene) -> None:
    status = scene.store.read(NODE)["n1"]["status"]
    scene.store.record_status(NODE, "n1", {**status, "nodeInfo": {"kubeletVersion": "v1"}})


def _starts(scene: Scene) -> None:
    scene.set_phase("Running")


def _goes_without_a_node(scene: Scene) -> None:
    scene.store.create(make_pod("waits", scheduler_name="nobody"))
    scene.store.delete(POD, "waits")


@pytest.mark.parametrize("change", [_heartbeat, _starts, _goes_without_a_node])
def test_what_makes_no_difference_to_a_pod_does_not_begin_the_count_anew(
    change: Callable[[Scene], None],
) -> None:
    """Reports come without end, and steps have to have one."""
    scene = _exhausted()
    change(scene)
    assert scene.ledger.untried == []


@pytest.mark.parametrize(("step", "told"), [(0, ["PodUnscheduled", "Delete"]), (1, ["Delete"])])
def test_a_pod_that_was_tried_in_vain_and_is_gone_is_told_of_while_it_can_be(
    step: int, told: list[str]
) -> None:
    scene = Scene()
    pod = scene.store.create(make_pod("p"))
    scene.watch.pod_record(pod).attempts = ({"step": 0},)
    scene.watch.step = step
    scene.store.delete(POD, "p")
    assert scene.told == told
