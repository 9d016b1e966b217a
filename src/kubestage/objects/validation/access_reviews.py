"""Rules for the reviews of authorization.k8s.io: what a user may do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.objects.validation import field, label_selectors

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_SPEC: Final = "spec.resourceAttributes"
_OTHER_SPEC: Final = "spec.nonResourceAttributes"
_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")


def validate(review: Json) -> list[FieldError]:
    """What is wrong with a SubjectAccessReview, or one of its kin."""
    kind, spec = review["kind"], review.get("spec") or {}
    problems = _attributes(spec)
    if kind != "SelfSubjectAccessReview" and not spec.get("user") and not spec.get("groups"):
        problem = "at least one of user or group must be specified"
        problems.append(field.invalid("spec.user", "", problem))
    attributes = spec.get("resourceAttributes")
    if attributes is not None:
        for name in ("fieldSelector", "labelSelector"):
            problems += _selector(attributes.get(name), name)
    is_local = kind == "LocalSubjectAccessReview"
    problems += _metadata(review, is_local=is_local)
    return problems + _local(review, spec) if is_local else problems


def _attributes(spec: Json) -> list[FieldError]:
    resource, other = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if resource is not None and other is not None:
        problem = "cannot be specified in combination with resourceAttributes"
        return [field.invalid(_OTHER_SPEC, _shown(other), problem)]
    if resource is None and other is None:
        problem = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        return [field.invalid(_SPEC, None, problem)]
    return []


def _shown(attributes: Json) -> field.Rendered:
    """The attributes as the server's own type prints them."""
    named = {"Path": attributes.get("path") or "", "Verb": attributes.get("verb") or ""}
    return field.Rendered(msgspec.json.encode(named).decode())


def _metadata(review: Json, *, is_local: bool) -> list[FieldError]:
    metadata = review.get("metadata") or {}
    ignored = {"managedFields", "namespace"} if is_local else {"managedFields"}
    if not set(metadata) - ignored:
        return []
    problem = "must be empty except for namespace" if is_local else "must be empty"
    return [field.invalid("metadata", metadata, problem)]


def _local(review: Json, spec: Json) -> list[FieldError]:
    problems = []
    namespace = (review.get("metadata") or {}).get("namespace") or ""
    attributes, other = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if attributes is not None and (attributes.get("namespace") or "") != namespace:
        requested, detail = attributes.get("namespace") or "", "must match metadata.namespace"
        problems.append(field.invalid(f"{_SPEC}.namespace", requested, detail))
    if other is not None:
        problem = "disallowed on this kind of request"
        problems.append(field.invalid(_OTHER_SPEC, _shown(other), problem))
    return problems


def _selector(selector: Json | None, name: str) -> list[FieldError]:
    if selector is None:
        return []
    path = f"{_SPEC}.{name}"
    raw, requirements = selector.get("rawSelector"), selector.get("requirements") or []
    problems = []
    if raw and requirements:
        problem = "may not specified at the same time as requirements"
        problems.append(field.invalid(f"{path}.rawSelector", raw, problem))
    if not raw and not requirements:
        problem = f"when {path} is specified, requirements or rawSelector is required"
        problems.append(field.required(f"{path}.requirements", problem))
    for index, requirement in enumerate(requirements):
        where = f"{path}.requirements[{index}]"
        problems += _requirement(requirement, where, is_label=name == "labelSelector")
    return problems


def _requirement(requirement: Json, path: str, *, is_label: bool) -> list[FieldError]:
    """One requirement; an unknown operator may be that of a newer client."""
    if is_label:
        found = label_selectors.validate_requirement(requirement, path)
        known = (requirement.get("operator") or "") in _OPERATORS
        return found if known else [each for each in found if each.field != f"{path}.operator"]
    problems = []
    if not requirement.get("key"):
        problems.append(field.required(f"{path}.key", "must be specified"))
    operator, values = requirement.get("operator"), requirement.get("values")
    if operator in ("In", "NotIn") and not values:
        problem = "must be specified when `operator` is 'In' or 'NotIn'"
        problems.append(field.required(f"{path}.values", problem))
    if operator in ("Exists", "DoesNotExist") and values:
        problem = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        problems.append(field.forbidden(f"{path}.values", problem))
    return problems
