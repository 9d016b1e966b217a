"""The spec of jobs, and of the jobs that a CronJob starts: defaults, rules and warnings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.defaulting import pod as pod_defaults
from kubestage.objects.validation import (
    field,
    internal_json,
    job_policies,
    names,
    patterns,
    pod_spec,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions

SPEC: Final = "batch/v1.JobSpec"
"""The type of a job's spec."""
FAILURE_RULES: Final = ("podFailurePolicy", "rules")
"""The path of a list in it that is stored as null if it is empty."""
_COUNTS: Final = (
    "parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
    "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes",
)  # fmt: skip
_INDEXED: Final = "requires indexed completion mode"
_MOST: Final = 100_000
_MOST_WHEN_HIGH: Final = 10_000
_HTTP_PATH: Final = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
_is_http_path: Final = re.compile(_HTTP_PATH).fullmatch
_COMPLETIONS_SOFT_LIMIT: Final = 100_000
_PARALLELISM_SOFT_LIMIT: Final = 10_000


def default(spec: Json) -> None:
    """Complete a job's spec."""
    for rule in spec.get("podFailurePolicy", {}).get("rules") or ():
        for condition in rule.get("onPodConditions", ()):
            if not condition["status"]:
                condition["status"] = "True"
    pod_defaults.template(spec["template"])


def validate(spec: Json, path: str, options: PodValidationOptions) -> list[FieldError]:
    """A job's spec, without its selector; that of a cron job's template, too."""
    errors = markers.check(SPEC, spec, path, *_COUNTS)
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        detail = "when maxFailedIndexes is specified"
        errors.append(field.required(f"{path}.backoffLimitPerIndex", detail))
    if spec.get("managedBy") is not None:
        errors += _domain_prefixed(spec["managedBy"], f"{path}.managedBy")
        errors += markers.check(SPEC, spec, path, "managedBy")
    errors += _validate_completion_mode(spec, path)
    if spec.get("podFailurePolicy") is not None:
        errors += job_policies.validate_failure_policy(spec, f"{path}.podFailurePolicy")
    if spec.get("successPolicy") is not None:
        errors += job_policies.validate_success_policy(spec, f"{path}.successPolicy")
    errors += job_policies.validate_replacement_policy(spec, f"{path}.podReplacementPolicy")
    template = spec.get("template") or {}
    errors += pod_spec.validate_pod_template_spec(template, f"{path}.template", options)
    return errors + _validate_restart_policy(spec, f"{path}.template.spec.restartPolicy")


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


def _validate_completion_mode(spec: Json, path: str) -> list[FieldError]:
    errors = markers.check(SPEC, spec, path, "completionMode")
    mode = spec.get("completionMode")
    if mode == "Indexed":
        errors += _validate_indexed(spec, path)
    if mode in (None, "NonIndexed"):
        errors += [
            field.invalid(f"{path}.{key}", spec[key], _INDEXED)
            for key in ("backoffLimitPerIndex", "maxFailedIndexes")
            if spec.get(key) is not None
        ]
    return errors


def _validate_indexed(spec: Json, path: str) -> list[FieldError]:
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


def _validate_restart_policy(spec: Json, path: str) -> list[FieldError]:
    policy = ((spec.get("template") or {}).get("spec") or {}).get("restartPolicy") or ""
    if policy in ("", "Always"):
        return [field.required(path, 'valid values: "OnFailure", "Never"')]
    if policy not in ("OnFailure", "Never"):
        return [field.not_supported(path, internal_json.text(policy), ("OnFailure", "Never"))]
    if spec.get("podFailurePolicy") is not None and policy != "Never":
        detail = 'only "Never" is supported when podFailurePolicy is specified'
        return [field.invalid(path, internal_json.text(policy), detail)]
    return []


def warn(spec: Json, path: str) -> list[str]:
    """A warning about jobs that are too large to be tracked."""
    is_large = (
        spec.get("completionMode") == "Indexed"
        and (spec.get("completions") or 0) > _COMPLETIONS_SOFT_LIMIT
        and (spec.get("parallelism") or 0) > _PARALLELISM_SOFT_LIMIT
    )
    if not is_large:
        return []
    return [
        (
            f"{path}: In Indexed Jobs with a number of completions higher than 10^5 and a "
            "parallelism higher than 10^4, Kubernetes might not be able to track "
            "completedIndexes when a big number of indexes fail"
        )
    ]
