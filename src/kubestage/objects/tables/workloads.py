"""Kinds that make pods, and the budgets that protect these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import labels
from kubestage.objects.tables import cells

if TYPE_CHECKING:
    from kubestage.objects.tables.cells import Cell, Object

_NOT_APPLICABLE: Final = "N/A"
# Conditions that decide the status of a job, before and after the test for deletion.
_JOB_ENDS: Final = ("Complete", "Failed")
_JOB_STATES: Final = ("Suspended", "FailureTarget", "SuccessCriteriaMet")


def _template(obj: Object) -> tuple[str, str]:
    return cells.containers(cells.part(obj, "spec", "template", "spec"))


def deployment(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a Deployment."""
    status = cells.part(obj, "status")
    try:
        selector = str(labels.from_label_selector(cells.part(obj, "spec").get("selector")))
    except labels.SelectorError:
        selector = "<invalid>"
    return [
        cells.name(obj),
        f"{cells.number(status, 'readyReplicas')}/{cells.number(obj, 'spec', 'replicas')}",
        cells.number(status, "updatedReplicas"),
        cells.number(status, "availableReplicas"),
        cells.age(obj, now_ns),
        *_template(obj),
        selector,
    ]


def _replicas(obj: Object, now_ns: int) -> list[Cell]:
    return [
        cells.name(obj),
        cells.number(obj, "spec", "replicas"),
        cells.number(obj, "status", "replicas"),
        cells.number(obj, "status", "readyReplicas"),
        cells.age(obj, now_ns),
        *_template(obj),
    ]


def replica_set(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a ReplicaSet."""
    selector = cells.selector_text(cells.part(obj, "spec").get("selector"))
    return [*_replicas(obj, now_ns), selector]


def replication_controller(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a ReplicationController, whose selector is a plain set of labels."""
    selector = cells.label_text(cells.part(obj, "spec").get("selector"))
    return [*_replicas(obj, now_ns), selector]


def stateful_set(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a StatefulSet."""
    ready, desired = (
        cells.number(obj, "status", "readyReplicas"),
        cells.number(obj, "spec", "replicas"),
    )
    return [cells.name(obj), f"{ready}/{desired}", cells.age(obj, now_ns), *_template(obj)]


def daemon_set(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a DaemonSet."""
    status = cells.part(obj, "status")
    return [
        cells.name(obj),
        cells.number(status, "desiredNumberScheduled"),
        cells.number(status, "currentNumberScheduled"),
        cells.number(status, "numberReady"),
        cells.number(status, "updatedNumberScheduled"),
        cells.number(status, "numberAvailable"),
        cells.label_text(cells.part(obj, "spec", "template", "spec").get("nodeSelector")),
        cells.age(obj, now_ns),
        *_template(obj),
        cells.selector_text(cells.part(obj, "spec").get("selector")),
    ]


def job(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a Job."""
    return [
        cells.name(obj),
        _job_status(obj),
        _completions(obj),
        _job_duration(cells.part(obj, "status"), now_ns),
        cells.age(obj, now_ns),
        *_template(obj),
        cells.selector_text(cells.part(obj, "spec").get("selector")),
    ]


def _job_status(obj: Object) -> str:
    held: dict[str, bool] = {}
    for condition in cells.items(obj, "status", "conditions"):
        held.setdefault(condition.get("type"), condition.get("status") == "True")
    for condition_type in _JOB_ENDS:
        if held.get(condition_type):
            return condition_type
    if cells.is_deleted(obj):
        return "Terminating"
    for condition_type in _JOB_STATES:
        if held.get(condition_type):
            return condition_type
    return "Running"


def _completions(obj: Object) -> str:
    succeeded = cells.number(obj, "status", "succeeded")
    completions = cells.part(obj, "spec").get("completions")
    if completions is not None:
        return f"{succeeded}/{completions}"
    parallelism = cells.number(obj, "spec", "parallelism")
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def _job_duration(status: Object, now_ns: int) -> str:
    start, end = status.get("startTime"), status.get("completionTime")
    if start is None:
        return ""
    return cells.span((now_ns if end is None else cells.instant(end)) - cells.instant(start))


def cron_job(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a CronJob."""
    spec = cells.part(obj, "spec")
    job_spec = cells.part(spec, "jobTemplate", "spec")
    scheduled = cells.part(obj, "status").get("lastScheduleTime")
    suspend = spec.get("suspend")
    time_zone = spec.get("timeZone")
    return [
        cells.name(obj),
        cells.text(spec, "schedule"),
        cells.NONE if time_zone is None else time_zone,
        cells.UNSET if suspend is None else str(suspend),
        len(cells.items(obj, "status", "active")),
        cells.NONE if scheduled is None else cells.since(scheduled, now_ns),
        cells.age(obj, now_ns),
        *cells.containers(cells.part(job_spec, "template", "spec")),
        cells.selector_text(job_spec.get("selector")),
    ]


def pod_template(obj: Object, _now_ns: int) -> list[Cell]:
    """The cells of a PodTemplate."""
    template = cells.part(obj, "template")
    pod_labels = cells.label_text(cells.part(template, "metadata").get("labels"))
    return [cells.name(obj), *cells.containers(cells.part(template, "spec")), pod_labels]


def controller_revision(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a ControllerRevision."""
    return [
        cells.name(obj),
        _controller(obj),
        cells.number(obj, "revision"),
        cells.age(obj, now_ns),
    ]


def _controller(obj: Object) -> str:
    for owner in cells.items(obj, "metadata", "ownerReferences"):
        if owner.get("controller"):
            group = cells.text(owner, "apiVersion").rpartition("/")[0]
            kind = cells.text(owner, "kind").lower()
            kind = f"{kind}.{group.lower()}" if group else kind
            return f"{kind}/{cells.text(owner, 'name')}" if kind else cells.text(owner, "name")
    return cells.NONE


def pod_disruption_budget(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a PodDisruptionBudget."""
    spec = cells.part(obj, "spec")
    return [
        cells.name(obj),
        _amount(spec.get("minAvailable")),
        _amount(spec.get("maxUnavailable")),
        cells.number(obj, "status", "disruptionsAllowed"),
        cells.age(obj, now_ns),
    ]


def _amount(value: Any) -> str:
    return _NOT_APPLICABLE if value is None else str(value)
