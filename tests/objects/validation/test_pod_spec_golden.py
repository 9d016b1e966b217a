"""Specs of pods and of pod templates against recorded verdicts of Kubernetes v1.36.4."""

from __future__ import annotations

from typing import Any

from kubestage.objects import defaulting
from kubestage.objects.validation import capabilities, pod_preparation, pod_spec
from tests.golden import vectors

# What pods are asked beyond their spec: judged with the whole pod.
_POD_ONLY = (
    "must not have leading or trailing whitespace",
    "must not be specified when serviceAccountName is not set",
    "cannot be set on create",
    "cannot be set until all schedulingGates have been cleared",
)
_TEMPLATES = {
    "Deployment": "spec.template",
    "ReplicaSet": "spec.template",
    "StatefulSet": "spec.template",
    "DaemonSet": "spec.template",
    "Job": "spec.template",
    "CronJob": "spec.jobTemplate.spec.template",
}
# Fields of the template's spec on which the kinds have rules of their own.
_KIND_FIELDS = ("restartPolicy", "activeDeadlineSeconds", "volumes[0].name")


def _entries(kinds: set[str]) -> list[dict[str, Any]]:
    return [
        entry
        for entry in vectors.load("validation", "create")
        if entry["in"]["kind"] in kinds
        and entry["in"].get("object")
        and entry.get("stage", "validate") == "validate"
    ]


def _causes(entry: dict[str, Any]) -> list[dict[str, str]]:
    causes: list[dict[str, str]] = entry.get("status", {}).get("details", {}).get("causes") or []
    return causes


def test_specs_of_new_pods_get_the_recorded_causes_in_the_recorded_order() -> None:
    entries = _entries({"Pod"})
    wrong = {}
    for entry in entries:
        pod = pod_preparation.prepare_new_pod(defaulting.stored(entry["in"]["object"]))
        with capabilities.privileged_pods(allowed=False):
            errors = pod_spec.validate_pod_spec(pod["spec"], pod["metadata"])
        expected = [
            cause
            for cause in _causes(entry)
            if cause["field"].split(".")[0] == "spec" and not cause["message"].endswith(_POD_ONLY)
        ]
        if [error.cause for error in errors] != expected:
            wrong[entry["id"]] = [str(error) for error in errors]
    assert entries
    assert wrong == {}


def test_templates_get_the_recorded_causes() -> None:
    entries = _entries(set(_TEMPLATES))
    wrong = {}
    for entry in entries:
        causes = _causes(entry)
        # An unusable selector spares the template.
        if any(cause["field"].startswith("spec.selector") for cause in causes):
            continue
        path = _TEMPLATES[entry["in"]["kind"]]
        template = _at(defaulting.stored(entry["in"]["object"]), path)
        template = {**template, "spec": pod_preparation.drop_disabled_fields(template["spec"])}
        with capabilities.privileged_pods(allowed=False):
            errors = pod_spec.validate_pod_template_spec(template, path)
        kind_fields = tuple(f"{path}.spec.{name}" for name in _KIND_FIELDS)
        expected = [
            cause
            for cause in causes
            if cause["field"].startswith(f"{path}.spec") and cause["field"] not in kind_fields
        ]
        got = [
            error.cause
            for error in errors
            if error.field.startswith(f"{path}.spec") and error.field not in kind_fields
        ]
        if got != expected:
            wrong[entry["id"]] = [str(error) for error in errors]
    assert entries
    assert wrong == {}


def _at(obj: dict[str, Any], path: str) -> dict[str, Any]:
    for key in path.split("."):
        obj = obj[key]
    return obj
