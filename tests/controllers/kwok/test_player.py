from __future__ import annotations

import functools
import pickle
from typing import TYPE_CHECKING, Any, cast

import pytest

from kubestage.controllers.kwok.player import Player
from kubestage.controllers.runner import Runner
from kubestage.errors import NotFound
from kubestage.sim.environment import Environment
from kubestage.sim.streams import Streams
from kubestage.store.deletion import DeleteOptions
from kubestage.store.store import Store
from kubestage.units import SECOND_NS
from tests.controllers.kwok import stages

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Controller
    from kubestage.controllers.kwok.stage_types import Stage

POD, NODE, EVENT = ("v1", "Pod"), ("v1", "Node"), ("v1", "Event")
STAGE = ("kwok.x-k8s.io/v1alpha1", "Stage")


class World:
    """A store on which only stages are played."""

    def __init__(self, given: list[Stage], seed: int = 1) -> None:
        self.environment = Environment()
        self.store = Store(self.environment.clock, Streams(seed))
        loop = cast("type[Controller]", functools.partial(Player, stages=given))
        self.runner = Runner(self.store, self.environment, Streams(seed), [loop])
        self.runner.start()

    @property
    def player(self) -> Player:
        return cast("Player", self.runner.controllers[0])

    def run_to(self, seconds: float) -> None:
        self.environment.run(int(seconds * SECOND_NS))

    def add_node(self, name: str = "n") -> None:
        self.store.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})

    def add_pod(self, name: str = "p", node: str | None = "n", **metadata: Any) -> None:
        spec: Json = {"containers": [{"name": "c", "image": "i"}]}
        if node is not None:
            spec["nodeName"] = node
        metadata = {"name": name, "namespace": "default", **metadata}
        self.store.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})

    def pod(self, name: str = "p") -> Json:
        return self.store.get(POD, name, "default")


@pytest.fixture
def world() -> World:
    return World(stages.all_of())


def _job() -> list[Json]:
    return [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "1", "controller": True}]


def test_a_pod_goes_through_its_stages_at_their_times(world: World) -> None:
    world.add_node()
    world.add_pod(ownerReferences=_job())
    world.run_to(1.9)
    assert world.pod()["status"]["phase"] == "Pending"
    world.run_to(2.1)
    status = world.pod()["status"]
    assert (status["phase"], status["startTime"]) == ("Running", "2026-01-01T00:00:02Z")
    assert status["podIP"] == "10.0.0.2"
    assert world.pod()["metadata"]["finalizers"] == ["example.com/kept"]
    world.run_to(2.9)
    assert world.pod()["status"]["phase"] == "Running"
    world.run_to(11.1)
    assert world.pod()["status"]["phase"] == "Succeeded"
    assert world.player.problems == {}


def test_a_stage_may_send_an_event(world: World) -> None:
    world.add_node()
    world.add_pod()
    world.run_to(3)
    (event,) = [each for each in world.store.list(EVENT).items if each["reason"] == "Started"]
    assert event["message"] == "it runs"
    assert event["source"] == {"component": "kwok_controller"}
    assert event["involvedObject"]["name"] == "p"


def test_a_deleted_pod_leaves_and_its_address_is_used_again(world: World) -> None:
    world.add_node()
    world.add_pod()
    world.run_to(3)
    address = world.pod()["status"]["podIP"]
    world.store.delete(POD, "p", "default", DeleteOptions(grace_period_seconds=5))
    world.run_to(8.1)
    with pytest.raises(NotFound):
        world.pod()
    world.add_pod("q")
    world.run_to(11)
    assert world.pod("q")["status"]["podIP"] == address


def test_an_address_that_a_pod_had_before_is_not_given_again(world: World) -> None:
    world.add_node()
    world.add_pod("old")
    world.store.patch(
        POD, "old", {"status": {"podIP": "10.0.0.2"}}, "default", subresource="status"
    )
    world.add_pod("new")
    world.run_to(3)
    assert world.pod("new")["status"]["podIP"] == "10.0.0.3"


def test_a_pod_without_a_node_is_left_alone(world: World) -> None:
    world.add_pod(node=None)
    world.run_to(60)
    assert world.pod()["status"]["phase"] == "Pending"


def test_a_pod_is_taken_up_when_its_node_comes(world: World) -> None:
    world.add_pod()
    world.run_to(60)
    assert world.pod()["status"]["phase"] == "Pending"
    world.add_node()
    world.run_to(63)
    assert world.pod()["status"]["phase"] == "Running"


def test_a_change_begins_the_wait_anew(world: World) -> None:
    world.add_node()
    world.add_pod()
    world.run_to(1.5)
    world.store.patch(POD, "p", {"metadata": {"labels": {"a": "b"}}}, "default")
    world.run_to(3)
    assert world.pod()["status"]["phase"] == "Pending"
    world.run_to(3.6)
    assert world.pod()["status"]["phase"] == "Running"


def test_what_an_object_waited_for_is_dropped_when_nothing_matches(world: World) -> None:
    world.add_node()
    world.add_pod()
    world.run_to(1)
    world.store.patch(POD, "p", {"status": {"podIP": "10.9.9.9"}}, "default", subresource="status")
    world.run_to(60)
    assert world.pod()["status"]["phase"] == "Pending"


