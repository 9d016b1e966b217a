"""Replay logs of kubereplay, which AWS's Karpenter provider has: Deployments and Jobs, timed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.sources.formats import texts
from kubestage.sources.imported import Origin, Reference

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sources.entries import Entry
    from kubestage.sources.intake import Intake

NAME: Final = "kubereplay log"
_BEGINNING: Final = re.compile(rb'\s*\{\s*"(cluster|captured)"\s*:')
_TYPES: Final = {"Deployment": ("apps/v1", "deployment"), "Job": ("batch/v1", "job")}
LACKS: Final = (
    "a kubereplay log has Deployments and Jobs alone: no nodes, no budgets (the tool itself adds "
    "one of 50% for each Deployment), and nothing of kube-system"
)
_UNKNOWN: Final = "event that is not known"


def is_one(entry: Entry) -> bool:
    """Whether a file is such a log."""
    head = entry.head()[:8192]
    return _BEGINNING.match(head) is not None and b'"events"' in head


def read(entry: Entry, intake: Intake) -> Origin:
    """Take the events of a log."""
    log = texts.json_value(entry.read(), entry.name, "the log")
    events = log.get("events") if isinstance(log, dict) else None
    if events is not None and not isinstance(events, list):
        raise InputError("is no list", file=entry.name, path="events", fix="capture it again")
    for number, event in enumerate(events or ()):
        path = f"events[{number}]"
        at_ns = texts.time_ns(
            texts.part({"": event}, "").get("timestamp"), entry.name, f"{path}.timestamp"
        )
        _take(event, at_ns, intake, entry.name, path)
    intake.note(LACKS)
    return Origin(
        source=entry.path,
        format=NAME,
        captured_ns=texts.time_or_none(log.get("captured")),
        cluster=texts.text(log, "cluster"),
    )


def _take(event: Json, at_ns: int, intake: Intake, name: str, path: str) -> None:
    kind, what = texts.text(event, "kind"), texts.text(event, "type")
    if kind not in _TYPES:
        intake.leave_out(kind or "?", _UNKNOWN)
        return
    api_version, field = _TYPES[kind]
    namespace, _, key = texts.text(event, "key").partition("/")
    reference = Reference(api_version, kind, namespace or "default", key)
    if what == "create":
        obj = event.get(field)
        if not isinstance(obj, dict):
            problem = f"the {kind} is missing"
            raise InputError(problem, file=name, path=f"{path}.{field}", fix="capture it again")
        intake.change(at_ns, "create", reference, _named(obj, reference))
    elif what == "scale" and isinstance(event.get("replicas"), int):
        patch: Any = {"spec": {"replicas": event["replicas"]}}
        intake.change(at_ns, "patch", reference, patch)
    elif what == "delete":
        intake.change(at_ns, "delete", reference)
    else:
        intake.leave_out(kind, _UNKNOWN)


def _named(obj: Json, reference: Reference) -> Json:
    """An object with its type, which Go leaves out of a typed field, and the names of its key."""
    metadata = {**texts.part(obj, "metadata"), "namespace": reference.namespace}
    if reference.name:
        metadata["name"] = reference.name
    return {**obj, "apiVersion": reference.api_version, "kind": reference.kind,
            "metadata": metadata}  # fmt: skip
