"""What belongs to an owner, kept up from changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage import testing
from kubestage.controllers.lister import Lister
from kubestage.controllers.ownership import Claims, controller_reference
from kubestage.controllers.rosters import Roster, Rosters
from kubestage.errors import Conflict
from kubestage.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.store.log import Change


POD = ("v1", "Pod")
KEY = "default/web"


class Watcher:
    """Rosters of ReplicaSets, told of every change of a pod."""

    def __init__(self) -> None:
        self.stage = Stage()
        self.rosters = Rosters(Lister(self.stage.store), POD)
        self.told: list[str] = []
        self.stage.store.subscribe(self._hear)

    def _hear(self, change: Change) -> None:
        if change.kind.kind == "Pod":
            self.told += [roster.key for roster in self.rosters.on_change(change)]

    def own(self, name: str = "web") -> tuple[Json, Roster]:
        owner = self.stage.store.create(testing.make_replica_set(name, labels={"app": "web"}))
        return owner, self.rosters.open(f"default/{name}", owner)

    def settle(self, owner: Json, roster: Roster) -> list[str]:
        claims = Claims(self.stage.store, owner, roster.selector)
        objects = self.stage.store.collection(POD).objects
        return [key for key, _, _ in roster.settle(objects, claims)]

    def pod(self, name: str, **metadata: Any) -> Json:
        pod: Json = testing.make_pod(name, labels={"app": "web"})
        pod["metadata"] |= metadata
        return self.stage.store.create(pod)


def test_what_is_there_when_an_owner_comes_is_looked_at() -> None:
    watcher = Watcher()
    watcher.pod("a")
    watcher.pod("b", labels={"app": "other"})
    owner, roster = watcher.own()
    assert watcher.settle(owner, roster) == ["default/a"]
    assert list(roster.members) == ["default/a"]


def test_orphans_are_told_when_they_come_and_when_their_labels_change() -> None:
    watcher = Watcher()
    watcher.own()
    watcher.pod("a", labels={"app": "other"})
    watcher.pod("b")
    assert watcher.told == [KEY]
    watcher.stage.store.patch(POD, "a", {"metadata": {"annotations": {"x": "y"}}})
    assert watcher.told == [KEY]
    watcher.stage.store.patch(POD, "a", {"metadata": {"labels": {"app": "web"}}})
    assert watcher.told == [KEY, KEY]


def test_only_the_controller_is_told_of_what_it_controls() -> None:
    watcher = Watcher()
    owner, roster = watcher.own()
    other, _ = watcher.own("other")
    watcher.pod("a", ownerReferences=[controller_reference(owner)])
    assert watcher.told == [KEY]
    assert watcher.settle(owner, roster) == ["default/a"]
    moved = {"ownerReferences": [controller_reference(other)]}
    watcher.stage.store.patch(POD, "a", {"metadata": moved})
    assert watcher.told[1:] == [KEY, "default/other"]
    watcher.settle(owner, roster)
    assert not roster.members


def test_one_look_at_a_pod_suffices_however_often_it_changed() -> None:
    watcher = Watcher()
    owner, roster = watcher.own()
    watcher.pod("a")
    assert watcher.settle(owner, roster) == ["default/a"]
    assert watcher.settle(owner, roster) == []


def test_a_pod_that_is_gone_leaves_and_an_orphan_that_is_gone_is_not_told() -> None:
    watcher = Watcher()
    owner, roster = watcher.own()
    watcher.pod("a")
    watcher.settle(owner, roster)
    watcher.pod("b", labels={"app": "other"})
    watcher.told.clear()
    watcher.stage.store.delete(POD, "b")
    assert watcher.told == []
    watcher.stage.store.delete(POD, "a")
    assert set(watcher.told) == {KEY}
    assert watcher.settle(owner, roster) == ["default/a"]
    assert not roster.members


def test_an_owner_that_is_gone_is_told_nothing() -> None:
    watcher = Watcher()
    owner, _ = watcher.own()
    watcher.rosters.close(KEY)
    watcher.pod("a")
    watcher.pod("b", ownerReferences=[controller_reference(owner)])
    assert watcher.told == []


class _Refusing:
    def claim(self, objects: Iterable[Json]) -> list[Json]:
        del objects
        raise Conflict("not now")


def test_what_could_not_be_claimed_stays_to_be_looked_at() -> None:
    watcher = Watcher()
    owner, roster = watcher.own()
    watcher.pod("a")
    with pytest.raises(Conflict):
        list(roster.settle({"default/a": {}}, _Refusing()))
    assert watcher.settle(owner, roster) == ["default/a"]