def test_heartbeats_are_written_once_and_then_cost_nothing(world: World) -> None:
    world.add_node()
    world.run_to(60)
    syncs, version = world.runner.syncs, world.store.resource_version
    node = world.store.get(NODE, "n")
    assert node["status"]["conditions"][0]["lastHeartbeatTime"] == "2026-01-01T00:00:10Z"
    world.run_to(7 * 24 * 3600)
    assert (world.runner.syncs, world.store.resource_version) == (syncs, version)
    world.store.patch(NODE, "n", {"metadata": {"labels": {"a": "b"}}})
    world.run_to(8 * 24 * 3600)
    assert world.runner.syncs <= syncs + 3


def test_stages_without_delay_cannot_stop_the_clock() -> None:
    def flip(name: str, value: str) -> Stage:
        expression = {"key": ".metadata.labels.x", "operator": "NotIn", "values": [value]}
        template = f"labels: {{x: {value}}}"
        return stages.stage(
            {
                "selector": {"matchExpressions": [expression]},
                "steps": [{"patch": {"root": "metadata", "template": template}}],
            },
            name,
            "Node",
        )

    world = World([flip("to-a", "a"), flip("to-b", "b")])
    world.add_node()
    world.run_to(10)
    assert world.environment.clock.now_ns == 10 * SECOND_NS
    assert 100 < world.runner.syncs < 3000


def test_a_failing_template_is_remembered_and_nothing_loops() -> None:
    broken = stages.stage({"steps": [{"patch": {"template": "a: {{ .kind.x }}"}}]}, kind="Node")
    world = World([broken])
    world.add_node()
    world.run_to(3600)
    assert "can't evaluate field x" in world.player.problems["s"]
    assert world.runner.syncs == 1


def test_a_refusal_by_the_store_is_remembered() -> None:
    broken = stages.stage(
        {"steps": [{"patch": {"root": "metadata", "template": "name: other"}}]}, kind="Node"
    )
    world = World([broken])
    world.add_node()
    world.run_to(60)
    assert "s" in world.player.problems


def test_a_stage_may_create_other_objects() -> None:
    template = (
        "apiVersion: v1\nkind: ConfigMap\ndata: {made: 'yes'}\n"
        "metadata: {name: of-{{ .metadata.name }}, namespace: default}\n"
    )
    maker = stages.stage({"steps": [{"apply": {"template": template}}]}, kind="Node")
    world = World([maker])
    world.add_node()
    world.run_to(1)
    assert world.store.get(("v1", "ConfigMap"), "of-n", "default")["data"] == {"made": "yes"}
    world.store.patch(NODE, "n", {"metadata": {"labels": {"a": "b"}}})
    world.store.patch(("v1", "ConfigMap"), "of-n", {"data": {"made": "no"}}, "default")
    world.run_to(2)
    assert world.store.get(("v1", "ConfigMap"), "of-n", "default")["data"] == {"made": "yes"}
    assert world.player.problems == {}


def test_the_same_seed_gives_the_same_lives() -> None:
    def lives(seed: int) -> list[tuple[str, str]]:
        world = World(stages.all_of(), seed)
        world.add_node()
        for number in range(20):
            world.add_pod(f"p{number}", ownerReferences=_job())
        seen: list[tuple[str, str]] = []
        world.store.subscribe(
            lambda change: seen.append((change.key, str(world.environment.clock.now_ns)))
        )
        world.run_to(60)
        return seen

    assert lives(1) == lives(1)
    assert lives(1) != lives(2)


def test_a_copy_goes_on_as_the_original_would(world: World) -> None:
    world.add_node()
    world.add_pod(ownerReferences=_job())
    world.run_to(3)
    copy = pickle.loads(pickle.dumps((world.environment, world.store, world.runner)))
    world.run_to(20)
    copy[0].run(20 * SECOND_NS)
    assert copy[1].get(POD, "p", "default") == world.pod()
    assert world.pod()["status"]["phase"] == "Succeeded"


def test_stages_in_the_store_come_and_go() -> None:
    world = World([])
    world.add_node()
    world.add_pod()
    world.run_to(10)
    assert not world.player.plays("", "Pod")
    for obj in stages.objects():
        world.store.create(obj)
    assert world.player.plays("", "Pod")
    world.run_to(13)
    assert world.pod()["status"]["phase"] == "Running"
    world.store.delete(STAGE, "pod-start")
    world.add_pod("q")
    world.run_to(60)
    assert world.pod("q")["status"]["phase"] == "Pending"


def test_a_bad_stage_in_the_store_is_told_by_an_event() -> None:
    world = World([])
    world.store.create(stages.raw({"weight": "heavy"}, "bad"))
    assert "spec.weight" in world.player.problems["bad"]
    assert [each["reason"] for each in world.store.list(EVENT).items] == ["InvalidStage"]
    world.add_pod()
    world.run_to(60)
    assert not world.player.plays("", "Pod")
