from __future__ import annotations

from typing import Any

import pytest

from kubestage.errors import Forbidden
from tests.store.samples import POD, make_store, pod_with

FEATURE = "InPlacePodLevelResourcesVerticalScaling"
PATCH = {"spec": {"resources": {"requests": {"cpu": "2"}}}}


def resize(declared: list[str] | None) -> dict[str, Any]:
    store = make_store()
    status: dict[str, Any] = {"allocatable": {"cpu": "8", "memory": "8Gi"}}
    if declared is not None:
        status["declaredFeatures"] = declared
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": status}
    store.create(node)
    resources = {"requests": {"cpu": "1"}}
    store.create(pod_with("a", nodeName="n", resources=resources))
    return store.patch(POD, "a", PATCH, subresource="resize")


@pytest.mark.parametrize("declared", [None, [FEATURE]])
def test_a_pod_as_a_whole_is_resized_where_the_node_can(declared: list[str] | None) -> None:
    assert resize(declared)["spec"]["resources"]["requests"]["cpu"] == "2"


def test_and_not_where_it_says_that_it_cannot() -> None:
    with pytest.raises(Forbidden) as refusal:
        resize(["Another"])
    assert refusal.value.message == (
        f'pods "a" is forbidden: pod update requires features {FEATURE} which are not available '
        'on node "n"'
    )
