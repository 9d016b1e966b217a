"""Rules for the status of jobs: what it may hold, and how it may change.

Most rules check a field only if it changes, so that an old error does not stop other changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.validation import field, index_lists

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_CONDITIONS: Final = "status.conditions"
_COMPLETION: Final = "status.completionTime"
_ACTIVE: Final = "active>0 is invalid for finished job"


def validate_job_status_update(new: Json, old: Json) -> list[FieldError]:
    """Progress of a job."""
    spec, status, before = new.get("spec") or {}, new.get("status") or {}, old.get("status") or {}
    changed = _changed(status, before)
    errors = markers.check("batch/v1.JobStatus", status, "status")
    errors += _uncounted_pods(status.get("uncountedTerminatedPods") or {})
    errors += _conditions_and_times(status, changed)
    errors += _finished(spec, status, changed)
    errors += _indexes(spec, status, changed)
    errors += _pods(status, changed)
    errors += _success(spec, status)
    return errors + _transitions(spec, status, before, changed)


def _true(status: Json) -> set[str]:
    """The types of the conditions that hold."""
    conditions = status.get("conditions") or ()
    return {each.get("type") for each in conditions if each.get("status") == "True"}


def _is_finished(status: Json) -> bool:
    return not _true(status).isdisjoint(("Complete", "Failed"))


def _changed(status: Json, before: Json) -> set[str]:
    """What differs from before: fields, conditions, and whether the job is finished."""
    names = {key for key in status.keys() | before.keys() if status.get(key) != before.get(key)}
    names |= _true(status) ^ _true(before)
    return names | ({"finished"} if _is_finished(status) != _is_finished(before) else set())


def _uncounted_pods(pods: Json) -> list[FieldError]:
    errors, seen = [], set()
    for key in ("succeeded", "failed"):
        for index, uid in enumerate(pods.get(key) or ()):
            path = f"status.uncountedTerminatedPods.{key}[{index}]"
            if not uid:
                errors.append(field.invalid(path, uid, "must not be empty"))
            elif uid in seen:
                errors.append(field.duplicate(path, uid))
            seen.add(uid)
    return errors


def _condition(detail: str) -> FieldError:
    return field.invalid(_CONDITIONS, field.OMITTED, detail)


def _conditions_and_times(status: Json, changed: set[str]) -> list[FieldError]:
    errors, holds = [], _true(status)
    start, done, path = status.get("startTime"), status.get("completionTime"), _COMPLETION
    if {"Complete", "Failed"} <= holds and changed & {"Complete", "Failed"}:
        errors.append(_condition("cannot set Complete=True and Failed=true conditions"))
    if {"Complete", "FailureTarget"} <= holds and changed & {"Complete", "FailureTarget"}:
        errors.append(_condition("cannot set Complete=True and FailureTarget=true conditions"))
    if changed & {"Complete", "completionTime"}:
        if done is not None and "Complete" not in holds:
            detail = "cannot set completionTime when there is no Complete=True condition"
            errors.append(field.invalid(path, done, detail))
        if done is None and "Complete" in holds:
            errors.append(field.required(path, "completionTime is required for Complete jobs"))
    if changed & {"startTime", "completionTime"} and start and done and done < start:
        errors.append(field.invalid(path, done, "must be equal to or after `startTime`"))
    for end, first, moved in (
        ("Failed", "FailureTarget", {"Failed", "failedIndexes"}),
        ("Complete", "SuccessCriteriaMet", {"Complete", "SuccessCriteriaMet"}),
    ):
        if end in holds and first not in holds and changed & moved:
            detail = f"cannot set {end}=True condition without the {first}=true condition"
            errors.append(_condition(detail))
    return errors


def _finished(spec: Json, status: Json, changed: set[str]) -> list[FieldError]:
    """What a finished job no longer has."""
    if not _is_finished(status):
        return []
    errors, active = [], status.get("active") or 0
    if active > 0 and changed & {"finished", "active"}:
        errors.append(field.invalid("status.active", active, _ACTIVE))
    never_ran = spec.get("suspend") is True and spec.get("completions") == 0
    if status.get("startTime") is None and changed & {"finished", "startTime"} and not never_ran:
        errors.append(field.required("status.startTime", "startTime is required for finished job"))
    pods = status.get("uncountedTerminatedPods") or {}
    lists = {key: pods.get(key.lower()) for key in ("Succeeded", "Failed")}
    if any(lists.values()) and changed & {"finished", "uncountedTerminatedPods"}:
        detail = "must be empty for finished job"
        errors.append(field.invalid("status.uncountedTerminatedPods", lists, detail))
    return errors


def _indexes(spec: Json, status: Json, changed: set[str]) -> list[FieldError]:
    errors: list[FieldError] = []
    count, per_index = spec.get("completions"), spec.get("backoffLimitPerIndex")
    completed, failed = status.get("completedIndexes") or "", status.get("failedIndexes")
    at_completed, at_failed = "status.completedIndexes", "status.failedIndexes"
    if "completedIndexes" in changed and count is not None:
        errors += _listed(at_completed, completed, count)
    if "failedIndexes" in changed and None not in (count, per_index, failed):
        errors += _listed(at_failed, failed or "", count or 0)
    if "completedIndexes" in changed and completed and spec.get("completionMode") != "Indexed":
        detail = "cannot set non-empty completedIndexes when non-indexed completion mode"
        errors.append(field.invalid(at_completed, completed, detail))
    if "failedIndexes" in changed and failed is not None and per_index is None:
        detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        errors.append(field.invalid(at_failed, failed, detail))
    if changed & {"completedIndexes", "failedIndexes"} and count is not None and failed:
        shared = index_lists.overlap(completed, failed, count)
        if shared is not None:
            detail = f"failedIndexes and completedIndexes overlap at index: {shared}"
            errors.append(field.invalid(at_failed, failed, detail))
    return errors


def _listed(path: str, text: str, count: int) -> list[FieldError]:
    problem = index_lists.problem(text, count)
    if problem is None:
        return []
    name = path.removeprefix("status.")
    return [field.invalid(path, text, f"error parsing {name}: {problem}")]


def _pods(status: Json, changed: set[str]) -> list[FieldError]:
    errors, ready = [], status.get("ready")
    terminating = status.get("terminating") or 0
    if terminating > 0 and _is_finished(status) and changed & {"finished", "terminating"}:
        detail = "terminating>0 is invalid for finished job"
        errors.append(field.invalid("status.terminating", terminating, detail))
    is_more = ready is not None and ready > (status.get("active") or 0)
    if is_more and changed & {"ready", "active"}:
        detail = "cannot set more ready pods than active"
        errors.append(field.invalid("status.ready", ready, detail))
    return errors


def _success(spec: Json, status: Json) -> list[FieldError]:
    errors, holds = [], _true(status)
    for other in ("Failed", "FailureTarget"):
        if {"SuccessCriteriaMet", other} <= holds:
            detail = f"cannot set SuccessCriteriaMet=True and {other}=true conditions"
            errors.append(_condition(detail))
    is_early = "Complete" in holds and "SuccessCriteriaMet" not in holds
    if spec.get("successPolicy") is not None and is_early:
        detail = (
            "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"
        )
        errors.append(_condition(detail))
    return errors


def _transitions(spec: Json, status: Json, before: Json, changed: set[str]) -> list[FieldError]:
    """Conditions, counts and times that a job had are not taken back."""
    holds, held = _true(status), _true(before)
    errors = [
        _condition(f"cannot disable the terminal {ending}=True condition")
        for ending in ("Failed", "Complete", "FailureTarget")
        if ending in held - holds
    ]
    width = spec.get("completions")
    is_elastic = spec.get("completionMode") == "Indexed" and width == spec.get("parallelism")
    for key in ("failed",) if is_elastic else ("failed", "succeeded"):
        count = status.get(key) or 0
        if count < (before.get(key) or 0):
            detail = f"cannot decrease the {key} counter"
            errors.append(field.invalid(f"status.{key}", count, detail))
    done = status.get("completionTime")
    if done and before.get("completionTime") and "completionTime" in changed:
        errors.append(field.invalid(_COMPLETION, done, "field is immutable"))
    is_resuming = "Suspended" in held and _is_false(status, "Suspended")
    is_running = not spec.get("suspend") and not is_resuming
    if before.get("startTime") is not None and "startTime" in changed and is_running:
        detail = "field is immutable for unsuspended job once set"
        errors.append(field.invalid("status.startTime", status.get("startTime"), detail))
    if "SuccessCriteriaMet" in held - holds:
        errors.append(_condition("cannot disable the SuccessCriteriaMet=True condition"))
    if "Complete" in held and "SuccessCriteriaMet" in holds - held:
        detail = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"
        errors.append(_condition(detail))
    return errors


def _is_false(status: Json, kind: str) -> bool:
    conditions = status.get("conditions") or ()
    return any(each.get("type") == kind and each.get("status") == "False" for each in conditions)
