"""The fast lane: what is known ahead is carried out as if it had been found in its turn."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.scheduler import columns
from kubestage.scheduler.framework import SUCCESS
from kubestage.scheduler.quick import compiled
from kubestage.scheduler.status import Code, Status, error
from kubestage.store.log import MODIFIED
from kubestage.testing import make_node, make_pod, make_service
from tests.scheduler.quick import stories
from tests.scheduler.quick.stories import NOW, POD, STEPS, TEMPLATES, World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.aliases import Json
    from kubestage.stage import Stage
    from kubestage.store.log import Change


@pytest.fixture(autouse=True)
def _with_kernels() -> Iterator[None]:
    with stories.compiled(are_used=True):
        yield


def _fill(world: World, count: int) -> None:
    for number in range(count):
        world.make(TEMPLATES[number % len(TEMPLATES)])


def _both(
    count: int, prepare: Callable[[World], None], configuration: str | None = None, **parts: Any
) -> tuple[Any, Any]:
    """What becomes of the same pods in the lane, and in the ordinary way."""
    told = []
    for run in (stories.by_lane, stories.ordinarily):
        world = World(configuration, 40, **parts)
        prepare(world)
        _fill(world, count)
        run(world.scheduler)
        told.append(world.told())
    return told[0], told[1]


def _placed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many pods each call of the kernel was for."""
    seen: list[int] = []
    kernel = compiled.place_all

    def spy(pods: Any, *rest: Any) -> int:
        seen.extend([len(pods)] if len(pods) else [])
        return int(kernel(pods, *rest))

    monkeypatch.setattr(compiled, "place_all", spy)
    return seen


def test_pods_of_many_templates_are_placed_by_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = _placed(monkeypatch)
    world = World(None, 60)
    for number in range(200):
        world.make([*stories.PLAIN[:5], *stories.POD_AWARE[4:6]][number % 7])
    assert world.scheduler.run_until_idle() == 200
    assert calls == [200]


def test_a_template_that_was_tried_before_is_learnt_at_once_on_other_nodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World(None, 40)
    world.make(stories.PLAIN[0])
    assert world.scheduler.run_until_idle() == 1
    calls = _placed(monkeypatch)
    for name in ("late-1", "late-2"):
        world.stage.store.create(make_node(name, cpu="8"))
        world.make(stories.PLAIN[0])
        assert world.scheduler.run_until_idle() == 1
    assert calls == [1, 1]


def test_what_waits_for_its_turn_is_not_seen_by_others() -> None:
    world = World(None, 40)
    _fill(world, 60)
    assert world.scheduler.run_until_idle(10) == 10
    assert world.scheduler.cache.forecast is not None
    columns = world.scheduler.cache.columns
    bound = [pod for pod in world.stage.store.read(POD).values() if pod["spec"].get("nodeName")]
    assert int(columns.pod_count.sum()) == len(bound) == 10


@pytest.mark.parametrize("start", [39, 40, 61, 333])
def test_the_search_starts_on_a_node_that_is_there_after_many_have_gone(start: int) -> None:
    def prepare(world: World) -> None:
        world.scheduler.__dict__["_cycle"].next_start = start

    by_lane, ordinarily = _both(80, prepare)
    assert by_lane == ordinarily


@pytest.mark.parametrize("at", [1, 7, 23])
def test_a_pod_that_goes_in_between_takes_what_was_known_with_it(at: int) -> None:
    def prepare(world: World) -> None:
        seen: list[str] = []

        def on_change(change: Change) -> None:
            if (
                change.kind.kind == "Pod"
                and change.type == MODIFIED
                and not change.new["metadata"].get("deletionTimestamp")
            ):
                seen.append(change.key)
                if len(seen) == at:
                    for key in (seen[0], f"default/p{at + 9}"):
                        namespace, name = key.split("/")
                        world.stage.store.delete(POD, name, namespace, NOW)

        world.stage.store.subscribe(on_change)

    lane, ordinary = _both(60, prepare)
    assert lane == ordinary


def test_a_pod_that_changes_in_between_is_tried_as_it_is_then() -> None:
    def prepare(world: World) -> None:
        def on_change(change: Change) -> None:
            if change.key == "default/p5" and change.new["spec"].get("nodeName"):
                for name in ("p6", "p31", "p44"):
                    labels = {"metadata": {"labels": {"app": "db", "new": "yes"}}}
                    world.stage.store.patch(POD, name, labels, "default")

        world.stage.store.subscribe(on_change)

    lane, ordinary = _both(60, prepare)
    assert lane == ordinary


def test_a_service_that_comes_in_between_spreads_the_rest() -> None:
    def prepare(world: World) -> None:
        def on_change(change: Change) -> None:
            if change.key == "default/p9" and change.new["spec"].get("nodeName"):
                world.stage.store.create(make_service("web", selector={"app": "web"}))

        world.stage.store.subscribe(on_change)

    lane, ordinary = _both(80, prepare)
    assert lane == ordinary


def test_a_more_important_pod_that_comes_in_between_goes_first() -> None:
    def prepare(world: World) -> None:
        def on_change(change: Change) -> None:
            if change.key == "default/p5" and change.new["spec"].get("nodeName"):
                urgent = make_pod("urgent", cpu="100m", priority_class_name="high")
                world.stage.store.create(urgent)

        world.stage.store.subscribe(on_change)

    lane, ordinary = _both(40, prepare)
    assert lane == ordinary
    assert [row.pod for row in lane[0]].index("default/urgent") < 10


