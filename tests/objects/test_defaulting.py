"""Defaulting as a whole: recorded cases, and what holds for every object."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kubestage.errors import InputError
from kubestage.objects import defaulting
from tests.golden import vectors
from tests.objects import arbitrary_objects

ENTRIES = vectors.load("defaulting", "default")


def test_there_are_recorded_cases() -> None:
    assert len(ENTRIES) > 100


def test_defaults_are_those_of_the_api_server() -> None:
    wrong = [
        entry["id"]
        for entry in ENTRIES
        if defaulting.default(entry["in"]) != entry["out"]["defaulted"]
    ]
    assert not wrong


def test_stored_objects_are_those_of_the_api_server() -> None:
    wrong = [
        entry["id"]
        for entry in ENTRIES
        if defaulting.stored(entry["in"])
        != entry["out"].get("roundTrip", entry["out"]["defaulted"])
    ]
    assert not wrong


def _counts_empty_as_said(obj: dict[str, Any]) -> bool:
    """Upstream's two cases in which an empty value is not written back but had a meaning."""
    if obj["kind"] == "Node":
        return (obj.get("status") or {}).get("allocatable") == {}
    behavior = (obj.get("spec") or {}).get("behavior") if "Horizontal" in obj["kind"] else None
    rules = [(behavior or {}).get(name) or {} for name in ("scaleUp", "scaleDown")]
    return any(each.get("policies") == [] for each in rules)


@settings(max_examples=400, deadline=None)
@given(arbitrary_objects.objects())
def test_defaulting_is_idempotent_and_leaves_its_input_alone(obj: dict[str, Any]) -> None:
    assume(not _counts_empty_as_said(obj))
    before = copy.deepcopy(obj)
    completed = defaulting.default(obj)
    assert obj == before
    assert defaulting.default(completed) == completed


@settings(max_examples=400, deadline=None)
@given(arbitrary_objects.objects())
def test_a_stored_object_is_stored_unchanged(obj: dict[str, Any]) -> None:
    assume(not _counts_empty_as_said(obj))
    kept = defaulting.stored(obj)
    assert defaulting.stored(kept) == kept


@settings(max_examples=200, deadline=None)
@given(arbitrary_objects.objects(), st.sampled_from([{"a": [None]}, "", 0, None]))
def test_unknown_fields_survive_at_every_level(obj: dict[str, Any], value: Any) -> None:
    before = copy.deepcopy(obj)
    count = _plant(obj, value)
    kept = defaulting.default(obj)
    assert _uproot(kept, value) >= count
    assert kept == defaulting.default(before)


def _plant(value: Any, what: Any) -> int:
    """Put an unknown field into the top of the object and into its metadata, spec and status."""
    holders = [value, *(value[key] for key in ("metadata", "spec", "status") if value.get(key))]
    structs = [holder for holder in holders if isinstance(holder, dict)]
    for holder in structs:
        holder["kubestageUnknown"] = what
    return len(structs)


def _uproot(value: Any, what: Any) -> int:
    holders = [value, *(value.get(key) for key in ("metadata", "spec", "status"))]
    found = [each for each in holders if isinstance(each, dict) and "kubestageUnknown" in each]
    assert all(each.pop("kubestageUnknown") == what for each in found)
    return len(found)


def test_results_do_not_share_parts_with_each_other_or_with_constants() -> None:
    given_pod = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "c"}]}}
    first, second = defaulting.default(given_pod), defaulting.default(given_pod)
    first["spec"]["securityContext"]["runAsUser"] = 1
    first["spec"]["containers"][0]["resources"]["limits"] = {}
    assert second == defaulting.default(given_pod)


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [("example.com/v1", "Widget"), ("autoscaling.k8s.io/v1", "VerticalPodAutoscalerCheckpoint")],
)
def test_custom_resources_are_kept_as_they_are(api_version: str, kind: str) -> None:
    custom = {"apiVersion": api_version, "kind": kind, "spec": {"minAllowed": {"cpu": "1000m"}}}
    kept = defaulting.stored(custom)
    assert kept == custom
    kept["spec"]["minAllowed"]["cpu"] = "2"
    assert custom["spec"]["minAllowed"]["cpu"] == "1000m"  # type: ignore[index] # JSON


def test_a_value_that_does_not_fit_is_an_input_error() -> None:
    with pytest.raises(InputError, match=r"spec\.replicas: expected a whole number"):
        defaulting.default(
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "spec": {"replicas": "3"}}
        )
