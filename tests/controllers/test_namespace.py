from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers.garbage_collector import GarbageCollectorController
from kubestage.controllers.namespace import NamespaceController
from kubestage.errors import Forbidden
from kubestage.store.deletion import DeleteOptions
from kubestage.testing import make_pod
from tests.controllers.stages import stage_with
from tests.store.samples import config_map

if TYPE_CHECKING:
    from kubestage.stage import Stage

_NAMESPACE = ("v1", "Namespace")
_POD = ("v1", "Pod")


def _stage(*objects: dict[str, Any]) -> Stage:
    stage = stage_with(GarbageCollectorController, NamespaceController)
    for obj in objects:
        stage.store.create(obj)
    stage.run("1s")
    stage.store.delete(_NAMESPACE, "shop")
    return stage


def _is_there(stage: Stage) -> bool:
    return "shop" in stage.store.read(_NAMESPACE)


def _conditions(stage: Stage) -> dict[str, tuple[str, str, str]]:
    found = stage.store.get(_NAMESPACE, "shop")["status"]["conditions"]
    return {each["type"]: (each["status"], each["reason"], each["message"]) for each in found}


def test_contents_are_left_alone_for_five_seconds_then_all_is_gone() -> None:
    stage = _stage(config_map("a", "shop"), config_map("b", "shop"))
    stage.run("4s")
    assert len(stage.store.list(("v1", "ConfigMap"), "shop").items) == 2
    stage.run("2s")
    assert not _is_there(stage)


def test_nothing_is_created_in_a_namespace_that_ends() -> None:
    stage = _stage(config_map("a", "shop"))
    with pytest.raises(Forbidden, match="because it is being terminated"):
        stage.store.create(config_map("late", "shop"))


def test_what_holds_a_namespace_is_told_and_waited_for_without_polling() -> None:
    stage = _stage(config_map("a", "shop", finalizers=["example.com/hold"]))
    stage.run("1m")
    told = _conditions(stage)
    assert told["NamespaceContentRemaining"] == (
        "True",
        "SomeResourcesRemain",
        "Some resources are remaining: configmaps. has 1 resource instances",
    )
    assert told["NamespaceFinalizersRemaining"] == (
        "True",
        "SomeFinalizersRemain",
        (
            "Some content in the namespace has finalizers remaining: "
            "example.com/hold in 1 resource instances"
        ),
    )
    before = stage.environment.completed_count
    stage.run("24h")
    assert stage.environment.completed_count == before
    stage.store.patch(("v1", "ConfigMap"), "a", {"metadata": {"finalizers": None}}, "shop")
    stage.run("10s")
    assert not _is_there(stage)


def test_everything_else_waits_for_the_pods() -> None:
    stage = _stage(make_pod("web", namespace="shop", node_name="n1"), config_map("a", "shop"))
    stage.run("10s")
    assert stage.store.list(("v1", "ConfigMap"), "shop").items
    assert "deletionTimestamp" in stage.store.get(_POD, "web", "shop")["metadata"]
    assert _conditions(stage)["NamespaceContentRemaining"][0] == "False"
    stage.store.delete(_POD, "web", "shop", DeleteOptions(grace_period_seconds=0))
    stage.run("30s")
    assert not _is_there(stage)


def test_a_pod_that_outlives_its_grace_is_a_failure() -> None:
    stage = _stage(make_pod("web", namespace="shop", node_name="n1"))
    stage.run("2m")
    state, reason, message = _conditions(stage)["NamespaceDeletionContentFailure"]
    assert (state, reason) == ("True", "ContentDeletionFailed")
    assert "unexpected items still remain in namespace: shop for gvr: /v1, Resource=pods" in message
