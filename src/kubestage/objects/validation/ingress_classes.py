"""Rules for ingress classes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field, metadata, names, patterns, references

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_CONTROLLER_LIMIT: Final = 250
_PATH: Final = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
_match_path: Final = re.compile(_PATH).fullmatch
_SCOPES: Final = ("Cluster", "Namespace")


def validate_ingress_class(obj: dict[str, Any]) -> list[FieldError]:
    """A new class."""
    errors = metadata.validate_object_meta(obj["metadata"], False, names.name_is_dns_subdomain)
    spec = obj.get("spec") or {}
    controller = spec.get("controller") or ""
    if names.size(controller) > _CONTROLLER_LIMIT:
        errors.append(field.too_long("spec.controller", _CONTROLLER_LIMIT))
    errors += _validate_prefixed_path(controller, "spec.controller")
    parameters = spec.get("parameters")
    return errors if parameters is None else errors + _validate_parameters(parameters)


def validate_ingress_class_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed class: its controller stays."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    wanted, before = ((obj.get("spec") or {}).get("controller") or "" for obj in (new, old))
    errors += metadata.validate_immutable(wanted, before, "spec.controller")
    return errors + validate_ingress_class(new)


def _validate_prefixed_path(text: str, path: str) -> list[FieldError]:
    """``acme.io/foo``: a domain and a path."""
    if not text:
        return [field.required(path)]
    host, slash, rest = text.partition("/")
    if not (host and slash and rest):
        detail = 'must be a domain-prefixed path (such as "acme.io/foo")'
        return [field.invalid(path, text, detail)]
    errors = field.invalids(path, host, names.is_dns1123_subdomain(host))
    if not _match_path(rest):
        errors.append(field.invalid(path, rest, patterns.regex_error("Invalid path", _PATH)))
    return errors


def _validate_parameters(parameters: dict[str, Any]) -> list[FieldError]:
    path = "spec.parameters"
    errors = references.validate_reference(parameters, path)
    scope, namespace = parameters.get("scope"), parameters.get("namespace")
    if scope is None:
        return [*errors, field.required(f"{path}.scope")]
    if scope not in _SCOPES:
        return [*errors, field.not_supported(f"{path}.scope", scope, _SCOPES)]
    at = f"{path}.namespace"
    if scope == "Cluster":
        if namespace is not None:
            errors.append(field.forbidden(at, "`parameters.scope` is set to 'Cluster'"))
    elif namespace is None:
        errors.append(field.required(at, "`parameters.scope` is set to 'Namespace'"))
    else:
        errors += field.invalids(at, namespace, names.is_dns1123_label(namespace))
    return errors
