"""Paced loops: keys wait for workers, writes for the loop's own client."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from kubestage.controllers.controller import Controller
from kubestage.controllers.pacing import ControllerPacing
from kubestage.controllers.settings import Settings
from kubestage.errors import InputError
from tests.controllers.stages import stage_with
from tests.store.samples import config_map

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.stage import Stage
    from kubestage.store.log import Change


POD = ("v1", "Pod")
MS = 1_000_000


@pytest.mark.parametrize(
    ("pacing", "path"),
    [
        ({"sync": "often"}, "controllers.sync"),
        ({"informer_delay": "-1s"}, "controllers.informer_delay"),
        ({"workers": 0}, "controllers.workers"),
        ({"client_qps": -5.0}, "controllers.client_qps"),
        ({"client_qps": 20.0}, "controllers.client_burst"),
    ],
)
def test_what_cannot_be_a_pace_is_told_by_its_path(pacing: Json, path: str) -> None:
    with pytest.raises(InputError) as error:
        ControllerPacing(**pacing)
    assert error.value.path == path
    assert error.value.fix


def test_loops_of_other_programs_are_not_paced() -> None:
    pacing = ControllerPacing(sync="1s")
    assert pacing.applies_to("replicaset-controller")
    assert not pacing.applies_to("kubelet")


def test_chatty_loops_have_clients_that_let_more_through() -> None:
    pacing = ControllerPacing(client_qps=20.0, client_burst=30)
    limits = {
        name: pacing.client_of(name)
        for name in (
            "deployment-controller",
            "namespace-controller",
            "garbage-collector-controller",
        )
    }
    found = [(each.qps, each.burst, each.calls_per_write) for each in limits.values() if each]
    assert found == [(20.0, 30, 1), (400.0, 3000, 1), (40.0, 30, 2)]
    assert ControllerPacing(sync="1s").client_of("deployment-controller") is None


class Noting(Controller):
    """Notes when it looks at what."""

    name = "noting"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.seen: list[tuple[str, float]] = []

    def handlers(self) -> Handlers:
        return {("", "ConfigMap"): self._note}

    def sync(self, key: str) -> None:
        self.seen.append((key.partition("/")[2], self.clock.now_ns / MS))

    def _note(self, change: Change) -> None:
        self.queue.add(change.key)


class Writing(Noting):
    """Makes ten objects for each that it looks at, as its client lets it."""

    name = "writing"
    wanted: ClassVar[int] = 10

    def sync(self, key: str) -> None:
        super().sync(key)
        there = len(self.store.read(("v1", "Secret")))
        for number in range(self.allowance(max(self.wanted - there, 0))):
            name = f"s{there + number}"
            metadata = {"name": name, "namespace": "default"}
            self.store.create({"apiVersion": "v1", "kind": "Secret", "metadata": metadata})


def at_one_second(loop: type[Noting], **pacing: Any) -> Stage:
    stage = stage_with(loop, settings=Settings(pacing=ControllerPacing(**pacing)))
    stage.run("1s")
    return stage


def noting(stage: Stage) -> Noting:
    assert stage.controllers is not None
    found = stage.controllers.controllers[0]
    assert isinstance(found, Noting)
    return found


def add(stage: Stage, *names: str) -> None:
    for name in names:
        stage.store.create(config_map(name))


def test_a_key_is_looked_at_after_it_was_heard_of_and_worked_on() -> None:
    stage = at_one_second(Noting, informer_delay="10ms", sync="5ms")
    add(stage, "a")
    stage.run("1s")
    assert noting(stage).seen == [("a", 1015.0)]


def test_as_many_keys_are_worked_on_at_once_as_there_are_workers() -> None:
    stage = at_one_second(Noting, sync="100ms", workers=2)
    add(stage, "a", "b", "c")
    stage.run("150ms")
    assert stage.controllers is not None
    assert not stage.controllers.is_idle
    stage.run("1s")
    assert noting(stage).seen == [("a", 1100.0), ("b", 1100.0), ("c", 1200.0)]
    assert stage.controllers.is_idle


def test_a_key_that_changes_while_it_is_worked_on_is_looked_at_once() -> None:
    stage = at_one_second(Noting, sync="100ms")
    add(stage, "a")
    stage.run("50ms")
    stage.store.patch(("v1", "ConfigMap"), "a", {"data": {"k": "v"}}, "default")
    stage.run("1s")
    assert noting(stage).seen == [("a", 1100.0)]


def test_writes_beyond_the_burst_go_at_the_rate_of_the_client() -> None:
    stage = at_one_second(Writing, client_qps=10.0, client_burst=4)
    add(stage, "a")
    stage.run("50ms")
    assert len(stage.store.read(("v1", "Secret"))) == 4
    stage.run("300ms")
    assert len(stage.store.read(("v1", "Secret"))) == 7
    stage.run("1s")
    assert len(stage.store.read(("v1", "Secret"))) == 10
    times = [round(at) for _, at in noting(stage).seen]
    assert times == [1000, 1100, 1200, 1300, 1400, 1500, 1600]


def test_who_has_overdrawn_its_client_lets_its_keys_wait() -> None:
    stage = at_one_second(Writing, client_qps=10.0, client_burst=4)
    add(stage, "a")
    stage.run("200ms")
    add(stage, "b")
    stage.run("5s")
    first = min(at for name, at in noting(stage).seen if name == "b")
    assert 1200 < first < 1800


def test_what_comes_up_during_the_last_look_is_looked_at_again() -> None:
    class Restless(Writing):
        """Hears of what it writes itself."""

        name = "restless"

        def handlers(self) -> Handlers:
            return {("", "ConfigMap"): self._note, ("", "Secret"): self._remember}

        def _remember(self, change: Change) -> None:
            del change
            self.queue.add("default/a")

    stage = at_one_second(Restless, client_qps=1000.0, client_burst=100)
    add(stage, "a")
    stage.run("1s")
    assert len(noting(stage).seen) == 2
    assert len(stage.store.read(("v1", "Secret"))) == 10


def test_a_paced_stage_pickles_and_goes_on_identically() -> None:
    stage = at_one_second(Writing, client_qps=10.0, client_burst=4, sync="uniform(1ms,9ms)")
    add(stage, "a", "b")
    stage.run("200ms")
    copy: Stage = pickle.loads(pickle.dumps(stage))
    for each in (stage, copy):
        each.run("5s")
    assert noting(copy).seen == noting(stage).seen
