from __future__ import annotations

from typing import Any

from kubestage.objects import strategy

MAPPINGS = {"cpu": {"capacityKey": "cores"}}


def resource_slice(device: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "s", "resourceVersion": "1", "generation": 1},
        "spec": {"driver": "d.x", "devices": [{"name": "d0", **device}]},
    }


def claim(status: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "c", "namespace": "n", "resourceVersion": "1"},
        "spec": {"devices": {"requests": []}},
        "status": status,
    }


def test_fields_of_features_that_are_off_are_dropped_from_a_new_slice() -> None:
    given = resource_slice(
        {
            "attributes": {"a": {"ints": [1]}, "b": {"int": 1}},
            "nodeAllocatableResourceMappings": MAPPINGS,
        }
    )
    (device,) = strategy.prepare_for_create(given)["spec"]["devices"]
    assert device == {"name": "d0", "attributes": {"a": {}, "b": {"int": 1}}}
    assert given["spec"]["devices"][0]["attributes"]["a"] == {"ints": [1]}


def test_what_a_slice_had_it_may_keep() -> None:
    lists = resource_slice({"attributes": {"a": {"ints": [1]}}})
    mapped = resource_slice({"nodeAllocatableResourceMappings": MAPPINGS})
    assert strategy.prepare_for_update(lists, lists)["spec"] == lists["spec"]
    assert strategy.prepare_for_update(mapped, mapped)["spec"] == mapped["spec"]
    (device,) = strategy.prepare_for_update(mapped, lists)["spec"]["devices"]
    assert device == {"name": "d0"}


def test_reports_on_devices_that_were_given_back_go() -> None:
    one, two = ({"driver": "d", "pool": "p", "device": name} for name in ("a", "b"))
    old = claim({"allocation": {"devices": {"results": [one, two]}}, "devices": [one, two]})
    new = claim({"allocation": {"devices": {"results": [two]}}, "devices": [one, two]})
    assert strategy.prepare_for_update(new, old, "status")["status"]["devices"] == [two]
    ended = claim({"devices": [one, two]})
    assert strategy.prepare_for_update(ended, old, "status")["status"] == {}


def test_a_report_changes_no_labels() -> None:
    new = claim({})
    new["metadata"]["labels"] = {"a": "b"}
    assert "labels" not in strategy.prepare_for_update(new, claim({}), "status")["metadata"]
