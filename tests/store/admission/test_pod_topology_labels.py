from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.store.samples import POD, make_store, pod, pod_with

if TYPE_CHECKING:
    from kubestage.store.store import Store

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"


@pytest.fixture
def store() -> Store:
    made = make_store()
    for name, zone in (("n1", "z1"), ("n2", "z2")):
        labels = {ZONE: zone, REGION: "r", "other": "x"}
        made.create(
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}}
        )
    return made


def test_a_binding_tells_the_pod_where_its_node_is(store: Store) -> None:
    store.create(pod("a", labels={ZONE: "mine", "app": "a"}))
    bound = store.bind("a", "default", "n1", labels={"by": "me"})
    assert bound["metadata"]["labels"] == {ZONE: "z1", REGION: "r", "app": "a", "by": "me"}
    found = store.list(POD, label_selector=f"{ZONE}=z1").items
    assert [each["metadata"]["name"] for each in found] == ["a"]


def test_a_new_pod_on_a_node_knows_it_too(store: Store) -> None:
    made = [store.create(pod_with(name, nodeName="n1")) for name in ("a", "b")]
    assert [each["metadata"]["labels"] for each in made] == [{ZONE: "z1", REGION: "r"}] * 2


def test_pods_of_one_template_see_their_node_move(store: Store) -> None:
    store.create(pod_with("a", nodeName="n1"))
    store.patch(("v1", "Node"), "n1", {"metadata": {"labels": {ZONE: "z3"}}})
    assert store.create(pod_with("b", nodeName="n1"))["metadata"]["labels"][ZONE] == "z3"


def test_a_node_that_is_not_there_is_nowhere(store: Store) -> None:
    assert "labels" not in store.create(pod_with("a", nodeName="n9"))["metadata"]
    store.create(pod("b"))
    assert "labels" not in store.bind("b", "default", "n9")["metadata"]
