"""Rules for cron jobs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import cron_schedule, time_zones
from kubestage.objects.validation import (
    field,
    internal_json,
    jobs,
    metadata,
    names,
    pod_options,
    rollouts,
)

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions

_POLICIES: Final = ("Allow", "Forbid", "Replace")
# A job's name is the cron job's with eleven more characters.
_NAME_LIMIT: Final = 52
_is_zone_part: Final = re.compile(r"[A-Za-z.\-_0-9+]{1,14}").fullmatch


def validate_cron_job(
    obj: dict[str, Any], options: PodValidationOptions = pod_options.NEW_TEMPLATE
) -> list[FieldError]:
    """A new cron job."""
    meta = obj["metadata"]
    errors = metadata.validate_object_meta(meta, True, names.name_is_dns_subdomain)
    errors += _validate_spec(obj.get("spec") or {}, None, options)
    name = meta.get("name") or ""
    if names.size(name) > _NAME_LIMIT:
        errors.append(field.invalid("metadata.name", name, names.max_len_error(_NAME_LIMIT)))
    return errors


def validate_cron_job_update(
    new: dict[str, Any], old: dict[str, Any], options: PodValidationOptions
) -> list[FieldError]:
    """A changed cron job."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    return errors + _validate_spec(new.get("spec") or {}, old.get("spec") or {}, options)


def _validate_spec(
    spec: dict[str, Any], old: dict[str, Any] | None, options: PodValidationOptions
) -> list[FieldError]:
    errors = _validate_schedule(spec, old)
    errors += rollouts.counts(spec, ("startingDeadlineSeconds",), "spec")
    zone = spec.get("timeZone")
    if old is None or old.get("timeZone") != zone:
        errors += _validate_time_zone(zone)
    policy = spec.get("concurrencyPolicy") or ""
    if not policy:
        errors.append(field.required("spec.concurrencyPolicy"))
    elif policy not in _POLICIES:
        shown = internal_json.text(policy)
        errors.append(field.not_supported("spec.concurrencyPolicy", shown, _POLICIES))
    errors += _validate_job_template(spec.get("jobTemplate") or {}, options)
    limits = ("successfulJobsHistoryLimit", "failedJobsHistoryLimit")
    return errors + rollouts.counts(spec, limits, "spec")


def _validate_schedule(spec: dict[str, Any], old: dict[str, Any] | None) -> list[FieldError]:
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


def _validate_job_template(
    template: dict[str, Any], options: PodValidationOptions
) -> list[FieldError]:
    path = "spec.jobTemplate.spec"
    spec = template.get("spec") or {}
    errors = jobs.validate_job_spec(spec, path, options)
    if spec.get("selector") is not None:
        shown = rollouts.shown_selector(spec["selector"])
        detail = "`selector` will be auto-generated"
        errors.append(field.invalid(f"{path}.selector", shown, detail))
    if spec.get("manualSelector"):
        choices = ("nil", "false")
        errors.append(field.not_supported(f"{path}.manualSelector", True, choices))
    return errors
