"""Conditions of which Ready sums up others."""

from __future__ import annotations

from kubestage.controllers.karpenter.conditions.condition_set import ConditionSet

PARTS = ("Launched", "Registered")
CREATED = "2026-01-01T00:00:00Z"
LATER_NS = 1767225660 * 10**9
LATER = "2026-01-01T00:01:00Z"


def conditions(obj: dict[str, object] | None = None) -> ConditionSet:
    made = {"metadata": {"generation": 1, "creationTimestamp": CREATED}, **(obj or {})}
    return ConditionSet(made, PARTS, LATER_NS)


def test_all_are_unknown_since_the_object_was_made() -> None:
    found = conditions()
    assert {each["type"]: (each["status"], each["lastTransitionTime"])
            for each in found.status["conditions"]} == {
        "Launched": ("Unknown", CREATED), "Registered": ("Unknown", CREATED),
        "Ready": ("Unknown", CREATED)}  # fmt: skip


def test_ready_is_true_once_all_are() -> None:
    found = conditions()
    found.set_true("Launched")
    assert found.get("Ready") == {
        "type": "Ready", "status": "Unknown", "reason": "ReconcilingDependents",
        "message": "Registered=Unknown", "observedGeneration": 1, "lastTransitionTime": CREATED,
    }  # fmt: skip
    found.set_true("Registered")
    assert found.is_true("Ready")
    assert found.since_ns("Ready") == LATER_NS
    assert [each["type"] for each in found.status["conditions"]][-1] == "Ready"


def test_ready_is_false_as_soon_as_one_is() -> None:
    found = conditions()
    found.set_false("Registered", "Broken", "no node")
    ready = found.get("Ready")
    assert ready is not None
    assert (ready["status"], ready["reason"]) == ("False", "UnhealthyDependents")
    assert "Registered=False" in ready["message"]


def test_the_time_changes_with_the_status_alone() -> None:
    known = {"type": "Launched", "status": "True", "reason": "Launched", "message": "",
             "lastTransitionTime": CREATED, "observedGeneration": 1}  # fmt: skip
    found = conditions({"status": {"conditions": [known]}})
    found.set_true("Launched", "Other", "words")
    launched = found.get("Launched")
    assert launched is not None
    assert (launched["reason"], launched["lastTransitionTime"]) == ("Other", CREATED)
    found.set_unknown("Launched")
    assert found.since_ns("Launched") == LATER_NS


def test_others_come_and_go() -> None:
    found = conditions()
    found.set_true("Drifted", "NodePoolDrifted")
    assert found.is_true("Drifted")
    assert found.value("Ready") == "Unknown"
    found.clear("Drifted")
    assert found.get("Drifted") is None
    assert found.value("Drifted") == "Unknown"


def test_a_condition_of_an_older_generation_does_not_count() -> None:
    known = [{"type": each, "status": "True", "reason": each, "message": "",
              "lastTransitionTime": CREATED, "observedGeneration": 1}
             for each in (*PARTS, "Ready")]  # fmt: skip
    changed = {"generation": 2, "creationTimestamp": CREATED}
    found = conditions({"metadata": changed, "status": {"conditions": known}})
    found.observe("Launched")
    assert found.value("Ready") == "Unknown"
    found.observe("Registered")
    assert found.is_true("Ready")
