"""Every field that does not fit is found, as the API server would find the first of them."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import field_check
from tests.golden import vectors


def _pod(container: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    containers = [{"name": "web", **(container or {})}]
    return {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": containers, **spec}}


@pytest.mark.parametrize(
    ("obj", "path", "problem", "fix"),
    [
        (_pod({"imagee": "x"}), "spec.containers[0].imagee", "unknown field", "mean image?"),
        (_pod(NodeSelector={}), "spec.NodeSelector", "unknown field", "mean nodeSelector?"),
        (_pod(replicas=1), "spec.replicas", "unknown field", None),
        (_pod({"image": 5}), "spec.containers[0].image", "a string, got a whole", 'quotes: "5"'),
        (_pod({"image": True}), "spec.containers[0].image", "a string, got true", "y, yes, on"),
        (_pod({"image": False}), "spec.containers[0].image", "a string, got false", "n, no, off"),
        (_pod({"ports": {}}), "spec.containers[0].ports", "a list, got an object", '"- "'),
        (_pod(affinity=[]), "spec.affinity", "an object, got a list", '"- " in front'),
        (_pod(nodeSelector="a"), "spec.nodeSelector", "an object, got a string", None),
        (_pod(hostNetwork="yes"), "spec.hostNetwork", "true or false, got a", "without quotes"),
        (_pod(priority="5"), "spec.priority", "a whole number, got a string", "quotes: 5"),
        (_pod(priority=1.5), "spec.priority", "a whole number, got a number", None),
        (_pod(priority=2**31), "spec.priority", "from -2147483648 to 2147483647, got", None),
        (_pod(containers=[5]), "spec.containers[0]", "an object, got a whole number", None),
    ],
)
def test_a_misfit_has_a_path_a_problem_and_a_cure(
    obj: dict[str, Any], path: str, problem: str, fix: str | None
) -> None:
    (misfit,) = field_check.misfits(obj)
    assert misfit.path == path
    assert problem in misfit.problem
    assert misfit.fix is None if fix is None else fix in (misfit.fix or "")


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("1GB", "did you mean 1G? (or 1Gi, which counts in powers of 1024)"),
        ("512 mb", "did you mean 512M?"),
        ("1.5gi", "did you mean 1.5Gi?"),
        ("lots", "quantities look like"),
        ("", "quantities look like"),
    ],
)
def test_a_bad_quantity_is_cured_by_the_likely_one(text: str, fix: str) -> None:
    (misfit,) = field_check.misfits(_pod({"resources": {"limits": {"memory": text}}}))
    assert misfit.path == "spec.containers[0].resources.limits[memory]"
    assert fix in (misfit.fix or "")


def test_a_field_in_the_wrong_place_is_sent_home() -> None:
    obj = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"containers": []}}
    (misfit,) = field_check.misfits(obj)
    assert misfit.fix == "did you mean spec.template.spec.containers?"


def test_times_and_secrets_are_checked() -> None:
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"creationTimestamp": "yesterday"},
        "data": {"key": "plain text!"},
    }
    assert [misfit.path for misfit in field_check.misfits(secret)] == [
        "metadata.creationTimestamp",
        "data[key]",
    ]


def test_null_is_no_misfit() -> None:
    assert field_check.misfits(_pod({"image": None, "ports": None}, affinity=None)) == []


def test_all_misfits_are_found_in_the_order_of_the_text() -> None:
    obj = _pod({"image": 1, "ports": [{"containerPort": "80"}, {"hostPrt": 1}]}, hostPID="no")
    assert [misfit.path for misfit in field_check.misfits(obj)] == [
        "spec.containers[0].image",
        "spec.containers[0].ports[0].containerPort",
        "spec.containers[0].ports[1].hostPrt",
        "spec.hostPID",
    ]


def test_custom_resources_of_ours_are_known_to_the_bottom() -> None:
    event = {"step": "1", "createOperation": {"object": [], "asRecordd": True}}
    scenario = {
        "apiVersion": "simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1",
        "kind": "Scenario",
        "spec": {"evnts": [], "events": [event]},
    }
    assert [(each.path, each.fix) for each in field_check.misfits(scenario)] == [
        ("spec.evnts", "did you mean events?"),
        ("spec.events[0].step", "remove the quotes: 1"),
        ("spec.events[0].createOperation.object", 'remove the "- " in front'),
        ("spec.events[0].createOperation.asRecordd", "did you mean asRecorded?"),
    ]


def _is_of_the_kind(entry: dict[str, Any]) -> bool:
    given = entry["in"]
    obj = given.get("object")
    if not isinstance(obj, dict):
        return False
    return bool(obj.get("kind") == given["kind"] and obj.get("apiVersion") == given["apiVersion"])


def test_the_verdict_is_the_api_servers() -> None:
    entries = [entry for entry in vectors.load("validation", "create") if _is_of_the_kind(entry)]
    wrong = []
    for entry in entries:
        found = field_check.misfits(entry["in"]["object"])
        if entry["in"].get("fieldValidation") in ("Warn", "Ignore"):
            found = [misfit for misfit in found if not misfit.problem.startswith("unknown")]
        if bool(found) != (entry.get("stage") == "decode"):
            wrong.append(entry["id"])
    assert entries
    assert not wrong
