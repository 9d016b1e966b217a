"""Verdicts, messages, causes, stored objects and warnings recorded from the real API server."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage import errors
from tests.golden import vectors
from tests.objects.validation import pipeline

# Kinds whose rules are complete: every recorded answer is reproduced in every detail.
COMPLETE = (
    "Pod",
    "Node",
    "Namespace",
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "DaemonSet",
    "Job",
    "CronJob",
    "HorizontalPodAutoscaler",
    "ConfigMap",
    "Event",
    "Lease",
    "LimitRange",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "PodDisruptionBudget",
    "PriorityClass",
    "ResourceQuota",
    "Service",
    "ServiceAccount",
    "StorageClass",
)
OPS = ("create", "update")


def entries(kind: str, op: str) -> list[dict[str, Any]]:
    return [entry for entry in vectors.load("validation", op) if entry["in"]["kind"] == kind]


def answer(entry: dict[str, Any]) -> dict[str, Any]:
    """What we answer, in the shape of the recording."""
    respond = pipeline.create if entry["op"] == "create" else pipeline.update
    try:
        obj, warnings = respond(entry["in"])
    except errors.ApiError as error:
        status = {key: value for key, value in error.status.items() if key not in _TYPE_META}
        return {"error": error.message, "status": status}
    return {"out": {"valid": True, "object": obj, "warnings": warnings}}


_TYPE_META = ("kind", "apiVersion")


def difference(entry: dict[str, Any]) -> str:
    """The first thing in which our answer differs, or nothing."""
    got = answer(entry)
    if ("error" in got) != ("error" in entry):
        return f"verdict: {got.get('error') or 'accepted'} != {entry.get('error') or 'accepted'}"
    if "error" in entry:
        wanted = {"error": entry["error"], "status": entry["status"]}
        return "" if got == wanted else f"{got['error']} != {entry['error']}"
    for part in ("object", "warnings"):
        if got["out"][part] != entry["out"][part]:
            return f"{part}: {got['out'][part]} != {entry['out'][part]}"
    return ""


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("kind", COMPLETE)
def test_every_answer_is_that_of_the_real_server(kind: str, op: str) -> None:
    recorded = entries(kind, op)
    found = {entry["id"]: difference(entry) for entry in recorded}
    wrong = [f"{key} {text[:300]}" for key, text in found.items() if text]
    assert not wrong, f"{len(wrong)} of {len(recorded)} differ:\n" + "\n".join(wrong[:20])


def test_every_body_that_cannot_be_decoded_is_refused_in_the_same_words() -> None:
    recorded = [e for e in vectors.load("validation", "create") if e.get("stage") == "decode"]
    wrong = [f"{entry['id']} {text}" for entry in recorded if (text := difference(entry))]
    assert recorded
    assert not wrong, "\n".join(wrong[:20])
