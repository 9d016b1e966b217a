"""What the API does to an APIService."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.kinds.behavior import CREATE, Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.strategy import status
from kubestage.objects.tables import cells
from kubestage.objects.validation import field, metadata, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_HTTPS: Final = 443
_SPEC: Final = "apiregistration/v1.APIServiceSpec"


def _default(obj: Json) -> None:
    service = obj["spec"].get("service")
    if service is not None:
        service.setdefault("port", _HTTPS)


def _prepare_create(obj: Json, now: str | None) -> None:
    """A group that this server serves is available at once."""
    if obj["spec"].get("service") is not None:
        return
    condition = {
        "type": "Available",
        "status": "True",
        "lastTransitionTime": now,
        "reason": "Local",
        "message": "Local APIServices are always available",
    }
    obj["status"] = {**obj["status"], "conditions": [condition]}


def _validate(obj: Json) -> list[FieldError]:
    """The name consists of the version and the group."""
    spec = obj.get("spec") or {}
    group, version = spec.get("group") or "", spec.get("version") or ""
    expected = f"{version}.{group}"

    def name_rule(name: str, _: bool) -> names.Problems:
        problems = names.is_valid_path_segment_name(name)
        if problems or name == expected:
            return problems
        return (f'must be `spec.version+"."+spec.group`: {field.quote(expected)}',)

    errors = metadata.validate_object_meta(obj["metadata"], False, name_rule, kube_finalizers=False)
    if not group and version != "v1":
        detail = "only v1 may have an empty group and it better be legacy kube"
        errors.append(field.required("spec.group", detail))
    errors += markers.check(_SPEC, spec, "spec", "group")
    errors += field.invalids("spec.version", version, names.is_dns1035_label(version))
    errors += markers.check(_SPEC, spec, "spec", "groupPriorityMinimum", "versionPriority")
    return errors + _validate_service(spec)


def _validate_service(spec: Json) -> list[FieldError]:
    service, is_insecure = spec.get("service"), bool(spec.get("insecureSkipTLSVerify"))
    bundle = base64.b64decode(spec.get("caBundle") or "")
    errors: list[FieldError] = []
    insecure = "spec.insecureSkipTLSVerify"
    if service is None:
        if bundle:
            detail = "local APIServices may not have a caBundle"
            errors.append(field.invalid("spec.caBundle", f"{len(bundle)} bytes", detail))
        if is_insecure:
            detail = "local APIServices may not have insecureSkipTLSVerify"
            errors.append(field.invalid(insecure, True, detail))
        return errors
    errors += markers.check("apiregistration/v1.ServiceReference", service, "spec.service")
    if is_insecure and bundle:
        errors.append(field.invalid(insecure, True, "may not be true if caBundle is present"))
    return errors


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """A changed API service."""
    errors = metadata.validate_object_meta_update(
        new["metadata"], old["metadata"], kube_finalizers=False
    )
    return errors + _validate(new)


def _validate_status(new: Json, old: Json) -> list[FieldError]:
    errors = metadata.validate_object_meta_update(
        new["metadata"], old["metadata"], kube_finalizers=False
    )
    for index, condition in enumerate((new.get("status") or {}).get("conditions") or ()):
        path = f"status.conditions[{index}]"
        errors += markers.check("apiregistration/v1.APIServiceCondition", condition, path)
    return errors


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    service = cells.part(obj, "spec").get("service")
    where = "Local"
    if service is not None:
        where = f"{cells.text(service, 'namespace')}/{cells.text(service, 'name')}"
    state = "Unknown"
    for condition in cells.items(obj, "status", "conditions"):
        if cells.text(condition, "type") == "Available":
            state, reason = cells.text(condition, "status"), cells.text(condition, "reason")
            if state != "True" and reason:
                state = f"{state} ({reason})"
            break
    return [cells.name(obj), where, state, cells.age(obj, now_ns)]


KIND: Final = Kind(
    group="apiregistration.k8s.io",
    version="v1",
    kind="APIService",
    plural="apiservices",
    namespaced=False,
    categories=("api-extensions",),
    subresources=frozenset({"status"}),
    declared=Behavior(
        default=_default,
        prepare_create=_prepare_create,
        prepare_update={"status": status.reset_metadata},
        validate=_validate,
        validate_update={"": _validate_update, "status": _validate_status},
        validates_metadata=(CREATE, "", "status"),
        cells=_cells,
        status_resets_metadata=True,
        unconditional_update=False,
    ),
)
