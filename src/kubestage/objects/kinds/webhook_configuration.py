"""What the API does to a ValidatingWebhookConfiguration and a MutatingWebhookConfiguration."""

from __future__ import annotations

import urllib.parse
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.objects import markers
from kubestage.objects.defaulting import match_rules as match_defaults
from kubestage.objects.kinds.behavior import CREATE, Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import (
    field,
    internal_json,
    label_selectors,
    match_rules,
    names,
)
from kubestage.objects.warnings import cluster as cluster_warnings

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds.behavior import Complete
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_WEBHOOK: Final = "admissionregistration/v1.MutatingWebhook"  # A validating one is a part of it.
_HTTPS: Final = 443
_TIMEOUT_SECONDS: Final = 10
_VERSIONS: Final = ("v1", "v1beta1")
_NO_SIDE_EFFECTS: Final = ("None", "NoneOnDryRun")
_SIDE_EFFECTS: Final = ("None", "NoneOnDryRun", "Some", "Unknown")
_FORM: Final = "; desired format: https://host[/path]"


class _Leniency(NamedTuple):
    """Rules that the stored configuration breaks already, so that a changed one may, too."""

    side_effects: bool = False
    versions: bool = False
    names: bool = False
    label_values: bool = False


def _default_validating(obj: Json) -> None:
    for hook in obj.get("webhooks", ()):
        hook.setdefault("failurePolicy", "Fail")
        match_defaults.complete_selectors(hook)
        hook.setdefault("timeoutSeconds", _TIMEOUT_SECONDS)
        service = hook["clientConfig"].get("service")
        if service is not None:
            service.setdefault("port", _HTTPS)
        match_defaults.complete_scopes(hook.get("rules", ()))


def _default_mutating(obj: Json) -> None:
    _default_validating(obj)
    for hook in obj.get("webhooks", ()):
        hook.setdefault("reinvocationPolicy", "Never")


def _validate(obj: Json) -> list[FieldError]:
    return _validate_webhooks(obj, _Leniency())


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    hooks = old.get("webhooks") or []
    hook_names = [hook.get("name") or "" for hook in hooks]
    return _validate_webhooks(
        new,
        _Leniency(
            any(hook.get("sideEffects") not in _NO_SIDE_EFFECTS for hook in hooks),
            any(not set(_VERSIONS) & set(_versions(hook)) for hook in hooks),
            len(set(hook_names)) < len(hook_names),
            any(_validate_selectors(hook, "", lenient=False) for hook in hooks),
        ),
    )


def _versions(hook: Json) -> list[str]:
    return hook.get("admissionReviewVersions") or []


def _validate_webhooks(obj: Json, leniency: _Leniency) -> list[FieldError]:
    errors = match_rules.validate_metadata(obj)
    seen: set[str] = set()
    for index, hook in enumerate(obj.get("webhooks") or ()):
        path, name = f"webhooks[{index}]", hook.get("name") or ""
        errors += _validate_hook(hook, path, leniency)
        errors += _validate_versions(_versions(hook), f"{path}.admissionReviewVersions", leniency)
        if name in seen and not leniency.names:
            errors.append(field.duplicate(f"{path}.name", name))
        if name:
            seen.add(name)
    return errors


def _validate_hook(hook: Json, path: str, leniency: _Leniency) -> list[FieldError]:
    errors = _validate_name(hook.get("name") or "", f"{path}.name")
    for index, rule in enumerate(hook.get("rules") or ()):
        errors += match_rules.validate_rule(rule, f"{path}.rules[{index}]")
    errors += markers.check(_WEBHOOK, hook, path, "failurePolicy", "matchPolicy")
    allowed = _SIDE_EFFECTS if leniency.side_effects else _NO_SIDE_EFFECTS
    effects = hook.get("sideEffects")
    if effects is None:
        detail = f"must specify one of {', '.join(allowed)}"
        errors.append(field.required(f"{path}.sideEffects", detail))
    elif effects not in allowed:
        errors.append(field.not_supported(f"{path}.sideEffects", effects, allowed))
    errors += markers.check(_WEBHOOK, hook, path, "timeoutSeconds")
    errors += _validate_selectors(hook, path, lenient=leniency.label_values)
    errors += markers.check(_WEBHOOK, hook, path, "reinvocationPolicy")
    errors += _validate_client(hook.get("clientConfig") or {}, f"{path}.clientConfig")
    return errors + match_rules.validate_conditions(hook, path)


