"""Empty lists that come back as null."""

from __future__ import annotations

from kubestage.objects import strategy


def test_a_list_that_is_always_told_is_null_when_it_was_stored_empty() -> None:
    limits = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {}, "spec": {"limits": []}}

    assert strategy.stored(limits)["spec"] == {"limits": None}
    assert limits["spec"] == {"limits": []}


def test_such_a_list_inside_of_list_items_is_null_too() -> None:
    full = {"name": "a", "nodeID": "n", "topologyKeys": ["zone"]}
    empty = {"name": "b", "nodeID": "n", "topologyKeys": []}
    node = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSINode",
        "metadata": {},
        "spec": {"drivers": [full, empty]},
    }

    drivers = strategy.stored(node)["spec"]["drivers"]

    assert drivers == [full, {**empty, "topologyKeys": None}]


def test_an_object_without_an_empty_list_stays_itself() -> None:
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {}}

    assert strategy.stored(role) is role
