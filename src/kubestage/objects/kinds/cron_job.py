"""What the API does to a CronJob."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.objects import cron_schedule, job_specs, markers, time_zones
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.pod_templates import PodTemplatePath, is_new_generation, warn_name
from kubestage.objects.tables import cells
from kubestage.objects.validation import field, internal_json, names, pod_options, rollouts

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions

_SPEC: Final = "batch/v1.CronJobSpec"
_JOB_SPEC: Final = ("spec", "jobTemplate", "spec")
_TEMPLATE: Final = PodTemplatePath(*_JOB_SPEC, "template")
# A job's name is the cron job's with eleven more characters.
_NAME_LIMIT: Final = 52
_is_zone_part: Final = re.compile(r"[A-Za-z.\-_0-9+]{1,14}").fullmatch


def _default(obj: Json) -> None:
    """The jobs are completed when they are created."""
    spec = obj["spec"]
    spec.setdefault("concurrencyPolicy", "Allow")
    spec.setdefault("suspend", False)
    spec.setdefault("successfulJobsHistoryLimit", 3)
    spec.setdefault("failedJobsHistoryLimit", 1)
    job_specs.default(spec["jobTemplate"]["spec"])


def _validate(obj: Json) -> list[FieldError]:
    errors = _validate_spec(obj.get("spec") or {}, None, pod_options.NEW_TEMPLATE)
    name = obj["metadata"].get("name") or ""
    if names.size(name) > _NAME_LIMIT:
        errors.append(field.invalid("metadata.name", name, names.max_len_error(_NAME_LIMIT)))
    return errors


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    options = _TEMPLATE.update_options(old)
    return _validate_spec(new.get("spec") or {}, old.get("spec") or {}, options)


def _validate_spec(spec: Json, old: Json | None, options: PodValidationOptions) -> list[FieldError]:
    errors = _validate_schedule(spec, old)
    errors += markers.check(_SPEC, spec, "spec", "startingDeadlineSeconds")
    zone = spec.get("timeZone")
    if old is None or old.get("timeZone") != zone:
        errors += _validate_time_zone(zone)
    errors += markers.check(_SPEC, spec, "spec", "concurrencyPolicy")
    errors += _validate_job_template(spec.get("jobTemplate") or {}, options)
    limits = ("successfulJobsHistoryLimit", "failedJobsHistoryLimit")
    return errors + markers.check(_SPEC, spec, "spec", *limits)


def _validate_schedule(spec: Json, old: Json | None) -> list[FieldError]:
    path = "spec.schedule"
    schedule = spec.get("schedule") or ""
    if not schedule:
        return [field.required(path)]
    errors = []
    try:
        cron_schedule.parse(schedule)
    except cron_schedule.ScheduleError as error:
        errors.append(field.invalid(path, schedule, str(error)))
    if "TZ" not in schedule:
        return errors
    if "TZ" not in ((old or {}).get("schedule") or ""):
        detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
        errors.append(field.invalid(path, schedule, detail))
    elif spec.get("timeZone") is not None:
        detail = "cannot use both timeZone field and TZ or CRON_TZ in schedule"
        errors.append(field.invalid(path, schedule, detail))
    return errors


def _validate_time_zone(zone: str | None) -> list[FieldError]:
    path = "spec.timeZone"
    if zone is None:
        return []
    shown = internal_json.text(zone)
    if not zone:
        return [field.invalid(path, shown, "timeZone must be nil or non-empty string")]
    for part in zone.split("/"):
        if part in (".", "..") or part.startswith("-") or not _is_zone_part(part):
            return [field.invalid(path, shown, f"unknown time zone {zone}")]
    errors = []
    if zone.lower() == "local":
        detail = (
            "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        )
        errors.append(field.invalid(path, shown, detail))
    try:
        time_zones.check(zone)
    except time_zones.UnknownTimeZone as error:
        errors.append(field.invalid(path, shown, str(error)))
    return errors


def _validate_job_template(template: Json, options: PodValidationOptions) -> list[FieldError]:
    path = "spec.jobTemplate.spec"
    spec = template.get("spec") or {}
    errors = job_specs.validate(spec, path, options)
    if spec.get("selector") is not None:
        shown = rollouts.shown_selector(spec["selector"])
        detail = "`selector` will be auto-generated"
        errors.append(field.invalid(f"{path}.selector", shown, detail))
    if spec.get("manualSelector"):
        choices = ("nil", "false")
        errors.append(field.not_supported(f"{path}.manualSelector", True, choices))
    return errors


def _warn(obj: Json) -> list[str]:
    template = (obj.get("spec") or {}).get("jobTemplate") or {}
    return job_specs.warn(template.get("spec") or {}, ".".join(_JOB_SPEC)) + _TEMPLATE.warn(obj)


def _warn_create(obj: Json) -> list[str]:
    return warn_name(obj) + _warn(obj)


def _warn_update(new: Json, old: Json) -> list[str]:
    found = _warn(new) if is_new_generation(new, old) else []
    if "TZ" in ((new.get("spec") or {}).get("schedule") or ""):
        found.append(
            "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
            "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
        )
    return found


def _cells(obj: Json, now_ns: int) -> list[Cell]:
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


KIND: Final = Kind(
    group="batch",
    version="v1",
    kind="CronJob",
    plural="cronjobs",
    short_names=("cj",),
    categories=("all",),
    subresources=frozenset({"status"}),
    old_versions=("batch/v1beta1",),
    declared=Behavior(
        default=_default,
        round_trip=_TEMPLATE.round_trip,
        prepare_create=_TEMPLATE.prepare_create,
        prepare_update={"": _TEMPLATE.prepare_update},
        generation_fields=("spec",),
        empty_lists=((*_JOB_SPEC, *job_specs.FAILURE_RULES), *_TEMPLATE.empty_lists),
        validate=_validate,
        validate_update={"": _validate_update},
        warn_create=_warn_create,
        warn_update={"": _warn_update},
        cells=_cells,
    ),
)
