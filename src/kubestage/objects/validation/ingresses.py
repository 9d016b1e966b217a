"""Rules for ingresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects.validation import (
    addresses,
    field,
    load_balancers,
    metadata,
    names,
    references,
)

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_CLASS: Final = "kubernetes.io/ingress.class"
_PATH_TYPES: Final = ("Exact", "ImplementationSpecific", "Prefix")
_NOT_WITHIN: Final = ("//", "/./", "/../", "%2f", "%2F")
_NOT_AT_END: Final = ("/..", "/.")
_NO_ADDRESS: Final = "must be a DNS name, not an IP address"


class _Leniency(NamedTuple):
    """What an older ingress already got wrong, and may go on to."""

    secret_names: bool = False
    wildcard_rules: bool = False


def validate_ingress(obj: dict[str, Any]) -> list[FieldError]:
    """A new ingress."""
    errors = _validate(obj, _Leniency())
    annotated = (obj["metadata"].get("annotations") or {}).get(_CLASS)
    wanted = (obj.get("spec") or {}).get("ingressClassName")
    if annotated is not None and wanted is not None and annotated != wanted:
        detail = "must match `ingressClassName` when both are specified"
        errors.append(field.invalid(f"annotations.{_CLASS}", annotated, detail))
    return errors


def validate_ingress_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed ingress."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    spec = old.get("spec") or {}
    leniency = _Leniency(
        any(_secret_problems(each) for each in spec.get("tls") or ()),
        any(
            "*" in (rule.get("host") or "") and _validate_http(rule, "")
            for rule in spec.get("rules") or ()
        ),
    )
    return errors + _validate(new, leniency)


def validate_ingress_status_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """What a load balancer reports."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    return errors + load_balancers.validate_ingress_status(new, old)


def _validate(obj: dict[str, Any], leniency: _Leniency) -> list[FieldError]:
    errors = metadata.validate_object_meta(obj["metadata"], True, names.name_is_dns_subdomain)
    spec = obj.get("spec") or {}
    rules, backend = spec.get("rules") or [], spec.get("defaultBackend")
    if not rules and backend is None:
        detail = "either `defaultBackend` or `rules` must be specified"
        errors.append(field.invalid("spec", None, detail))
    if backend is not None:
        errors += _validate_backend(backend, "spec.defaultBackend")
    for index, rule in enumerate(rules):
        errors += _validate_rule(rule, f"spec.rules[{index}]", leniency)
    for index, tls in enumerate(spec.get("tls") or ()):
        errors += _validate_tls(tls, f"spec.tls[{index}]", leniency)
    wanted = spec.get("ingressClassName")
    if wanted is not None:
        problems = names.is_dns1123_subdomain(wanted)
        errors += field.invalids("spec.ingressClassName", wanted, problems)
    return errors


def _validate_rule(rule: dict[str, Any], path: str, leniency: _Leniency) -> list[FieldError]:
    errors: list[FieldError] = []
    host = rule.get("host") or ""
    if host and addresses.parse_sloppy(host) is not None:
        errors.append(field.invalid(f"{path}.host", host, _NO_ADDRESS))
    if host:
        errors += field.invalids(f"{path}.host", host, _host_problems(host))
    if "*" in host and leniency.wildcard_rules:
        return errors
    return errors + _validate_http(rule, path)


def _host_problems(host: str) -> names.Problems:
    if "*" in host:
        return names.is_wildcard_dns1123_subdomain(host)
    return names.is_dns1123_subdomain(host)


def _validate_http(rule: dict[str, Any], path: str) -> list[FieldError]:
    http = rule.get("http")
    if http is None:
        return []
    paths = http.get("paths") or []
    errors = [] if paths else [field.required(f"{path}.http.paths")]
    for index, entry in enumerate(paths):
        errors += _validate_path(entry, f"{path}.http.paths[{index}]")
    return errors


def _validate_path(entry: dict[str, Any], path: str) -> list[FieldError]:
    kind, target = entry.get("pathType"), entry.get("path") or ""
    if kind is None:
        return [field.required(f"{path}.pathType", "pathType must be specified")]
    errors: list[FieldError] = []
    problems: list[str] = []
    if kind not in _PATH_TYPES:
        errors.append(field.not_supported(f"{path}.pathType", kind, _PATH_TYPES))
    elif not target.startswith("/") and (target or kind != "ImplementationSpecific"):
        problems.append("must be an absolute path")
    if kind in ("Exact", "Prefix"):
        problems += [f"must not contain '{text}'" for text in _NOT_WITHIN if text in target]
        problems += [f"cannot end with '{text}'" for text in _NOT_AT_END if target.endswith(text)]
    errors += field.invalids(f"{path}.path", target, problems)
    return errors + _validate_backend(entry.get("backend") or {}, f"{path}.backend")


def _validate_backend(backend: dict[str, Any], path: str) -> list[FieldError]:
    resource, service = backend.get("resource"), backend.get("service")
    if resource is not None and service is not None:
        return [field.invalid(path, "", "cannot set both resource and service backends")]
    if resource is not None:
        return references.validate_reference(resource, f"{path}.resource")
    if service is None:
        return [field.invalid(path, "", "resource or service backend is required")]
    name = service.get("name") or ""
    at = f"{path}.service.name"
    errors = (
        field.invalids(at, name, names.is_dns1123_label(name)) if name else [field.required(at)]
    )
    return errors + _validate_port(service.get("port") or {}, path)


def _validate_port(port: dict[str, Any], path: str) -> list[FieldError]:
    name, number = port.get("name") or "", port.get("number") or 0
    if name and number:
        return [field.invalid(path, "", "cannot set both port name & port number")]
    at = f"{path}.service.port"
    if name:
        return field.invalids(f"{at}.name", name, names.is_valid_port_name(name))
    if number:
        return field.invalids(f"{at}.number", number, names.is_valid_port_num(number))
    return [field.required(path, "port name or number is required")]


def _validate_tls(tls: dict[str, Any], path: str, leniency: _Leniency) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, host in enumerate(tls.get("hosts") or ()):
        errors += field.invalids(f"{path}.hosts[{index}]", host, _host_problems(host))
    if not leniency.secret_names:
        name = tls.get("secretName") or ""
        errors += field.invalids(f"{path}.secretName", name, _secret_problems(tls))
    return errors


def _secret_problems(tls: dict[str, Any]) -> names.Problems:
    name = tls.get("secretName") or ""
    return names.is_dns1123_subdomain(name) if name else ()
