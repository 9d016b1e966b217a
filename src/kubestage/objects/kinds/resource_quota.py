"""What the API does to a ResourceQuota."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import quantity
from kubestage.objects.defaulting import resources as resource_defaults
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import field, internal_json, metadata, resource_names, resources

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError


_POD_COMPUTE: Final = frozenset(
    {
        "pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu",
        "requests.memory",
    }
)  # fmt: skip
# To which of the standard resources a scope may be applied.
_SCOPES: Final = {
    "Terminating": _POD_COMPUTE,
    "NotTerminating": _POD_COMPUTE,
    "NotBestEffort": _POD_COMPUTE,
    "PriorityClass": _POD_COMPUTE,
    "CrossNamespacePodAffinity": _POD_COMPUTE,
    "BestEffort": frozenset({"pods"}),
    "VolumeAttributesClass": frozenset({"persistentvolumeclaims", "requests.storage"}),
}
_PLAIN_SCOPES: Final = frozenset(_SCOPES) - {"PriorityClass", "VolumeAttributesClass"}
_CONFLICTS: Final = (
    frozenset({"BestEffort", "NotBestEffort"}),
    frozenset({"Terminating", "NotTerminating"}),
)
_SELECTOR: Final = "core/v1.ScopeSelector"
_MISFIT: Final = "unsupported scope applied to resource"
_LIMITED: Final = ("cpu", "memory", "storage", "ephemeral-storage")
_BARE: Final = ("cpu", "memory")


def _default(obj: Json) -> None:
    resource_defaults.round_up(obj["spec"].get("hard"))
    resource_defaults.round_up(obj["status"].get("hard"))
    resource_defaults.round_up(obj["status"].get("used"))


def _validate(obj: Json) -> list[FieldError]:
    errors = _validate_spec(obj.get("spec") or {})
    return errors + _validate_status(obj.get("status") or {})


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """The scopes stay."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    errors = _validate_spec(spec)
    if set(spec.get("scopes") or ()) != set(before.get("scopes") or ()):
        shown = internal_json.text(spec.get("scopes"))
        errors.append(field.invalid("spec.scopes", shown, metadata.IMMUTABLE))
    return errors


def _validate_status_update(new: Json, _: Json) -> list[FieldError]:
    errors: list[FieldError] = []
    if not new["metadata"].get("resourceVersion"):
        errors.append(field.required("resourceVersion"))
    return errors + _validate_status(new.get("status") or {})


def _validate_status(status: Json) -> list[FieldError]:
    errors = _validate_amounts(status.get("hard"), "status.hard")
    return errors + _validate_amounts(status.get("used"), "status.used")


def _validate_amounts(amounts: Json | None, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for name, amount in sorted((amounts or {}).items()):
        at = f"{path}[{name}]"
        shown = internal_json.text(name)
        errors += field.invalids(at, shown, resource_names.resource_problems(name))
        if "/" not in name and not resource_names.is_standard_for_quota(name):
            errors.append(field.invalid(at, shown, "must be a standard resource for quota"))
        errors += resources.validate_quantity_value(name, amount, at)
    return errors


def _validate_spec(spec: Json) -> list[FieldError]:
    hard = spec.get("hard") or {}
    errors = _validate_amounts(hard, "spec.hard")
    scopes = spec.get("scopes") or ()
    shown = internal_json.text(scopes)
    for scope in scopes:
        if scope not in _SCOPES:
            errors.append(field.invalid("spec.scopes", shown, "unsupported scope"))
        misfits = _misfits(scope, hard)
        errors += [field.invalid("spec.scopes", shown, _MISFIT)] * misfits
    errors += _validate_conflicts(set(scopes), "spec.scopes", scopes)
    selector = spec.get("scopeSelector")
    if selector is not None:
        errors += _validate_selector(selector, hard, scopes)
    return errors


def _misfits(scope: str, hard: Json) -> int:
    """How many of the resources a scope cannot be applied to."""
    fitting = _SCOPES.get(scope)
    if fitting is None:
        return 0
    limited = (name for name in hard if resource_names.is_standard_for_quota(name))
    return sum(1 for name in limited if name not in fitting)


def _validate_conflicts(named: set[str], path: str, scopes: Any) -> list[FieldError]:
    shown = internal_json.text(scopes or None)
    conflicts = [pair for pair in _CONFLICTS if pair <= named]
    return [field.invalid(path, shown, "conflicting scopes") for _ in conflicts]


def _validate_selector(selector: Json, hard: Json, scopes: Any) -> list[FieldError]:
    path = "spec.scopeSelector.matchExpressions"
    errors: list[FieldError] = []
    named = set()
    for requirement in selector.get("matchExpressions") or ():
        scope = requirement.get("scopeName") or ""
        named.add(scope)
        if scope not in _SCOPES:
            shown = internal_json.text(scope)
            errors.append(field.invalid(f"{path}.scopeName", shown, "unsupported scope"))
        whole = internal_json.render(_SELECTOR, selector)
        errors += [field.invalid(path, whole, _MISFIT)] * _misfits(scope, hard)
        errors += _validate_operator(requirement, scope, path)
    return errors + _validate_conflicts(named, path, scopes)


def _validate_operator(requirement: Json, scope: str, path: str) -> list[FieldError]:
    operator, values = requirement.get("operator") or "", requirement.get("values") or ()
    shown = internal_json.text(operator)
    errors = []
    if scope in _PLAIN_SCOPES and operator != "Exists":
        detail = (
            "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
            "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
            "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
        )
        errors.append(field.invalid(f"{path}.operator", shown, detail))
    if operator in ("In", "NotIn"):
        if not values:
            detail = (
                "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
            )
            errors.append(field.required(f"{path}.values", detail))
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            detail = (
                "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
            )
            errors.append(field.invalid(f"{path}.values", internal_json.text(values), detail))
    else:
        detail = "not a valid selector operator"
        errors.append(field.invalid(f"{path}.operator", shown, detail))
    return errors


def _warn_create(obj: Json) -> list[str]:
    """A quota that lets more be requested than limits may allow."""
    hard = (obj.get("spec") or {}).get("hard") or {}
    found: list[str] = []
    for resource in _LIMITED:
        requested, limited = f"requests.{resource}", f"limits.{resource}"
        if requested not in hard and resource in _BARE:
            requested = resource
        if requested not in hard or limited not in hard:
            continue
        request, limit = quantity.of(hard[requested]), quantity.of(hard[limited])
        if request > limit:
            found.append(
                f"ResourceQuota {requested} ({request}) should be less than {limited} ({limit})"
            )
    return found


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    """Requests apart from limits."""
    hard, used = cells.part(obj, "status", "hard"), cells.part(obj, "status", "used")
    requests: list[str] = []
    limits: list[str] = []
    for resource in sorted(hard):
        amount = f"{cells.quantity_text(used.get(resource, '0'))}/"
        amount += cells.quantity_text(hard[resource])
        column = limits if resource.startswith("limits.") else requests
        column.append(f"{resource}: {amount}")
    return [cells.name(obj), ", ".join(requests), ", ".join(limits), cells.age(obj, now_ns)]


KIND: Final = Kind(
    group="",
    version="v1",
    kind="ResourceQuota",
    plural="resourcequotas",
    short_names=("quota",),
    subresources=frozenset({"status"}),
    declared=Behavior(
        default=_default,
        validate=_validate,
        validate_update={"": _validate_update, "status": _validate_status_update},
        warn_create=_warn_create,
        cells=_cells,
        quota_name="resourcequotas",
    ),
)
