"""Topology spread constraints, and label keys that a selector takes from the pod itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.validation import field, label_selectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions

_CONSTRAINT: Final = "core/v1.TopologySpreadConstraint"
_NO_SELECTOR: Final = "must not be specified when labelSelector is not set"
_IN_BOTH: Final = "exists in both matchLabelKeys and labelSelector"


def validate_spread_constraints(
    constraints: list[Json], path: str, options: PodValidationOptions
) -> list[FieldError]:
    """The list of constraints of a pod."""
    errors: list[FieldError] = []
    for index, constraint in enumerate(constraints):
        at = f"{path}[{index}]"
        errors += _validate_constraint(constraint, constraints[index + 1 :], at)
        selector = constraint.get("labelSelector")
        keys = constraint.get("matchLabelKeys") or ()
        if options.old_pod_violates_match_label_keys_validation:
            errors += _validate_label_keys_as_before(f"{at}.matchLabelKeys", keys, selector)
        else:
            errors += validate_label_keys(at, keys, (), selector)
        if not options.allow_invalid_topology_spread_constraint_label_selector:
            errors += label_selectors.validate_label_selector(selector, f"{at}.labelSelector")
    return errors


def _validate_constraint(constraint: Json, later: list[Json], path: str) -> list[FieldError]:
    errors = markers.check(
        _CONSTRAINT, constraint, path, "maxSkew", "topologyKey", "whenUnsatisfiable"
    )
    key, action = constraint.get("topologyKey") or "", constraint.get("whenUnsatisfiable") or ""
    if any(
        key == (other.get("topologyKey") or "") and action == (other.get("whenUnsatisfiable") or "")
        for other in later
    ):
        at = f"{path}.{{topologyKey, whenUnsatisfiable}}"
        errors.append(field.duplicate(at, f"{{{key}, {action}}}"))
    errors += markers.check(_CONSTRAINT, constraint, path, "minDomains")
    domains = constraint.get("minDomains")
    if domains is not None and action != "DoNotSchedule":
        detail = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
        errors.append(field.invalid(f"{path}.minDomains", domains, detail))
    policies = ("nodeAffinityPolicy", "nodeTaintsPolicy")
    return errors + markers.check(_CONSTRAINT, constraint, path, *policies)


def validate_label_keys(
    path: str,
    match: Sequence[str],
    mismatch: Sequence[str],
    selector: Json | None,
) -> list[FieldError]:
    """Keys whose values a selector takes from the pod.

    By now the selector holds an expression for each key of `match` that the pod has; a key that
    stands in it twice was also written by the user.
    """
    errors = _validate_keys(f"{path}.matchLabelKeys", match, selector)
    errors += _validate_keys(f"{path}.mismatchLabelKeys", mismatch, selector)
    if selector is not None and match:
        positions = {key: index for index, key in enumerate(match)}
        seen = set(selector.get("matchLabels") or ())
        for requirement in selector.get("matchExpressions") or ():
            key = requirement.get("key") or ""
            if key in positions and key in seen:
                errors.append(field.invalid(f"{path}[{positions[key]}]", key, _IN_BOTH))
            seen.add(key)
    for index, key in enumerate(match):
        if key in mismatch:
            detail = "exists in both matchLabelKeys and mismatchLabelKeys"
            errors.append(field.invalid(f"{path}.matchLabelKeys[{index}]", key, detail))
    return errors


def _validate_keys(path: str, keys: Sequence[str], selector: Json | None) -> list[FieldError]:
    if not keys:
        return []
    if selector is None:
        return [field.forbidden(path, _NO_SELECTOR)]
    errors: list[FieldError] = []
    for index, key in enumerate(keys):
        errors += label_selectors.validate_label_name(key, f"{path}[{index}]")
    return errors


def _validate_label_keys_as_before(
    path: str, keys: Sequence[str], selector: Json | None
) -> list[FieldError]:
    """The rule for pods from before selectors were completed with the pod's own labels."""
    if not keys:
        return []
    errors: list[FieldError] = []
    selected: set[str] = set()
    if selector is None:
        errors.append(field.forbidden(path, _NO_SELECTOR))
    else:
        selected.update(selector.get("matchLabels") or ())
        expressions = selector.get("matchExpressions") or ()
        selected.update(requirement.get("key") or "" for requirement in expressions)
    for index, key in enumerate(keys):
        errors += label_selectors.validate_label_name(key, f"{path}[{index}]")
        if key in selected:
            errors.append(field.invalid(f"{path}[{index}]", key, _IN_BOTH))
    return errors
