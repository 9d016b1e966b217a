"""Limits that change while a container runs into them."""

from __future__ import annotations

import json

import pytest

from tests.controllers.kubelet.clusters import POD, at
from tests.controllers.kubelet.resizes import MI, container, kinds, resize, running, told


def test_a_limit_below_what_is_in_use_is_not_set() -> None:
    notes = {"memory-usage": "500Mi"}
    cluster = running(container(limits={"memory": "1Gi"}), notes=notes)
    resize(cluster, limits={"memory": "256Mi"}, requests={"memory": "256Mi"})
    cluster.run("5s")
    progress = cluster.condition("PodResizeInProgress")
    text = (
        "cannot decrease memory limits: "
        f"[attempting to set pod memory limit ({256 * MI}) below current usage ({500 * MI}), "
        f'attempting to set container "c" memory limit ({256 * MI}) '
        f"below current usage ({500 * MI})]"
    )
    assert (progress["reason"], progress["message"]) == ("Error", text)
    assert progress["lastTransitionTime"] == at(12)
    assert cluster.container()["resources"]["limits"] == {"memory": "1Gi"}
    assert cluster.container()["allocatedResources"] == {"memory": "256Mi"}
    (message,) = told(cluster, "ResizeError")
    assert json.loads(message.partition(": ")[2])["error"] == text
    less = {"metadata": {"annotations": {"kubestage.dev/memory-usage": "100Mi"}}}
    cluster.store.patch(POD, "web", less)
    cluster.run("1s")
    assert kinds(cluster) == []
    assert cluster.container()["resources"]["limits"] == {"memory": "256Mi"}


def test_a_container_that_ends_gets_what_could_not_be_set() -> None:
    notes = {"memory-usage": "500Mi", "run-duration": "20s"}
    cluster = running(container(limits={"memory": "1Gi"}), notes=notes)
    resize(cluster, limits={"memory": "256Mi"}, requests={"memory": "256Mi"})
    cluster.run("5s")
    assert kinds(cluster) == ["PodResizeInProgress"]
    cluster.run("10s")
    assert kinds(cluster) == []
    assert cluster.container()["resources"]["limits"] == {"memory": "256Mi"}
    assert cluster.container()["lastState"]["terminated"]["reason"] == "OOMKilled"


@pytest.mark.parametrize(("limit", "kills"), [("200Mi", 2), ("400Mi", 0)])
def test_memory_is_measured_by_the_new_limit(limit: str, kills: int) -> None:
    notes = {"memory-usage": "100Mi+60Mi/m"}
    cluster = running(container(limits={"memory": "300Mi"}), notes=notes)
    resize(cluster, limits={"memory": limit}, requests={"memory": limit})
    cluster.run("240s")
    state = cluster.container()
    assert state["restartCount"] == kills
    if kills:
        ended = state["lastState"]["terminated"]
        assert (ended["reason"], ended["finishedAt"]) == ("OOMKilled", at(201))


def test_cpu_is_bounded_by_the_limit_of_its_time() -> None:
    notes = {"cpu-usage": "2"}
    cluster = running(container(limits={"cpu": "1"}, requests={"cpu": "1"}), notes=notes)
    resize(cluster, limits={"cpu": "1500m"}, requests={"cpu": "1"})
    cluster.run("12s")
    used = cluster.kubelet.used()["default/web"]["c"]
    # 1 s to 12 s with one core, 12 s to 22 s with one and a half.
    assert used.cpu_core_ns == pytest.approx(26e9)
