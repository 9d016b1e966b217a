from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, ClassVar

from kubestage.controllers.controller import Controller, Retry
from kubestage.errors import Forbidden
from kubestage.testing import make_pod
from tests.controllers.stages import stage_with
from tests.store.samples import config_map

if TYPE_CHECKING:
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.stage import Stage
    from kubestage.store.log import Change

_CONFIG_MAP = ("v1", "ConfigMap")


class Noting(Controller):
    """Notes what it is told and what it is to look at."""

    name = "noting"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.told: list[tuple[str, str]] = []
        self.seen: list[tuple[str, int]] = []
        self.started_after: int | None = None

    def handlers(self) -> Handlers:
        return {("", "ConfigMap"): self._note}

    def start(self) -> None:
        self.started_after = len(self.told)

    def sync(self, key: str) -> None:
        self.seen.append((key, self.clock.now_ns))

    def _note(self, change: Change) -> None:
        self.told.append((change.type, change.key))
        self.queue.add(change.key)


class Failing(Noting):
    """Fails each time."""

    name = "failing"
    max_retries: ClassVar[int | None] = 3

    def sync(self, key: str) -> None:
        super().sync(key)
        if len(self.seen) % 2:
            raise Retry("not yet")
        raise Forbidden("no")


class Restless(Noting):
    """Changes what it looks at, the first two times."""

    name = "restless"

    def sync(self, key: str) -> None:
        super().sync(key)
        if len(self.seen) <= 2:
            name = key.split("/")[1]
            self.store.patch(_CONFIG_MAP, name, {"data": {"turn": str(len(self.seen))}})


class Attentive(Noting):
    """Waits for pods."""

    name = "attentive"

    def handlers(self) -> Handlers:
        return {("", "Pod"): self._note}


class Indifferent(Attentive):
    """Waits for pods, whatever they say about themselves."""

    name = "indifferent"
    ignores_rewordings = True


def _loop(stage: Stage, number: int = 0) -> Noting:
    assert stage.controllers is not None
    loop = stage.controllers.controllers[number]
    assert isinstance(loop, Noting)
    return loop


def test_what_is_there_is_told_first_then_every_change() -> None:
    stage = stage_with(Noting, objects=[config_map("a")])
    stage.store.create(config_map("b"))
    stage.store.delete(_CONFIG_MAP, "a", "default")
    assert _loop(stage).told == [
        ("ADDED", "default/a"),
        ("ADDED", "default/b"),
        ("DELETED", "default/a"),
    ]
    assert _loop(stage).started_after == 1


def test_keys_are_looked_at_in_the_order_in_which_they_came_up_over_all_loops() -> None:
    stage = stage_with(Noting, Restless)
    stage.store.create(config_map("a"))
    stage.run("1s")
    assert [key for key, _ in _loop(stage).seen] == ["default/a"] * 3
    assert [key for key, _ in _loop(stage, 1).seen] == ["default/a"] * 3
    assert stage.controllers is not None
    assert stage.controllers.is_idle
    assert stage.controllers.syncs == 6


def test_several_changes_of_one_instant_are_looked_at_once() -> None:
    stage = stage_with(Noting)
    stage.store.create(config_map("a"))
    stage.store.patch(_CONFIG_MAP, "a", {"data": {"x": "1"}})
    stage.run("1s")
    assert len(_loop(stage).seen) == 1


def test_a_failure_is_tried_again_with_patience_and_not_for_ever() -> None:
    stage = stage_with(Failing)
    stage.run("1s")
    began_ns = stage.clock.now_ns
    stage.store.create(config_map("a"))
    stage.run("1h")
    waits = [at_ns - began_ns for _, at_ns in _loop(stage).seen]
    assert waits == [0, 5_000_000, 15_000_000, 35_000_000]
    assert stage.controllers is not None
    assert stage.controllers.failures == {"failing": 4}


def test_a_copy_goes_on_as_the_original_would() -> None:
    stage = stage_with(Restless)
    stage.store.create(config_map("a"))
    copy: Stage = pickle.loads(pickle.dumps(stage))
    for each in (stage, copy):
        each.run("1s")
    assert _loop(copy).seen == _loop(stage).seen
    assert len(_loop(copy).seen) == 3


def test_a_loop_that_does_not_care_is_not_told_of_pods_with_another_message() -> None:
    stage = stage_with(Attentive, Indifferent)
    store = stage.store
    pod = store.create(make_pod("web"))
    said = {"conditions": [{"type": "PodScheduled", "status": "False", "message": "no room"}]}
    first = store.record_status(("v1", "Pod"), "default/web", said)
    again = {**first, "metadata": dict(first["metadata"])}
    store.ledger.reword(store.pods, "default/web", again, first)
    store.settle()
    assert store.get(("v1", "Pod"), "web") is again is not pod
    assert [len(_loop(stage, number).told) for number in (0, 1)] == [3, 2]