class _Binder:
    """Binds as the default one does, but not every pod, and with a status of its own."""

    name = "Binder"

    def __init__(self, args: Json, handle: Any) -> None:
        self._client = handle.client

    def bind(self, state: Any, pod: Any, node_name: str) -> Any:
        if pod.name.endswith("7"):
            return error("no")
        self._client.bind(pod, node_name)
        return SUCCESS


class _Doorman:
    """Has some pods wait, and lets others in."""

    name = "Doorman"

    def __init__(self, args: Json, handle: Any) -> None:
        pass

    def permit(self, state: Any, pod: Any, node_name: str) -> Any:
        return (Status(Code.WAIT), 5_000_000_000) if pod.name.endswith("3") else (SUCCESS, 0)


def _with(point: str, name: str, instead: str = "") -> str:
    disabled = f", disabled: [{{name: {instead}}}]" if instead else ""
    return f"""
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {{{point}: {{enabled: [{{name: {name}}}]{disabled}}}}}
"""


def test_a_pod_that_cannot_be_bound_comes_back() -> None:
    configuration = _with("bind", "Binder", instead="DefaultBinder")
    lane, ordinary = _both(50, lambda _: None, configuration, plugins={"Binder": _Binder})
    assert lane == ordinary
    assert any(row.result == "error" for row in lane[0])


def test_plugins_after_the_choice_have_their_say() -> None:
    configuration = _with("permit", "Doorman")
    lane, ordinary = _both(50, lambda _: None, configuration, plugins={"Doorman": _Doorman})
    assert lane == ordinary
    assert any(row.result == "waiting" for row in lane[0])


def test_an_attempt_that_is_to_be_explained_is_tried_in_the_ordinary_way() -> None:
    def prepare(world: World) -> None:
        world.scheduler.record.explain_at(30)

    lane, ordinary = _both(50, prepare)
    assert lane == ordinary


def test_a_copy_that_is_made_in_between_goes_on_alike() -> None:
    world = World(None, 40)
    _fill(world, 60)
    world.scheduler.run_until_idle(25)
    copy: Stage = pickle.loads(pickle.dumps(world.stage))
    rows = []
    for stage in (world.stage, copy):
        assert stage.scheduler is not None
        stage.scheduler.run_until_idle()
        rows.append(stage.scheduler.record.decisions)
    assert rows[0] == rows[1]


def _lives(
    run: Callable[[Any], None], live: Callable[[World, Callable[[], None]], None], **parts: Any
) -> list[tuple[str, str]]:
    """Who got which node in a cluster of three nodes, in order."""
    world = World(parts.pop("configuration", None), 0, **parts)
    world.stage.load([make_node(f"n{at}", labels={stories.HOST: f"n{at}"}) for at in range(3)])
    live(world, lambda: run(world.scheduler))
    world.told()
    return [(row.pod, row.node) for row in world.scheduler.record.decisions]


def _after_a_taint(world: World, run: Callable[[], None]) -> None:
    apart = stories.apart("web", stories.HOST)
    for _ in range(2):
        world.make({"cpu": "100m", "labels": {"app": "db"}, "affinity": apart})
    run()
    disliked = [{"key": "old", "effect": "PreferNoSchedule"}]
    world.stage.store.patch(stories.NODE, "n2", {"spec": {"taints": disliked}})
    for _ in range(4):
        world.make({"cpu": "100m", "labels": {"app": "web"}})
    run()


def _after_a_service(world: World, run: Callable[[], None]) -> None:
    store = world.stage.store
    for at in (1, 2):
        store.delete(stories.NODE, f"n{at}", None, NOW)
    store.create(make_service("web", selector={"app": "web"}))
    world.make({"cpu": "100m", "labels": {"app": "web"}})
    run()
    store.delete(("v1", "Service"), "web", "default", NOW)
    for app in ("web", "db", "db"):
        world.make({"cpu": "200m", "labels": {"app": app}})
    run()
    store.delete(POD, "p3", "default", NOW)


@pytest.mark.parametrize("live", [_after_a_taint, _after_a_service])
def test_pods_placed_ahead_are_remembered_as_others_are(live: Any) -> None:
    assert _lives(stories.by_lane, live) == _lives(stories.ordinarily, live)


def test_a_kind_is_written_down_whole_when_counts_are_begun_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(columns, "_MAX_CELLS", 20)
    lane, ordinary = _both(120, lambda _: None)
    assert lane == ordinary


class _Gang:
    """Has the first pod wait for the second."""

    name = "Gang"

    def __init__(self, args: Json, handle: Any) -> None:
        self._waiting = handle.waiting

    def permit(self, state: Any, pod: Any, node_name: str) -> Any:
        if pod.name == "p1":
            return Status(Code.WAIT), 5_000_000_000
        for each in list(self._waiting):
            each.allow(self.name)
        return SUCCESS, 0


def test_a_pod_that_need_not_wait_any_more_is_bound_before_the_next_is_tried() -> None:
    def live(world: World, run: Callable[[], None]) -> None:
        for _ in range(5):
            world.make({"cpu": "100m"})
        run()

    parts: Json = {"configuration": _with("permit", "Gang"), "plugins": {"Gang": _Gang}}
    assert _lives(stories.by_lane, live, **parts) == _lives(stories.ordinarily, live, **parts)


@settings(max_examples=25, deadline=None)
@given(steps=STEPS, nodes=st.integers(2, 60))
def test_it_is_the_same_when_time_drives_it(steps: list[tuple[str, int]], nodes: int) -> None:
    def lives(are_used: bool) -> Any:
        with stories.compiled(are_used):
            world = World(None, nodes)
            for what, number in steps:
                world.do(what, number)
                world.stage.run("1s")
            return world.told()

    assert lives(True) == lives(False)
