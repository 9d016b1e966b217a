"""What the API does to an Ingress."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects import markers
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import (
    addresses,
    field,
    load_balancers,
    metadata,
    names,
    references,
)
from kubestage.objects.warnings import addresses as address_warnings

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_SHOWN: Final = 3
_CLASS: Final = "kubernetes.io/ingress.class"
_PATH_TYPES: Final = ("Exact", "ImplementationSpecific", "Prefix")
_NOT_WITHIN: Final = ("//", "/./", "/../", "%2f", "%2F")
_NOT_AT_END: Final = ("/..", "/.")
_NO_ADDRESS: Final = "must be a DNS name, not an IP address"


class _Leniency(NamedTuple):
    """Rules that the stored ingress breaks already, so that a changed one may, too."""

    secret_names: bool = False
    wildcard_rules: bool = False


def _validate(obj: Json) -> list[FieldError]:
    spec = obj.get("spec") or {}
    errors = _validate_spec(spec, _Leniency())
    annotated = (obj["metadata"].get("annotations") or {}).get(_CLASS)
    class_name = spec.get("ingressClassName")
    if annotated is not None and class_name is not None and annotated != class_name:
        detail = "must match `ingressClassName` when both are specified"
        errors.append(field.invalid(f"annotations.{_CLASS}", annotated, detail))
    return errors


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    errors = metadata.validate_object_meta(new["metadata"], True, names.name_is_dns_subdomain)
    spec = old.get("spec") or {}
    leniency = _Leniency(
        any(_secret_problems(each) for each in spec.get("tls") or ()),
        any(
            "*" in (rule.get("host") or "") and _validate_http(rule, "")
            for rule in spec.get("rules") or ()
        ),
    )
    return errors + _validate_spec(new.get("spec") or {}, leniency)


def _validate_spec(spec: Json, leniency: _Leniency) -> list[FieldError]:
    errors: list[FieldError] = []
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
    class_name = spec.get("ingressClassName")
    if class_name is not None:
        problems = names.is_dns1123_subdomain(class_name)
        errors += field.invalids("spec.ingressClassName", class_name, problems)
    return errors


def _validate_rule(rule: Json, path: str, leniency: _Leniency) -> list[FieldError]:
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


def _validate_http(rule: Json, path: str) -> list[FieldError]:
    http = rule.get("http")
    if http is None:
        return []
    paths = http.get("paths") or []
    errors = [] if paths else [field.required(f"{path}.http.paths")]
    for index, entry in enumerate(paths):
        errors += _validate_path(entry, f"{path}.http.paths[{index}]")
    return errors


def _validate_path(entry: Json, path: str) -> list[FieldError]:
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


def _validate_backend(backend: Json, path: str) -> list[FieldError]:
    resource, service = backend.get("resource"), backend.get("service")
    if resource is not None and service is not None:
        return [field.invalid(path, "", "cannot set both resource and service backends")]
    if resource is not None:
        return references.validate_reference(resource, f"{path}.resource")
    if service is None:
        return [field.invalid(path, "", "resource or service backend is required")]
    errors = markers.check("networking/v1.IngressServiceBackend", service, f"{path}.service")
    return errors + _validate_port(service.get("port") or {}, path)


def _validate_port(port: Json, path: str) -> list[FieldError]:
    name, number = port.get("name") or "", port.get("number") or 0
    if name and number:
        return [field.invalid(path, "", "cannot set both port name & port number")]
    at = f"{path}.service.port"
    if name:
        return field.invalids(f"{at}.name", name, names.is_valid_port_name(name))
    if number:
        return field.invalids(f"{at}.number", number, names.is_valid_port_num(number))
    return [field.required(path, "port name or number is required")]


def _validate_tls(tls: Json, path: str, leniency: _Leniency) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, host in enumerate(tls.get("hosts") or ()):
        errors += field.invalids(f"{path}.hosts[{index}]", host, _host_problems(host))
    if not leniency.secret_names:
        name = tls.get("secretName") or ""
        errors += field.invalids(f"{path}.secretName", name, _secret_problems(tls))
    return errors


def _secret_problems(tls: Json) -> names.Problems:
    name = tls.get("secretName") or ""
    return names.is_dns1123_subdomain(name) if name else ()


def _warn_create(obj: Json) -> list[str]:
    """The annotation that the class field replaces."""
    annotated = _CLASS in (obj["metadata"].get("annotations") or {})
    if not annotated or (obj.get("spec") or {}).get("ingressClassName") is not None:
        return []
    shown = field.quote(_CLASS)
    return [f"annotation {shown} is deprecated, please use 'spec.ingressClassName' instead"]


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    spec = cells.part(obj, "spec")
    class_name = spec.get("ingressClassName")
    return [
        cells.name(obj),
        cells.NONE if class_name is None else class_name,
        _hosts(cells.items(spec, "rules")),
        cells.load_balancer(obj),
        "80, 443" if cells.items(spec, "tls") else "80",
        cells.age(obj, now_ns),
    ]


def _hosts(rules: list[Any]) -> str:
    """The first hosts; once these are found, every further rule counts as more."""
    shown: list[str] = []
    more = False
    for rule in rules:
        more = more or len(shown) == _SHOWN
        if not more and rule.get("host"):
            shown.append(rule["host"])
    if not shown:
        return "*"
    text = ",".join(shown)
    return f"{text} + {len(rules) - _SHOWN} more..." if more else text


KIND: Final = Kind(
    group="networking.k8s.io",
    version="v1",
    kind="Ingress",
    plural="ingresses",
    short_names=("ing",),
    subresources=frozenset({"status"}),
    old_versions=("extensions/v1beta1", "networking.k8s.io/v1beta1"),
    declared=Behavior(
        generation_fields=("spec",),
        validate=_validate,
        validate_update={"": _validate_update, "status": load_balancers.validate_ingress_status},
        warn_create=_warn_create,
        warn_update={"status": lambda new, _: address_warnings.load_balancer(new)},
        cells=_cells,
        storage_prefix="ingress",
    ),
)
