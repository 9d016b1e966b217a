"""What the API does to a Job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import equality, job_specs, markers
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.pod_templates import IN_SPEC, find, is_new_generation, warn_name
from kubestage.objects.tables import cells
from kubestage.objects.validation import (
    field,
    internal_json,
    job_policies,
    job_status,
    label_selectors,
    metadata,
    names,
    pod_options,
    rollouts,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions

_NO_LIMIT: Final = (1 << 31) - 1
_LEGACY_LABELS: Final = ("controller-uid", "job-name")
_LABELS: Final = ("batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name")
# Conditions that decide the status of a job, before and after the test for deletion.
_ENDS: Final = ("Complete", "Failed")
_STATES: Final = ("Suspended", "FailureTarget", "SuccessCriteriaMet")


def _default(obj: Json) -> None:
    """One pod, once, if nothing else is stated."""
    spec = obj["spec"]
    if "parallelism" not in spec:
        spec.setdefault("completions", 1)
        spec["parallelism"] = 1
    spec.setdefault("backoffLimit", _NO_LIMIT if "backoffLimitPerIndex" in spec else 6)
    labels = spec["template"]["metadata"].get("labels")
    if labels:
        # One dict in both places, as upstream: a label added to the template is added to the job.
        obj["metadata"].setdefault("labels", labels)
    spec.setdefault("completionMode", "NonIndexed")
    spec.setdefault("suspend", False)
    replacement = "Failed" if "podFailurePolicy" in spec else "TerminatingOrFailed"
    spec.setdefault("podReplacementPolicy", replacement)
    spec.setdefault("manualSelector", False)
    job_specs.default(spec)


def _prepare_create(job: Json, now: str | None) -> None:
    """A job selects its pods by its own uid, unless the selector is manual."""
    IN_SPEC.prepare_create(job, now)
    spec = job.get("spec") or {}
    if spec.get("manualSelector") is True:
        return
    uid, name = job["metadata"].get("uid") or "", job["metadata"].get("name") or ""
    template = spec.get("template") or {}
    meta = template.get("metadata") or {}
    sent = meta.get("labels")
    labels = dict(sent or {})
    for legacy, prefixed, value in zip(_LEGACY_LABELS, _LABELS, (uid, name), strict=True):
        labels.setdefault(legacy, value)
        labels.setdefault(prefixed, value)
    selector = dict(spec.get("selector") or {})
    matched = dict(selector.get("matchLabels") or {})
    matched.setdefault(_LABELS[0], uid)
    selector["matchLabels"] = matched
    if sent and job["metadata"].get("labels") is sent:
        job["metadata"]["labels"] = labels
    job["spec"] = {
        **spec,
        "selector": selector,
        "template": {**template, "metadata": {**meta, "labels": labels}},
    }


def _read_back(job: Json) -> Json:
    """A job without labels of its own has those of its template."""
    meta = job["metadata"]
    labels = (find(job, ("spec", "template", "metadata")) or {}).get("labels")
    if meta.get("labels") or not labels:
        return job
    return {**job, "metadata": {**meta, "labels": dict(labels)}}


def _completed_when_read(job: Json) -> bool:
    """The template may have got its only labels when the job was stored."""
    template = (job.get("spec") or {}).get("template") or {}
    sent = (job.get("metadata") or {}, template.get("metadata") or {})
    return not any(meta.get("labels") for meta in sent)


def _validate(obj: Json) -> list[FieldError]:
    return _validate_job(obj, pod_options.NEW_TEMPLATE, prefixed_labels=True)


def _validate_job(
    obj: Json, options: PodValidationOptions, *, prefixed_labels: bool
) -> list[FieldError]:
    meta, spec = obj["metadata"], obj.get("spec") or {}
    errors = _validate_generated_selector(obj, prefixed_labels=prefixed_labels)
    errors += _validate_spec_and_selector(spec, options)
    completions = spec.get("completions") or 0
    if spec.get("completionMode") == "Indexed" and completions > 0:
        name = meta.get("name") or ""
        hostname = f"{name}-{completions - 1}"
        if names.is_dns1123_label(hostname):
            detail = f"will not able to create pod with invalid DNS label: {hostname}"
            errors.append(field.invalid("metadata.name", name, detail))
    return errors


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    options = IN_SPEC.update_options(old, old_selector=before.get("selector"))
    held = _template_meta(before).get("labels") or {}
    errors = metadata.validate_object_meta(new["metadata"], True, names.name_is_dns_subdomain)
    errors += _validate_job(new, options, prefixed_labels=held.keys() >= set(_LABELS))
    errors += metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    errors += _validate_spec_and_selector(spec, options)
    errors += _validate_completions(spec, before)
    errors += rollouts.same_selector(spec, before)
    errors += _validate_template_update(spec, old)
    return errors + markers.check_update(job_specs.SPEC, spec, before, "spec")


def _template_meta(spec: Json) -> Json:
    return (spec.get("template") or {}).get("metadata") or {}


def _validate_generated_selector(obj: Json, *, prefixed_labels: bool) -> list[FieldError]:
    """Labels and selector that the server generated, unless the selector is manual."""
    meta, spec = obj["metadata"], obj.get("spec") or {}
    selector = spec.get("selector")
    if spec.get("manualSelector") or selector is None:
        return []
    errors: list[FieldError] = []
    uid, name = meta.get("uid") or "", meta.get("name") or ""
    if not uid:
        errors.append(field.required("metadata.uid"))
    expected = dict(zip(_LEGACY_LABELS, (uid, name), strict=True))
    if prefixed_labels:
        expected |= dict(zip(_LABELS, (uid, name), strict=True))
    held = _template_meta(spec).get("labels") or {}
    for key, value in expected.items():
        path = f"spec.template.metadata.labels[{key}]"
        if key not in held:
            errors.append(field.required(path, f"must be '{value}'"))
        elif held[key] != value:
            shown = internal_json.render("map[string]string", held)
            errors.append(field.invalid(path, shown, f"must be '{value}'"))
    matching = rollouts.matching(selector)
    if matching is not None and not matching.matches(expected):
        shown = rollouts.shown_selector(selector)
        errors.append(field.invalid("spec.selector", shown, "`selector` not auto-generated"))
    return errors


def _validate_spec_and_selector(spec: Json, options: PodValidationOptions) -> list[FieldError]:
    errors = job_specs.validate(spec, "spec", options)
    selector, template = spec.get("selector"), spec.get("template") or {}
    if selector is None:
        errors.append(field.required("spec.selector"))
    else:
        allow = options.allow_invalid_label_value_in_selector
        errors += label_selectors.validate_label_selector(
            selector, "spec.selector", allow_invalid_values=allow
        )
    matching = rollouts.matching(selector)
    if matching is not None and not rollouts.selects(matching, template):
        errors.append(rollouts.no_match(template, "spec.template"))
    return errors


def _validate_completions(spec: Json, old: Json) -> list[FieldError]:
    """Completions change only for indexed jobs, and only together with parallelism."""
    now, before = spec.get("completions"), old.get("completions")
    if now == before:
        return []
    if spec.get("completionMode") != "Indexed":
        return [field.invalid("spec.completions", now, metadata.IMMUTABLE)]
    if now is None or now == spec.get("parallelism"):
        return []
    detail = "can only be modified in tandem with spec.parallelism"
    return [field.invalid("spec.completions", now, detail)]


def _validate_template_update(spec: Json, old: Json) -> list[FieldError]:
    """The template changes only while the job is suspended, and then only in part."""
    before, status = old.get("spec") or {}, old.get("status") or {}
    template, old_template = spec.get("template") or {}, before.get("template") or {}
    suspended = bool(before.get("suspend"))
    conditions = status.get("conditions") or ()
    rests = status.get("startTime") is None or any(
        condition.get("type") == "Suspended" and condition.get("status") == "True"
        for condition in conditions
    )
    mutable = suspended and rests and not status.get("active")
    if not mutable:
        if equality.semantic_equal("core/v1.PodTemplateSpec", template, old_template):
            return []
        shown = internal_json.render("core/v1.PodTemplateSpec", template)
        return [field.invalid("spec.template", shown, metadata.IMMUTABLE)]
    new_spec = template.get("spec") or {}
    mutated = job_policies.with_mutable_parts(old_template.get("spec") or {}, new_spec)
    if equality.semantic_equal("core/v1.PodSpec", new_spec, mutated):
        return []
    shown = internal_json.render("core/v1.PodSpec", new_spec)
    return [field.invalid("spec.template.spec", shown, metadata.IMMUTABLE)]


def _warn(obj: Json) -> list[str]:
    return job_specs.warn(obj.get("spec") or {}, "spec") + IN_SPEC.warn(obj)


def _warn_create(obj: Json) -> list[str]:
    return warn_name(obj) + _warn(obj)


def _warn_update(new: Json, old: Json) -> list[str]:
    return _warn(new) if is_new_generation(new, old) else []


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    return [
        cells.name(obj),
        _condition(obj),
        _completions(obj),
        _duration(cells.part(obj, "status"), now_ns),
        cells.age(obj, now_ns),
        *cells.template_containers(obj),
        cells.selector_text(cells.part(obj, "spec").get("selector")),
    ]


def _condition(obj: Json) -> str:
    held: dict[str, bool] = {}
    for condition in cells.items(obj, "status", "conditions"):
        held.setdefault(condition.get("type"), condition.get("status") == "True")
    for condition_type in _ENDS:
        if held.get(condition_type):
            return condition_type
    if cells.is_deleted(obj):
        return "Terminating"
    for condition_type in _STATES:
        if held.get(condition_type):
            return condition_type
    return "Running"


def _completions(obj: Json) -> str:
    succeeded = cells.number(obj, "status", "succeeded")
    completions = cells.part(obj, "spec").get("completions")
    if completions is not None:
        return f"{succeeded}/{completions}"
    parallelism = cells.number(obj, "spec", "parallelism")
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def _duration(status: Json, now_ns: int) -> str:
    start, end = status.get("startTime"), status.get("completionTime")
    if start is None:
        return ""
    return cells.span((now_ns if end is None else cells.instant(end)) - cells.instant(start))


KIND: Final = Kind(
    group="batch",
    version="v1",
    kind="Job",
    plural="jobs",
    categories=("all",),
    subresources=frozenset({"status"}),
    declared=Behavior(
        default=_default,
        round_trip=IN_SPEC.round_trip,
        prepare_create=_prepare_create,
        prepare_update={"": IN_SPEC.prepare_update},
        generation_fields=("spec",),
        empty_lists=(("spec", *job_specs.FAILURE_RULES), *IN_SPEC.empty_lists),
        read_back=_read_back,
        validate=_validate,
        validate_update={"": _validate_update, "status": job_status.validate_job_status_update},
        validates_metadata=("",),
        warn_create=_warn_create,
        warn_update={"": _warn_update},
        cells=_cells,
        orphans_dependents=True,
        completed_when_read=_completed_when_read,
    ),
)
