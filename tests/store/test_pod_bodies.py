from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.store.pod_bodies import PodBodies
from tests.store.samples import POD, make_store, pod

if TYPE_CHECKING:
    from kubestage.store.store import Store


@pytest.fixture
def store() -> Store:
    return make_store()


def prepared(image: str = "nginx") -> dict[str, Any]:
    return {"spec": {"containers": [{"image": image}]}, "status": {"phase": "Pending"}}


def test_pods_that_differ_in_their_labels_share_spec_and_status(store: Store) -> None:
    one, other = (store.create(pod(name, labels={"app": name})) for name in ("a", "b"))
    assert one["spec"] is other["spec"]
    assert one["status"] is other["status"]


def test_bound_pods_share_spec_and_status_with_those_on_their_node(store: Store) -> None:
    for name in ("a", "b", "c"):
        store.create(pod(name, labels={"app": name}))
    one, other = (store.bind(name, "default", "n1") for name in ("a", "b"))
    elsewhere = store.bind("c", "default", "n2")
    assert one["spec"] is other["spec"]
    assert one["status"] is other["status"] is elsewhere["status"]
    assert (one["spec"]["nodeName"], elsewhere["spec"]["nodeName"]) == ("n1", "n2")


def test_a_status_is_shared_only_by_those_bound_at_the_same_moment(store: Store) -> None:
    dates = []
    for second, name in enumerate(("a", "b")):
        store.create(pod(name))
        store.clock.now_ns = second * 10**9
        bound = store.bind(name, "default", "n1")
        dates.append(bound["status"]["conditions"][0]["lastTransitionTime"])
    assert dates == ["2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"]


def test_a_pod_that_became_another_keeps_what_is_its_own(store: Store) -> None:
    """Its spec, or its status, is no longer that of its siblings."""
    for name in ("a", "b", "c"):
        store.create(pod(name))
    store.patch(POD, "a", {"spec": {"activeDeadlineSeconds": 5}})
    store.patch(POD, "b", {"status": {"message": "hm"}}, subresource="status")
    bound = [store.bind(name, "default", "n1") for name in ("a", "b", "c")]
    assert [each["spec"].get("activeDeadlineSeconds") for each in bound] == [5, None, None]
    assert [each["status"].get("message") for each in bound] == [None, "hm", None]


def test_a_copy_shares_as_the_original_does(store: Store) -> None:
    for name in ("a", "b"):
        store.create(pod(name))
    bound = store.bind("a", "default", "n1")
    copied: Store = pickle.loads(pickle.dumps(store))
    again = copied.bind("b", "default", "n1")
    assert again["spec"] is copied.get(POD, "a")["spec"]
    assert again["spec"] == bound["spec"]
    assert again["spec"] is not bound["spec"]


def test_a_body_is_kept_as_long_as_a_template_has_it() -> None:
    bodies = PodBodies()
    first, second = prepared(), prepared()
    body = bodies.share(first)
    assert bodies.share(second) is body
    bodies.release(body)
    assert bodies.by_spec == {id(first["spec"]): body}
    bodies.release(body)
    assert not bodies.by_spec
    assert bodies.share(second) is not body


def test_types_and_order_tell_bodies_apart() -> None:
    bodies = PodBodies()
    specs = [{"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": True, "b": 2}, {"a": 1.0, "b": 2}]
    assert len({id(bodies.share({"spec": spec})) for spec in specs}) == 4


def test_specs_of_nodes_that_are_gone_are_forgotten() -> None:
    bodies = PodBodies()
    body, other = bodies.share(prepared()), bodies.share(prepared("redis"))
    for number in range(10):
        bodies.put_on(body, f"n{number}", most=4)
        bodies.put_on(other, f"n{number}", most=4)
        assert len(body.on) + len(other.on) <= 5
    assert body.on["n9"]["nodeName"] == "n9"
