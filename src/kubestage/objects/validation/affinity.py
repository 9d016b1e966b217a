"""Node and pod affinity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.validation import field, internal_json, label_selectors, names, spread

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_BAD_OPERATOR = "not a valid selector operator"


def validate_affinity(affinity: Json, path: str, options: PodValidationOptions) -> list[FieldError]:
    """All affinities of a pod."""
    errors: list[FieldError] = []
    if (node := affinity.get("nodeAffinity")) is not None:
        errors += _validate_node_affinity(node, f"{path}.nodeAffinity", options)
    allow_invalid_values = options.allow_invalid_label_value_in_selector
    for kind in ("podAffinity", "podAntiAffinity"):
        if (pod := affinity.get(kind)) is not None:
            errors += _validate_pod_affinity(pod, f"{path}.{kind}", allow_invalid_values)
    return errors


def _validate_node_affinity(
    affinity: Json, path: str, options: PodValidationOptions
) -> list[FieldError]:
    errors: list[FieldError] = []
    if (selector := affinity.get(_REQUIRED)) is not None:
        errors += validate_node_selector(
            selector,
            f"{path}.{_REQUIRED}",
            allow_invalid_values=options.allow_invalid_label_value_in_required_node_affinity,
        )
    for index, term in enumerate(affinity.get(_PREFERRED) or ()):
        at = f"{path}.{_PREFERRED}[{index}]"
        errors += _validate_weight(term, at)
        # A preference that no node can fulfil does no harm, so values are not checked.
        errors += _validate_node_term(
            term.get("preference") or {}, f"{at}.preference", allow_invalid_values=True
        )
    return errors


def _validate_weight(term: Json, path: str) -> list[FieldError]:
    weight = term.get("weight") or 0
    if 1 <= weight <= 100:
        return []
    return [field.invalid(f"{path}.weight", weight, "must be in the range 1-100")]


def validate_node_selector(
    selector: Json, path: str, *, allow_invalid_values: bool = False
) -> list[FieldError]:
    """A NodeSelector: terms of which one must match."""
    terms = selector.get("nodeSelectorTerms")
    if not terms:
        detail = "must have at least one node selector term"
        return [field.required(f"{path}.nodeSelectorTerms", detail)]
    errors: list[FieldError] = []
    for index, term in enumerate(terms):
        at = f"{path}.nodeSelectorTerms[{index}]"
        errors += _validate_node_term(term, at, allow_invalid_values=allow_invalid_values)
    return errors


def _validate_node_term(term: Json, path: str, *, allow_invalid_values: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, requirement in enumerate(term.get("matchExpressions") or ()):
        at = f"{path}.matchExpressions[{index}]"
        errors += _validate_node_requirement(
            requirement, at, allow_invalid_values=allow_invalid_values
        )
    for index, requirement in enumerate(term.get("matchFields") or ()):
        errors += _validate_field_requirement(requirement, f"{path}.matchFields[{index}]")
    return errors


def _validate_node_requirement(
    requirement: Json, path: str, *, allow_invalid_values: bool = False
) -> list[FieldError]:
    """A condition on one label of a node."""
    errors: list[FieldError] = []
    operator = requirement.get("operator") or ""
    values = requirement.get("values") or ()
    at = f"{path}.values"
    if operator in ("In", "NotIn"):
        if not values:
            detail = "must be specified when `operator` is 'In' or 'NotIn'"
            errors.append(field.required(at, detail))
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            errors.append(field.forbidden(at, detail))
    elif operator in ("Gt", "Lt"):
        if len(values) != 1:
            detail = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            errors.append(field.required(at, detail))
    else:
        errors.append(
            field.invalid(f"{path}.operator", internal_json.text(operator), _BAD_OPERATOR)
        )
    errors += label_selectors.validate_label_name(requirement.get("key") or "", f"{path}.key")
    if not allow_invalid_values:
        for index, value in enumerate(values):
            if problems := names.is_valid_label_value(value):
                errors += field.invalids(f"{at}[{index}]", value, problems)
    return errors


def _validate_field_requirement(requirement: Json, path: str) -> list[FieldError]:
    """A condition on a field of a node, of which only the name is known."""
    errors: list[FieldError] = []
    operator = requirement.get("operator") or ""
    values = requirement.get("values") or ()
    if operator not in ("In", "NotIn"):
        errors.append(
            field.invalid(f"{path}.operator", internal_json.text(operator), _BAD_OPERATOR)
        )
    elif len(values) != 1:
        detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        errors.append(field.required(f"{path}.values", detail))
    key = requirement.get("key") or ""
    if key != "metadata.name":
        errors.append(field.invalid(f"{path}.key", key, "not a valid field selector key"))
        return errors
    for index, value in enumerate(values):
        at = f"{path}.values[{index}]"
        errors += field.invalids(at, value, names.is_dns1123_subdomain(value))
    return errors


def _validate_pod_affinity(
    affinity: Json, path: str, allow_invalid_values: bool
) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, term in enumerate(affinity.get(_REQUIRED) or ()):
        at = f"{path}.{_REQUIRED}[{index}]"
        errors += _validate_pod_term(term, at, allow_invalid_values)
    for index, weighted in enumerate(affinity.get(_PREFERRED) or ()):
        at = f"{path}.{_PREFERRED}[{index}]"
        errors += _validate_weight(weighted, at)
        term = weighted.get("podAffinityTerm") or {}
        errors += _validate_pod_term(term, f"{at}.podAffinityTerm", allow_invalid_values)
    return errors


def _validate_pod_term(term: Json, path: str, allow_invalid_values: bool) -> list[FieldError]:
    errors = validate_pod_term_selectors(term, path, allow_invalid_values=allow_invalid_values)
    for name in term.get("namespaces") or ():
        errors += field.invalids(f"{path}.namespace", name, names.is_dns1123_label(name))
    errors += spread.validate_label_keys(
        path,
        term.get("matchLabelKeys") or (),
        term.get("mismatchLabelKeys") or (),
        term.get("labelSelector"),
    )
    key = term.get("topologyKey") or ""
    if not key:
        errors.append(field.required(f"{path}.topologyKey", "can not be empty"))
    return errors + label_selectors.validate_label_name(key, f"{path}.topologyKey")


def validate_pod_term_selectors(
    term: Json, path: str, *, allow_invalid_values: bool = False
) -> list[FieldError]:
    """Which pods, in which namespaces, a term selects."""
    errors: list[FieldError] = []
    for kind in ("labelSelector", "namespaceSelector"):
        errors += label_selectors.validate_label_selector(
            term.get(kind), f"{path}.{kind}", allow_invalid_values=allow_invalid_values
        )
    return errors


def pod_terms(spec: Json) -> list[Json]:
    """All pod affinity and anti-affinity terms of a pod, weighted or not."""
    terms: list[Json] = []
    affinity = spec.get("affinity") or {}
    for kind in ("podAffinity", "podAntiAffinity"):
        group = affinity.get(kind) or {}
        terms += group.get(_REQUIRED) or ()
        terms += [weighted.get("podAffinityTerm") or {} for weighted in group.get(_PREFERRED) or ()]
    return terms


def has_invalid_required_node_value(spec: Json) -> bool:
    """Whether required node affinity compares with a text that can be no label value."""
    node = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    return has_invalid_value(node.get(_REQUIRED))


def has_invalid_value(selector: Json | None) -> bool:
    """Whether a node selector compares with a text that can be no label value."""
    return any(
        names.is_valid_label_value(value)
        for term in (selector or {}).get("nodeSelectorTerms") or ()
        for requirement in term.get("matchExpressions") or ()
        for value in requirement.get("values") or ()
    )
