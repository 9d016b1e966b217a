from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers.registry import LOOPS
from kubestage.controllers.resource_quota import ResourceQuotaController
from kubestage.controllers.root_ca_publisher import NAME, RootCACertPublisher
from kubestage.controllers.settings import Settings
from kubestage.errors import NotFound
from tests.controllers.stages import stage_with

if TYPE_CHECKING:
    from kubestage.stage import Stage

CONFIG_MAP = ("v1", "ConfigMap")
NAMESPACE = ("v1", "Namespace")
WITH_CA = Settings(root_ca_cert="PEM")


@pytest.fixture
def stage() -> Stage:
    made = stage_with(RootCACertPublisher, ResourceQuotaController, settings=WITH_CA)
    made.run("1s")
    return made


def published(stage: Stage, namespace: str = "default") -> dict[str, Any]:
    return stage.store.get(CONFIG_MAP, NAME, namespace)


def test_every_namespace_has_the_certificate(stage: Stage) -> None:
    stage.store.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "late"}})
    stage.run("1s")
    for namespace in ("default", "kube-system", "late"):
        found = published(stage, namespace)
        assert found["data"] == {"ca.crt": "PEM"}
        about = found["metadata"]["annotations"]["kubernetes.io/description"]
        assert about.startswith("Contains a CA bundle that can be used to verify")


def test_what_somebody_changes_or_deletes_is_put_right(stage: Stage) -> None:
    stage.store.patch(CONFIG_MAP, NAME, {"data": {"ca.crt": "other", "x": "y"}})
    stage.run("1s")
    assert published(stage)["data"] == {"ca.crt": "PEM"}
    stage.store.patch(CONFIG_MAP, NAME, {"metadata": {"annotations": None}})
    stage.run("1s")
    assert published(stage)["metadata"]["annotations"]
    stage.store.delete(CONFIG_MAP, NAME)
    stage.run("1s")
    assert published(stage)["data"] == {"ca.crt": "PEM"}


def test_it_counts_in_a_quota(stage: Stage) -> None:
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "default"},
        "spec": {"hard": {"configmaps": "5", "count/configmaps": "5"}},
    }
    stage.store.create(quota)
    stage.run("1s")
    used = stage.store.get(("v1", "ResourceQuota"), "q")["status"]["used"]
    assert used == {"configmaps": "1", "count/configmaps": "1"}


def test_a_namespace_that_ends_is_left_alone() -> None:
    stage = stage_with(*LOOPS, settings=WITH_CA)
    stage.store.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "short"}})
    stage.run("1s")
    stage.store.delete(NAMESPACE, "short")
    stage.run("1m")
    with pytest.raises(NotFound):
        stage.store.get(NAMESPACE, "short")


def test_without_a_certificate_nothing_is_published() -> None:
    for loops in (LOOPS, (RootCACertPublisher,)):
        stage = stage_with(*loops)
        stage.run("1m")
        assert stage.store.list(CONFIG_MAP).items == []
