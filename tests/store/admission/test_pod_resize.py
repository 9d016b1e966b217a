"""Pods do not grow beyond their nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import Forbidden, Invalid
from kubestage.objects.patches import PatchType
from tests.store.samples import make_store

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.store import Store


POD = ("v1", "Pod")


def a_store(*, on: str = "n1", labels: dict[str, str] | None = None) -> Store:
    store = make_store()
    node: Json = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}
    node["metadata"]["labels"] = labels or {}
    node["status"] = {"allocatable": {"cpu": "2", "memory": "1Gi"}}
    store.load(node)
    container = {"name": "c", "image": "a", "resources": {"requests": {"cpu": "1"}}}
    spec: Json = {"containers": [container], "nodeName": on}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": spec}
    store.create(pod)
    return store


def resize(store: Store, requests: dict[str, str], **parts: Any) -> Json:
    container = {"name": "c", "resources": {"requests": requests}, **parts}
    patch = {"spec": {"containers": [container]}}
    return store.patch(POD, "web", patch, patch_type=PatchType.STRATEGIC, subresource="resize")


def test_what_the_node_could_have_is_let_through_and_counted_as_a_generation() -> None:
    resized = resize(a_store(), {"cpu": "2"})
    assert resized["metadata"]["generation"] == 2
    assert resized["spec"]["containers"][0]["resources"] == {"requests": {"cpu": "2"}}


def test_what_the_node_never_has_is_refused_with_its_cause() -> None:
    with pytest.raises(Forbidden) as refused:
        resize(a_store(), {"cpu": "2001m"})
    why = "node didn't have enough allocatable resources: cpu, requested: 2001, allocatable: 2000"
    assert refused.value.message == f'pods "web" is forbidden: {why}'
    assert refused.value.details["causes"] == [{"reason": "NodeCapacity"}]


def test_a_pod_whose_node_is_gone_cannot_be_resized() -> None:
    with pytest.raises(Forbidden, match='node "n2" not found'):
        resize(a_store(on="n2"), {"cpu": "2"})


def test_only_linux_resizes() -> None:
    with pytest.raises(Forbidden) as refused:
        resize(a_store(labels={"kubernetes.io/os": "windows"}), {"cpu": "2"})
    assert 'only supported on linux nodes, node "n1" is "windows"' in refused.value.message
    assert refused.value.details["causes"] == [{"reason": "UnsupportedPlatform"}]


def test_what_changes_nothing_is_not_looked_at() -> None:
    assert resize(a_store(on="n2"), {"cpu": "1"})["metadata"]["generation"] == 1


def test_other_parts_of_a_container_do_not_change_by_the_way() -> None:
    resized = resize(a_store(), {"cpu": "2"}, image="b")
    assert resized["spec"]["containers"][0]["image"] == "a"


def test_a_pod_that_runs_where_nobody_tells_of_resources_cannot_be_resized() -> None:
    store = a_store()
    state = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
    ran = {"name": "c", "state": state, "ready": True, "restartCount": 0, "image": "a"}
    status = {"status": {"containerStatuses": [{**ran, "imageID": ""}]}}
    store.patch(POD, "web", status, subresource="status")
    with pytest.raises(Invalid, match="Pod running on node without support for resize"):
        resize(store, {"cpu": "2"})