def _validate_name(name: str, path: str) -> list[FieldError]:
    if not name:
        return [field.required(path)]
    problems = names.is_dns1123_subdomain(name)
    if problems:
        return [field.invalid(path, name, ",".join(problems))]
    if name.count(".") >= 2:
        return []
    detail = "should be a domain with at least three segments separated by dots"
    return [field.invalid(path, name, detail)]


def _validate_selectors(hook: Json, path: str, *, lenient: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    for key in ("namespaceSelector", "objectSelector"):
        errors += label_selectors.validate_label_selector(
            hook.get(key), f"{path}.{key}", allow_invalid_values=lenient
        )
    return errors


def _validate_versions(versions: list[str], path: str, leniency: _Leniency) -> list[FieldError]:
    if not versions:
        return [field.required(path, f"must specify one of {', '.join(_VERSIONS)}")]
    errors: list[FieldError] = []
    for index, version in enumerate(versions):
        if version in versions[:index]:
            errors.append(field.invalid(f"{path}[{index}]", version, "duplicate version"))
        else:
            problems = names.is_dns1035_label(version)
            errors += field.invalids(f"{path}[{index}]", version, problems)
    if not leniency.versions and not set(versions) & set(_VERSIONS):
        detail = f"must include at least one of {', '.join(_VERSIONS)}"
        errors.append(field.invalid(path, internal_json.text(versions), detail))
    return errors


def _validate_client(config: Json, path: str) -> list[FieldError]:
    url, service = config.get("url"), config.get("service")
    if (url is None) == (service is None):
        return [field.required(path, "exactly one of url or service is required")]
    if url is not None:
        return _validate_url(url, f"{path}.url")
    return _validate_service(service or {}, f"{path}.service")


def _validate_url(url: str, path: str) -> list[FieldError]:
    parts = urllib.parse.urlsplit(url)
    user, _, host = parts.netloc.rpartition("@")
    errors: list[FieldError] = []
    if parts.scheme != "https":
        detail = f"'https' is the only allowed URL scheme{_FORM}"
        errors.append(field.invalid(path, parts.scheme, detail))
    if not host:
        errors.append(field.invalid(path, "", f"host must be specified{_FORM}"))
    for value, what in (
        (user, "user information is"),
        (parts.fragment, "fragments are"),
        (parts.query, "query parameters are"),
    ):
        if value:
            errors.append(field.invalid(path, value, f"{what} not permitted in the URL"))
    return errors


def _validate_service(service: Json, path: str) -> list[FieldError]:
    # Upstream mixes the two up when it says which is missing.
    errors = [
        field.required(f"{path}.{reported}")
        for reported, key in (("name", "namespace"), ("namespace", "name"))
        if not service.get(key)
    ]
    port = service.get("port") or 0
    problems = names.is_valid_port_num(port)
    if problems:
        detail = f"port is not valid: {', '.join(problems)}"
        errors.append(field.invalid(f"{path}.port", port, detail))
    return errors + _validate_path(service.get("path") or "", f"{path}.path")


def _validate_path(target: str, path: str) -> list[FieldError]:
    if target in ("", "/"):
        return []
    problems: list[str] = []
    if not target.startswith("/"):
        problems.append("must start with a '/'")
    for index, step in enumerate(target[1:].removesuffix("/").split("/")):
        if not step:
            problems.append(f"segment[{index}] may not be empty")
        problems += [
            f"segment[{index}]: {problem}"
            for problem in (names.is_dns1123_subdomain(step) if step else ())
        ]
    return field.invalids(path, target, problems)


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    return [cells.name(obj), len(cells.items(obj, "webhooks")), cells.age(obj, now_ns)]


def _kind(kind: str, default: Complete) -> Kind:
    return Kind(
        group="admissionregistration.k8s.io",
        version="v1",
        kind=kind,
        plural=f"{kind.lower()}s",
        namespaced=False,
        categories=("api-extensions",),
        old_versions=("admissionregistration.k8s.io/v1beta1",),
        declared=Behavior(
            default=default,
            generation_fields=("webhooks",),
            validate=_validate,
            validate_update={"": _validate_update},
            validates_metadata=(CREATE, ""),
            warn=cluster_warnings.static_name,
            cells=_cells,
            unconditional_update=False,
        ),
    )


KINDS: Final = (
    _kind("MutatingWebhookConfiguration", _default_mutating),
    _kind("ValidatingWebhookConfiguration", _default_validating),
)
