"""Binding shares what it can; what is stored is what plain binding would have stored."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import hypothesis
import hypothesis.strategies as st
import msgspec
import pytest

from kubestage.errors import ApiError
from kubestage.objects import timestamps
from tests.store import naive_binding
from tests.store.samples import POD, make_store, pod

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.store.log import Change
    from kubestage.store.store import Store

NODES = st.sampled_from(["n1", "n2"])
TIMES_NS = st.sampled_from([0, 1, 10**9])
IMAGES = st.sampled_from(["nginx", "redis"])
STATUSES = st.sampled_from(
    [
        None,
        {"nominatedNodeName": "n9"},
        {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]},
        {
            "conditions": [
                {"type": "Other", "status": "True"},
                {
                    "type": "PodScheduled",
                    "status": "True",
                    "lastTransitionTime": "2025-12-31T00:00:00Z",
                },
            ]
        },
        {"conditions": [{"type": "Other", "status": "True"}], "message": "hm"},
    ]
)
LABELS = st.sampled_from([None, {"app": "a"}, {"app": "b"}])


def encoded(obj: dict[str, Any]) -> bytes:
    """With the fields in the order in which they are."""
    return msgspec.json.encode(obj)


def assign(store: Store, name: str, node: str) -> dict[str, Any]:
    return store.assign(f"default/{name}", node, store.get(POD, name)["metadata"]["uid"])


def bind(store: Store, name: str, node: str) -> dict[str, Any]:
    return store.bind(name, "default", node)


@hypothesis.given(
    st.lists(st.tuples(NODES, TIMES_NS, IMAGES, STATUSES, LABELS), max_size=12),
    st.sampled_from([assign, bind]),
    st.booleans(),
)
def test_a_pod_is_bound_as_if_it_were_the_only_one(
    steps: list[tuple[str, int, str, dict[str, Any] | None, dict[str, str] | None]],
    bind_by: Callable[[Store, str, str], dict[str, Any]],
    copied: bool,
) -> None:
    store = make_store()
    for number, (node, after_ns, image, status, labels) in enumerate(steps):
        name = f"p{number}"
        made = pod(name, labels=labels) if labels else pod(name)
        made["spec"]["containers"][0]["image"] = image
        store.create(made)
        if status is not None:
            store.patch(POD, name, {"status": status}, subresource="status")
        store.clock.now_ns += after_ns
        if copied:
            store = pickle.loads(pickle.dumps(store))
        before = store.get(POD, name)
        kept = copy.deepcopy(before)
        found = bind_by(store, name, node)
        at = timestamps.format_time(store.clock.unix_ns)
        assert found is store.get(POD, name)
        assert before == kept
        assert encoded(found) == encoded(
            naive_binding.bound(before, node, at, store.resource_version)
        )


def test_it_is_told_and_remembered_as_a_binding() -> None:
    store = make_store()
    heard: list[Change] = []
    created = store.create(pod("a"))
    store.subscribe(heard.append)
    watch = store.watch(POD, resource_version=store.resource_version)
    bound = assign(store, "a", "n1")
    (change,) = heard
    assert (change.type, change.key, change.new) == ("MODIFIED", "default/a", bound)
    assert change.old is created
    assert change.is_binding
    assert [(event.type, event.object) for event in watch.poll()] == [("MODIFIED", bound)]
    found = store.list(POD, field_selector="spec.nodeName=n1").items
    assert found == [bound]
    assert store.list(POD, field_selector="spec.nodeName=").items == []


@pytest.mark.parametrize("state", ["missing", "another", "bound", "gated", "ending"])
def test_it_is_refused_as_any_binding_is(state: str) -> None:
    store = make_store()
    made = pod("a", finalizers=["x.io/f"])
    if state == "gated":
        made["spec"]["schedulingGates"] = [{"name": "example.com/wait"}]
    uid = "" if state == "missing" else store.create(made)["metadata"]["uid"]
    if state == "another":
        uid = "other"
    elif state == "bound":
        store.bind("a", "default", "n0")
    elif state == "ending":
        store.delete(POD, "a")
    with pytest.raises(ApiError) as plain:
        store.bind("a", "default", "n1", uid=uid)
    version = store.resource_version
    with pytest.raises(ApiError) as refusal:
        store.assign("default/a", "n1", uid)
    assert type(refusal.value) is type(plain.value)
    assert refusal.value.message == plain.value.message
    assert refusal.value.details == plain.value.details
    assert store.resource_version == version
