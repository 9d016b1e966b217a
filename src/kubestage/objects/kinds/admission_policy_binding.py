"""What the API does to the bindings of admission policies, mutating and validating."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

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
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_GROUP: Final = "admissionregistration.k8s.io"
_SPEC: Final = "admissionregistration/v1.ValidatingAdmissionPolicyBindingSpec"
_EXCLUSIVE: Final = "name and selector are mutually exclusive"
_ACTIONS: Final = ("Audit", "Deny", "Warn")


def _default(obj: Json) -> None:
    match_defaults.complete_resources(obj["spec"].get("matchResources"))


def _validate_mutating(obj: Json) -> list[FieldError]:
    match = (obj.get("spec") or {}).get("matchResources")
    return _validate_binding(obj) + match_rules.validate_mutable(match, "spec.matchResources")


def _validate_validating(obj: Json) -> list[FieldError]:
    errors = _validate_binding(obj)
    actions, path = (obj.get("spec") or {}).get("validationActions") or [], "spec.validationActions"
    for index, action in enumerate(actions):
        if action not in _ACTIONS:
            errors.append(field.not_supported(f"{path}[{index}]", action, _ACTIONS))
        if action in actions[:index]:
            errors.append(field.duplicate(f"{path}[{index}]", internal_json.text(action)))
    if "Deny" in actions and "Warn" in actions:
        detail = (
            "must not contain both Deny and Warn (repeating the same validation failure "
            "information in the API response and headers serves no purpose)"
        )
        errors.append(field.invalid(path, internal_json.text(actions), detail))
    if not actions:
        errors.append(field.required(path, "at least one validation action is required"))
    return errors


def _validate_binding(obj: Json) -> list[FieldError]:
    """What both kinds have: a policy, its parameters and what it matches."""
    spec = obj.get("spec") or {}
    errors = match_rules.validate_metadata(obj) + markers.check(_SPEC, spec, "spec")
    if spec.get("paramRef") is not None:
        errors += _validate_param_ref(spec["paramRef"], "spec.paramRef")
    match = spec.get("matchResources")
    if match is None:
        return errors
    return errors + match_rules.validate_match_resources(match, "spec.matchResources")


def _validate_param_ref(reference: Json, path: str) -> list[FieldError]:
    name, selector = reference.get("name") or "", reference.get("selector")
    errors = field.invalids(f"{path}.name", name, names.is_valid_path_segment_name(name))
    if name and selector is not None:
        errors.append(field.forbidden(f"{path}.name", _EXCLUSIVE))
    errors += label_selectors.validate_label_selector(selector, f"{path}.selector")
    if name and selector is not None:
        errors.append(field.forbidden(f"{path}.selector", _EXCLUSIVE))
    if not name and selector is None:
        errors.append(field.required(path, "one of name or selector must be specified"))
    if not reference.get("parameterNotFoundAction"):
        return [*errors, field.required(f"{path}.parameterNotFoundAction")]
    return errors + markers.check("admissionregistration/v1.ParamRef", reference, path)


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    reference = cells.part(obj, "spec", "paramRef")
    name, shown = cells.text(reference, "name"), cells.UNSET
    if name:
        shown = f"{cells.text(reference, 'namespace') or '*'}/{name}"
    elif reference.get("selector") is not None:
        shown = _selector_text(reference["selector"])
    policy = cells.text(obj, "spec", "policyName")
    return [cells.name(obj), policy, shown, cells.age(obj, now_ns)]


def _selector_text(selector: Json) -> str:
    """A label selector as Go prints it."""
    labels = cells.part(selector, "matchLabels")
    pairs = "".join(f"{key}: {labels[key]}," for key in sorted(labels))
    requirements = "".join(
        f"LabelSelectorRequirement{{Key:{cells.text(each, 'key')},"
        f"Operator:{cells.text(each, 'operator')},"
        f"Values:[{' '.join(cells.items(each, 'values'))}],}},"
        for each in cells.items(selector, "matchExpressions")
    )
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{pairs}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{requirements}}},}}"
    )


def _kind(kind: str, validate: Callable[[Json], list[FieldError]]) -> Kind:
    return Kind(
        group=_GROUP,
        version="v1",
        kind=kind,
        plural=f"{kind.lower()}s",
        namespaced=False,
        categories=("api-extensions",),
        old_versions=(f"{_GROUP}/v1alpha1", f"{_GROUP}/v1beta1"),
        declared=Behavior(
            default=_default,
            generation_fields=("spec",),
            validate=validate,
            validate_update={"": lambda new, _: validate(new)},
            validates_metadata=(CREATE, ""),
            warn=cluster_warnings.static_name,
            cells=_cells,
            unconditional_update=False,
        ),
    )


KINDS: Final = (
    _kind("MutatingAdmissionPolicyBinding", _validate_mutating),
    _kind("ValidatingAdmissionPolicyBinding", _validate_validating),
)
