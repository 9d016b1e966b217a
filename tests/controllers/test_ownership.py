from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers import ownership
from kubestage.errors import Forbidden
from kubestage.objects import labels
from kubestage.stage import Stage
from kubestage.store.deletion import DeleteOptions
from kubestage.testing import make_pod, make_replica_set

if TYPE_CHECKING:
    from kubestage.aliases import Json

_POD = ("v1", "Pod")
_SELECTOR = labels.parse("app=web")


def _stage() -> tuple[Stage, Json]:
    stage = Stage()
    return stage, stage.store.create(make_replica_set("web"))


def _pod(stage: Stage, name: str = "a", **options: Any) -> Json:
    return stage.store.create(make_pod(name, **{"labels": {"app": "web"}, **options}))


def _claim(stage: Stage, owner: Json, *found: Json, **options: Any) -> list[str]:
    claims = ownership.Claims(stage.store, owner, _SELECTOR, **options)
    return [obj["metadata"]["name"] for obj in claims.claim(found)]


def _references(stage: Stage, name: str = "a") -> list[Json]:
    references: list[Json] = stage.store.get(_POD, name)["metadata"].get("ownerReferences") or []
    return references


def test_the_controller_is_the_owner_that_says_so() -> None:
    _, owner = _stage()
    reference = ownership.controller_reference(owner)
    obj = {"metadata": {"ownerReferences": [{**reference, "controller": False}, reference]}}
    assert ownership.controller_of(obj) is reference
    assert ownership.is_controlled_by(obj, owner)
    assert ownership.controller_of({"metadata": {}}) is None


def test_an_object_that_matches_and_nobody_controls_is_adopted() -> None:
    stage, owner = _stage()
    assert _claim(stage, owner, _pod(stage), _pod(stage, "b", labels={"app": "x"})) == ["a"]
    assert _references(stage) == [ownership.controller_reference(owner)]
    assert _references(stage, "b") == []


def test_an_owner_that_was_none_of_controllers_becomes_one() -> None:
    stage, owner = _stage()
    reference = {**ownership.controller_reference(owner), "controller": False}
    pod = make_pod("a", labels={"app": "web"})
    pod["metadata"]["ownerReferences"] = [reference]
    assert _claim(stage, owner, stage.store.create(pod)) == ["a"]
    assert _references(stage) == [ownership.controller_reference(owner)]


def test_what_somebody_else_controls_is_left_alone() -> None:
    stage, owner = _stage()
    other = stage.store.create(make_replica_set("other"))
    pod = _pod(stage)
    assert _claim(stage, other, pod) == ["a"]
    assert _claim(stage, owner, stage.store.get(_POD, "a")) == []


def test_what_does_not_match_any_more_is_released() -> None:
    stage, owner = _stage()
    _claim(stage, owner, _pod(stage))
    moved = stage.store.patch(_POD, "a", {"metadata": {"labels": {"app": "x"}}})
    assert _claim(stage, owner, moved) == []
    assert _references(stage) == []


def test_finalizers_come_with_adoption_and_go_with_release() -> None:
    stage, owner = _stage()
    finalizers = ("example.com/keep",)
    _claim(stage, owner, _pod(stage), finalizers=finalizers)
    assert stage.store.get(_POD, "a")["metadata"]["finalizers"] == ["example.com/keep"]
    moved = stage.store.patch(_POD, "a", {"metadata": {"labels": {"app": "x"}}})
    _claim(stage, owner, moved, finalizers=finalizers)
    assert "finalizers" not in stage.store.get(_POD, "a")["metadata"]


def test_an_owner_that_is_to_go_takes_nothing_and_lets_nothing_go() -> None:
    stage, owner = _stage()
    _claim(stage, owner, _pod(stage))
    kind, held = ("apps/v1", "ReplicaSet"), {"metadata": {"finalizers": ["example.com/hold"]}}
    stage.store.patch(kind, "web", held)
    ending = stage.store.delete(kind, "web", "default").object
    assert _claim(stage, ending, stage.store.get(_POD, "a"), _pod(stage, "b")) == ["a"]
    moved = stage.store.patch(_POD, "a", {"metadata": {"labels": {"app": "x"}}})
    assert _claim(stage, ending, moved) == []
    assert len(_references(stage)) == 1


def test_what_is_to_go_itself_or_lives_elsewhere_is_not_adopted() -> None:
    stage, owner = _stage()
    _pod(stage, node_name="n1")
    stage.store.delete(_POD, "a", "default")
    elsewhere = _pod(stage, "c", namespace="other")
    assert _claim(stage, owner, stage.store.get(_POD, "a"), elsewhere) == []


def test_what_is_gone_is_passed_over() -> None:
    stage, owner = _stage()
    pod = _pod(stage)
    stage.store.delete(_POD, "a", "default", DeleteOptions(grace_period_seconds=0))
    assert _claim(stage, owner, pod) == []


def test_only_what_is_accepted_is_adopted() -> None:
    stage, owner = _stage()
    assert _claim(stage, owner, _pod(stage), accepts=lambda obj: False) == []


def test_a_refusal_is_passed_on_when_the_others_have_been_looked_at() -> None:
    stage, owner = _stage()
    pod = _pod(stage, "z")

    def refuses(obj: Json) -> bool:
        if obj["metadata"]["name"] == "b":
            raise Forbidden("no")
        return True

    with pytest.raises(Forbidden):
        _claim(stage, owner, _pod(stage, "b"), pod, accepts=refuses)
    assert len(_references(stage, "z")) == 1
