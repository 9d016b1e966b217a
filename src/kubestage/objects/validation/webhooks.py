"""Rules for the configurations of admission webhooks."""

from __future__ import annotations

import urllib.parse
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects.validation import (
    field,
    internal_json,
    label_selectors,
    match_rules,
    metadata,
    names,
)

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_VERSIONS: Final = ("v1", "v1beta1")
_NO_SIDE_EFFECTS: Final = ("None", "NoneOnDryRun")
_SIDE_EFFECTS: Final = ("None", "NoneOnDryRun", "Some", "Unknown")
_FORM: Final = "; desired format: https://host[/path]"


class _Leniency(NamedTuple):
    """What an older configuration already got wrong, and may go on to."""

    side_effects: bool = False
    versions: bool = False
    names: bool = False
    label_values: bool = False


def validate_configuration(obj: dict[str, Any]) -> list[FieldError]:
    """A new configuration, of validating or of mutating webhooks."""
    return _validate(obj, _Leniency())


def validate_configuration_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed configuration."""
    hooks = old.get("webhooks") or []
    given = [hook.get("name") or "" for hook in hooks]
    return _validate(
        new,
        _Leniency(
            any(hook.get("sideEffects") not in _NO_SIDE_EFFECTS for hook in hooks),
            any(not set(_VERSIONS) & set(_versions(hook)) for hook in hooks),
            len(set(given)) < len(given),
            any(_validate_selectors(hook, "", lenient=False) for hook in hooks),
        ),
    )


def _versions(hook: dict[str, Any]) -> list[str]:
    return hook.get("admissionReviewVersions") or []


def _validate(obj: dict[str, Any], leniency: _Leniency) -> list[FieldError]:
    errors = metadata.validate_object_meta(
        obj["metadata"], False, names.name_is_dns_subdomain, kube_finalizers=False
    )
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


def _validate_hook(hook: dict[str, Any], path: str, leniency: _Leniency) -> list[FieldError]:
    errors = _validate_name(hook.get("name") or "", f"{path}.name")
    for index, rule in enumerate(hook.get("rules") or ()):
        errors += match_rules.validate_rule(rule, f"{path}.rules[{index}]")
    errors += match_rules.validate_choice(hook, path, "failurePolicy", ("Fail", "Ignore"))
    errors += match_rules.validate_choice(hook, path, "matchPolicy", ("Equivalent", "Exact"))
    allowed = _SIDE_EFFECTS if leniency.side_effects else _NO_SIDE_EFFECTS
    if hook.get("sideEffects") is None:
        detail = f"must specify one of {', '.join(allowed)}"
        errors.append(field.required(f"{path}.sideEffects", detail))
    errors += match_rules.validate_choice(hook, path, "sideEffects", allowed)
    seconds = hook.get("timeoutSeconds")
    if seconds is not None and not 1 <= seconds <= 30:
        detail = "the timeout value must be between 1 and 30 seconds"
        errors.append(field.invalid(f"{path}.timeoutSeconds", seconds, detail))
    errors += _validate_selectors(hook, path, lenient=leniency.label_values)
    errors += match_rules.validate_choice(hook, path, "reinvocationPolicy", ("IfNeeded", "Never"))
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


def _validate_selectors(hook: dict[str, Any], path: str, *, lenient: bool) -> list[FieldError]:
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


def _validate_client(config: dict[str, Any], path: str) -> list[FieldError]:
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


def _validate_service(service: dict[str, Any], path: str) -> list[FieldError]:
    # Upstream mixes the two up when it says which is missing.
    errors = [
        field.required(f"{path}.{told}")
        for told, key in (("name", "namespace"), ("namespace", "name"))
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
