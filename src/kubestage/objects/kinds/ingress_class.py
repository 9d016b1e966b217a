"""What the API does to an IngressClass."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import field, metadata, names, patterns, references

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_PATH: Final = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
_match_path: Final = re.compile(_PATH).fullmatch
_SCOPES: Final = ("Cluster", "Namespace")
_DEFAULT_INGRESS_CLASS: Final = "ingressclass.kubernetes.io/is-default-class"


def _default(obj: Json) -> None:
    parameters = obj["spec"].get("parameters")
    if parameters is not None and parameters["scope"] is None:
        parameters["scope"] = "Cluster"


def _validate(obj: Json) -> list[FieldError]:
    spec = obj.get("spec") or {}
    errors = markers.check("networking/v1.IngressClassSpec", spec, "spec")
    errors += _validate_prefixed_path(spec.get("controller") or "", "spec.controller")
    parameters = spec.get("parameters")
    return errors if parameters is None else errors + _validate_parameters(parameters)


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """The controller of a class does not change."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    errors = markers.check_update("networking/v1.IngressClassSpec", spec, before, "spec")
    errors += metadata.validate_object_meta(new["metadata"], False, names.name_is_dns_subdomain)
    return errors + _validate(new)


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


def _validate_parameters(parameters: Json) -> list[FieldError]:
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


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    annotations = cells.part(obj, "metadata", "annotations")
    mark = " (default)" if annotations.get(_DEFAULT_INGRESS_CLASS) == "true" else ""
    return [
        cells.name(obj) + mark,
        cells.text(obj, "spec", "controller"),
        _parameters(cells.part(obj, "spec").get("parameters")),
        cells.age(obj, now_ns),
    ]


def _parameters(reference: Json | None) -> str:
    if reference is None:
        return cells.NONE
    group = reference.get("apiGroup")
    kind = cells.text(reference, "kind") + ("" if group is None else f".{group}")
    return f"{kind}/{cells.text(reference, 'name')}"


KIND: Final = Kind(
    group="networking.k8s.io",
    version="v1",
    kind="IngressClass",
    plural="ingressclasses",
    namespaced=False,
    old_versions=("networking.k8s.io/v1beta1",),
    declared=Behavior(
        default=_default,
        generation_fields=("spec",),
        validate=_validate,
        validate_update={"": _validate_update},
        cells=_cells,
    ),
)
