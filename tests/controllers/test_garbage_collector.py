from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.garbage_collector import GarbageCollectorController
from kubestage.store.deletion import DeleteOptions
from tests.controllers.stages import stage_with
from tests.store.samples import config_map, owned_by

if TYPE_CHECKING:
    from kubestage.stage import Stage

_KIND = ("v1", "ConfigMap")


def _names(stage: Stage) -> list[str]:
    return [each["metadata"]["name"] for each in stage.store.list(_KIND).items]


def _chain() -> Stage:
    """Three objects, each owned by the one before."""
    stage = stage_with(GarbageCollectorController)
    owner = stage.store.create(config_map("a"))
    for name in ("b", "c"):
        references = owned_by(owner)
        owner = stage.store.create(config_map(name, ownerReferences=references))
    return stage


def test_nothing_is_collected_before_time_passes() -> None:
    stage = _chain()
    stage.store.delete(_KIND, "a")
    assert _names(stage) == ["b", "c"]
    stage.run("1s")
    assert _names(stage) == []


def test_in_the_foreground_the_owner_goes_last() -> None:
    stage = _chain()
    seen = []
    stage.store.subscribe(
        lambda change: seen.append(change.key) if change.type == "DELETED" else None
    )
    stage.store.delete(_KIND, "a", options=DeleteOptions(propagation_policy="Foreground"))
    stage.run("1s")
    assert seen == ["default/c", "default/b", "default/a"]


def test_orphans_lose_their_owner_and_stay() -> None:
    stage = _chain()
    stage.store.delete(_KIND, "a", options=DeleteOptions(propagation_policy="Orphan"))
    stage.run("1s")
    assert _names(stage) == ["b", "c"]
    assert "ownerReferences" not in stage.store.get(_KIND, "b")["metadata"]


def test_an_object_whose_owner_never_was_is_collected() -> None:
    stage = stage_with(GarbageCollectorController)
    ghost = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "g", "uid": "none"}}
    stage.store.create(config_map("child", ownerReferences=owned_by(ghost)))
    stage.run("1s")
    assert _names(stage) == []


def test_what_was_there_before_is_left_alone_even_if_its_owner_is_not() -> None:
    ghost = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "g", "uid": "none"}}
    child = config_map("child", ownerReferences=owned_by(ghost))
    stage = stage_with(GarbageCollectorController, objects=[child])
    stage.run("1h")
    assert _names(stage) == ["child"]


def test_an_owner_of_a_kind_that_is_not_served_is_believed_in() -> None:
    stage = stage_with(GarbageCollectorController)
    owner = {"apiVersion": "lab.example/v1", "kind": "Nope", "metadata": {"name": "x", "uid": "u"}}
    stage.store.create(config_map("child", ownerReferences=owned_by(owner)))
    stage.run("1s")
    assert _names(stage) == ["child"]


def test_one_solid_owner_is_enough() -> None:
    stage = stage_with(GarbageCollectorController)
    first, second = (stage.store.create(config_map(name)) for name in ("a", "b"))
    references = [*owned_by(first), *owned_by(second)]
    stage.store.create(config_map("child", ownerReferences=references))
    stage.store.delete(_KIND, "a")
    stage.run("1s")
    assert stage.store.get(_KIND, "child")["metadata"]["ownerReferences"] == owned_by(second)
    stage.store.delete(_KIND, "b")
    stage.run("1s")
    assert _names(stage) == []
