"""Rules for jobs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import equality
from kubestage.objects.validation import (
    field,
    internal_json,
    job_policies,
    label_selectors,
    metadata,
    names,
    patterns,
    pod_options,
    pod_spec,
    rollouts,
)

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions

_LEGACY_LABELS: Final = ("controller-uid", "job-name")
_LABELS: Final = ("batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name")
_COUNTS: Final = (
    "parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
    "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes",
)  # fmt: skip
_INDEXED: Final = "requires indexed completion mode"
_MOST: Final = 100_000
_MOST_WHEN_HIGH: Final = 10_000
_MANAGED_BY_LIMIT: Final = 63
_HTTP_PATH: Final = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
_is_http_path: Final = re.compile(_HTTP_PATH).fullmatch


def validate_job(
    obj: dict[str, Any],
    options: PodValidationOptions = pod_options.NEW_TEMPLATE,
    *,
    prefixed_labels: bool = True,
) -> list[FieldError]:
    """A new job, or a changed one as such."""
    meta, spec = obj["metadata"], obj.get("spec") or {}
    errors = metadata.validate_object_meta(meta, True, names.name_is_dns_subdomain)
    errors += _validate_generated_selector(obj, prefixed_labels=prefixed_labels)
    errors += _validate_spec_and_selector(spec, options)
    completions = spec.get("completions") or 0
    if spec.get("completionMode") == "Indexed" and completions > 0:
        name = meta.get("name") or ""
        hostname = f"{name}-{completions - 1}"
        if names.is_dns1123_label(hostname):
            detail = f"will not able to create pod with invalid DNS label: {hostname}"
            errors.append(field.invalid("metadata.name", name, detail))
    return errors


def validate_job_update(
    new: dict[str, Any], old: dict[str, Any], options: PodValidationOptions
) -> list[FieldError]:
    """A changed job."""
    before = old.get("spec") or {}
    held = (_template_meta(before)).get("labels") or {}
    errors = validate_job(new, options, prefixed_labels=all(key in held for key in _LABELS))
    errors += metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    spec = new.get("spec") or {}
    errors += _validate_spec_and_selector(spec, options)
    errors += _validate_completions(spec, before)
    errors += rollouts.same_selector(spec, before)
    errors += _validate_template_update(spec, old)
    for key, expression in _KEPT:
        if not equality.semantic_equal(expression, spec.get(key), before.get(key)):
            shown = internal_json.render(expression, spec.get(key))
            errors.append(field.invalid(f"spec.{key}", shown, metadata.IMMUTABLE))
    return errors


_KEPT: Final = (
    ("completionMode", "*string"),
    ("podFailurePolicy", "*batch/v1.PodFailurePolicy"),
    ("backoffLimitPerIndex", "*int32"),
    ("managedBy", "*string"),
    ("successPolicy", "*batch/v1.SuccessPolicy"),
)


def _template_meta(spec: dict[str, Any]) -> dict[str, Any]:
    return (spec.get("template") or {}).get("metadata") or {}


def _validate_generated_selector(obj: dict[str, Any], *, prefixed_labels: bool) -> list[FieldError]:
    """Labels and selector that the server made up, unless the author wants his own."""
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


def _validate_spec_and_selector(
    spec: dict[str, Any], options: PodValidationOptions
) -> list[FieldError]:
    errors = validate_job_spec(spec, "spec", options)
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


def validate_job_spec(
    spec: dict[str, Any], path: str, options: PodValidationOptions
) -> list[FieldError]:
    """A job's spec, without its selector; that of a cron job's template, too."""
    errors = rollouts.counts(spec, _COUNTS, path)
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        detail = "when maxFailedIndexes is specified"
        errors.append(field.required(f"{path}.backoffLimitPerIndex", detail))
    if spec.get("managedBy") is not None:
        errors += _validate_managed_by(spec["managedBy"], f"{path}.managedBy")
    errors += _validate_completion_mode(spec, path)
    if spec.get("podFailurePolicy") is not None:
        errors += job_policies.validate_failure_policy(spec, f"{path}.podFailurePolicy")
    if spec.get("successPolicy") is not None:
        errors += job_policies.validate_success_policy(spec, f"{path}.successPolicy")
    errors += job_policies.validate_replacement_policy(spec, f"{path}.podReplacementPolicy")
    template = spec.get("template") or {}
    errors += pod_spec.validate_pod_template_spec(template, f"{path}.template", options)
    return errors + _validate_restart_policy(spec, f"{path}.template.spec.restartPolicy")


def _validate_managed_by(manager: str, path: str) -> list[FieldError]:
    errors = _domain_prefixed(manager, path)
    if names.size(manager) > _MANAGED_BY_LIMIT:
        errors.append(field.too_long(path, _MANAGED_BY_LIMIT))
    return errors


def _domain_prefixed(text: str, path: str) -> list[FieldError]:
    if not text:
        return [field.required(path)]
    host, _, rest = text.partition("/")
    if not host or not rest:
        detail = 'must be a domain-prefixed path (such as "acme.io/foo")'
        return [field.invalid(path, text, detail)]
    errors = field.invalids(path, host, names.is_dns1123_subdomain(host))
    if not _is_http_path(rest):
        detail = patterns.regex_error("Invalid path", _HTTP_PATH)
        errors.append(field.invalid(path, rest, detail))
    return errors


def _validate_completion_mode(spec: dict[str, Any], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    mode = spec.get("completionMode")
    if mode not in (None, "NonIndexed", "Indexed"):
        choices = ("NonIndexed", "Indexed")
        shown = internal_json.text(mode)
        errors.append(field.not_supported(f"{path}.completionMode", shown, choices))
    if mode == "Indexed":
        errors += _validate_indexed(spec, path)
    if mode in (None, "NonIndexed"):
        errors += [
            field.invalid(f"{path}.{key}", spec[key], _INDEXED)
            for key in ("backoffLimitPerIndex", "maxFailedIndexes")
            if spec.get(key) is not None
        ]
    return errors


def _validate_indexed(spec: dict[str, Any], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    completions, parallelism = spec.get("completions"), spec.get("parallelism")
    failed = spec.get("maxFailedIndexes")
    if completions is None:
        errors.append(field.required(f"{path}.completions", "when completion mode is Indexed"))
    if (parallelism or 0) > _MOST:
        detail = f"must be less than or equal to {_MOST} when completion mode is Indexed"
        errors.append(field.invalid(f"{path}.parallelism", parallelism, detail))
    at = f"{path}.maxFailedIndexes"
    if completions is not None and failed is not None and failed > completions:
        errors.append(field.invalid(at, failed, "must be less than or equal to completions"))
    if (failed or 0) > _MOST:
        errors.append(field.invalid(at, failed, f"must be less than or equal to {_MOST}"))
    if (completions or 0) <= _MOST or spec.get("backoffLimitPerIndex") is None:
        return errors
    if failed is None:
        detail = f"must be specified when completions is above {_MOST}"
        errors.append(field.required(at, detail))
    detail = (
        f"must be less than or equal to {_MOST_WHEN_HIGH} when completions are above {_MOST} and "
        "used with backoff limit per index"
    )
    return errors + [
        field.invalid(f"{path}.{key}", spec[key], detail)
        for key in ("parallelism", "maxFailedIndexes")
        if (spec.get(key) or 0) > _MOST_WHEN_HIGH
    ]


def _validate_restart_policy(spec: dict[str, Any], path: str) -> list[FieldError]:
    policy = ((spec.get("template") or {}).get("spec") or {}).get("restartPolicy") or ""
    if policy in ("", "Always"):
        return [field.required(path, 'valid values: "OnFailure", "Never"')]
    if policy not in ("OnFailure", "Never"):
        return [field.not_supported(path, internal_json.text(policy), ("OnFailure", "Never"))]
    if spec.get("podFailurePolicy") is not None and policy != "Never":
        detail = 'only "Never" is supported when podFailurePolicy is specified'
        return [field.invalid(path, internal_json.text(policy), detail)]
    return []


def _validate_completions(spec: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
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


def _validate_template_update(spec: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
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
    kept = job_policies.with_mutable_parts(old_template.get("spec") or {}, new_spec)
    if equality.semantic_equal("core/v1.PodSpec", new_spec, kept):
        return []
    shown = internal_json.render("core/v1.PodSpec", new_spec)
    return [field.invalid("spec.template.spec", shown, metadata.IMMUTABLE)]
