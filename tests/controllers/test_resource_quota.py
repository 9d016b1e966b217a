from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers.resource_quota import ResourceQuotaController
from kubestage.errors import AlreadyExists, Forbidden
from kubestage.store.deletion import DeleteOptions
from kubestage.testing import make_node, make_pod
from tests.controllers.stages import stage_with
from tests.store.samples import config_map

if TYPE_CHECKING:
    from kubestage.stage import Stage

_QUOTA = ("v1", "ResourceQuota")
_POD = ("v1", "Pod")


def _quota(**hard: str) -> dict[str, Any]:
    named = {name.replace("__", "/").replace("_", "."): amount for name, amount in hard.items()}
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "default"},
        "spec": {"hard": named},
    }


def _used(stage: Stage) -> dict[str, str]:
    found: dict[str, str] = stage.store.get(_QUOTA, "q")["status"]["used"]
    return found


def test_a_new_quota_counts_what_is_there() -> None:
    stage = stage_with(
        ResourceQuotaController, objects=[make_pod("a", cpu="100m"), make_pod("b", cpu="200m")]
    )
    stage.store.create(_quota(pods="5", requests_cpu="1"))
    stage.run("1s")
    assert _used(stage) == {"pods": "2", "requests.cpu": "300m"}
    status = stage.store.get(_QUOTA, "q")["status"]
    assert status["hard"] == {"pods": "5", "requests.cpu": "1"}


def test_what_is_deleted_is_given_back() -> None:
    stage = stage_with(ResourceQuotaController, objects=[_quota(pods="1")])
    stage.run("1s")
    stage.store.create(make_pod("a"))
    with pytest.raises(Forbidden, match="exceeded quota: q, requested: pods=1, used: pods=1"):
        stage.store.create(make_pod("b"))
    stage.store.delete(_POD, "a", options=DeleteOptions(grace_period_seconds=0))
    stage.run("1s")
    assert _used(stage) == {"pods": "0"}
    stage.store.create(make_pod("b"))


def test_a_pod_that_has_run_to_its_end_is_given_back() -> None:
    stage = stage_with(ResourceQuotaController, objects=[_quota(pods="1")])
    stage.run("1s")
    stage.store.create(make_pod("a", node_name="n1"))
    assert _used(stage) == {"pods": "1"}
    stage.store.patch(_POD, "a", {"status": {"phase": "Succeeded"}}, subresource="status")
    stage.run("1s")
    assert _used(stage) == {"pods": "0"}


def test_any_kind_can_be_counted() -> None:
    stage = stage_with(ResourceQuotaController, objects=[_quota(count__configmaps="9")])
    stage.run("1s")
    stage.store.create(config_map("a"))
    assert _used(stage) == {"count/configmaps": "1"}
    stage.store.delete(("v1", "ConfigMap"), "a")
    stage.run("1s")
    assert _used(stage) == {"count/configmaps": "0"}


def test_another_limit_is_taken_up_and_a_dropped_one_forgotten() -> None:
    stage = stage_with(
        ResourceQuotaController, objects=[make_pod("a"), _quota(pods="1", services="1")]
    )
    stage.run("1s")
    stage.store.patch(_QUOTA, "q", {"spec": {"hard": {"pods": "3", "services": None}}})
    stage.run("1s")
    status = stage.store.get(_QUOTA, "q")["status"]
    assert status == {"hard": {"pods": "3"}, "used": {"pods": "1"}}


def test_a_quota_that_was_charged_is_counted_once_more_and_then_left_alone() -> None:
    stage = stage_with(ResourceQuotaController, objects=[_quota(pods="3")])
    stage.run("1s")
    assert stage.controllers is not None
    before = stage.controllers.syncs
    stage.store.create(make_pod("a"))
    stage.run("24h")
    assert stage.controllers.syncs == before + 1


def test_what_was_charged_for_an_object_that_was_not_made_is_given_back_in_time() -> None:
    stage = stage_with(ResourceQuotaController, objects=[_quota(pods="3"), make_pod("a")])
    stage.run("1s")
    with pytest.raises(AlreadyExists):
        stage.store.create(make_pod("a"))
    assert _used(stage) == {"pods": "2"}
    stage.run("5m")
    assert _used(stage) == {"pods": "1"}


def test_a_pod_that_should_have_gone_long_ago_is_not_charged() -> None:
    objects = [make_node("n"), _quota(pods="3"), make_pod("a", node_name="n")]
    stage = stage_with(ResourceQuotaController, objects=objects)
    stage.run("1s")
    stage.store.delete(("v1", "Pod"), "a")
    stage.run("58s")
    assert _used(stage) == {"pods": "1"}
    stage.run("5m")
    assert _used(stage) == {"pods": "0"}
