"""What the API does to a Traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import distributions, own_definitions
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.validation import field, metadata, names, structural, traffic_patterns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


_PARTS: Final = ("apiVersion", "kind", "metadata", "spec", "status")
_VERSIONS: Final = {
    "Deployment": "apps/v1", "StatefulSet": "apps/v1", "ReplicaSet": "apps/v1", "Service": "v1",
}  # fmt: skip
_FOREVER: Final = "forever"
# Requests that are under way depend on these.
_FIXED: Final = ("target", "container", "routing", "service")
_IMMUTABLE: Final = "cannot be changed: delete the Traffic, and create it again"


def _validate(obj: Json) -> list[FieldError]:
    return _validate_spec(obj)


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """The requests may change, but not the way that they take."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    errors += _validate_spec(new)
    if errors:
        return errors
    before, after = old["spec"], new["spec"]
    changed = [f"spec.{name}" for name in _FIXED if before.get(name) != after.get(name)]
    if _timeout(before) != _timeout(after):
        changed.append("spec.request.timeout")
    return [field.forbidden(path, _IMMUTABLE) for path in changed]


def _timeout(spec: Json) -> Any:
    return (spec.get("request") or {}).get("timeout")


def _validate_status(new: Json, _: Json) -> list[FieldError]:
    errors: list[FieldError] = []
    if new.get("status") is not None:
        schema = own_definitions.schema("traffics", "status")
        errors += structural.validate_strictly(schema, new["status"], "status")
    return errors


def _validate_spec(obj: Json) -> list[FieldError]:
    errors = [field.forbidden(name, "unknown field") for name in obj if name not in _PARTS]
    if "spec" not in obj:
        return [*errors, field.required("spec", "state at least target and pattern")]
    schema = own_definitions.schema("traffics", "spec")
    found = structural.validate_strictly(schema, obj["spec"], "spec")
    errors += map(traffic_patterns.reworded, found)
    return errors or list(_of_meaning(obj["spec"]))


def _of_meaning(spec: Json) -> Iterator[FieldError]:
    """What is wrong with a spec whose shape is right."""
    yield from _of_target(spec["target"])
    yield from traffic_patterns.span(spec, "startAfter", "spec")
    yield from traffic_patterns.span(spec, "duration", "spec", is_above_zero=True)
    yield from traffic_patterns.validate(spec["pattern"], "spec.pattern")
    yield from _of_request(spec.get("request") or {})
    service = spec.get("service") or {}
    if "workers" in service and service.get("discipline") != "FCFS":
        detail = "only the FCFS discipline has workers: add discipline: FCFS, or leave it out"
        yield field.forbidden("spec.service.workers", detail)


def _of_target(target: Json) -> Iterator[FieldError]:
    kind, version = target["kind"], target.get("apiVersion")
    if version is not None and version != _VERSIONS[kind]:
        yield field.not_supported("spec.target.apiVersion", version, [_VERSIONS[kind]])
    for problem in names.name_is_dns_subdomain(target["name"], False):
        yield field.invalid("spec.target.name", target["name"], problem)


def _of_request(request: Json) -> Iterator[FieldError]:
    for name in ("cpu", "io"):
        if name in request:
            try:
                distributions.parse(request[name])
            except InputError as refusal:
                detail = f"{refusal.problem}; {refusal.fix}"
                yield field.invalid(f"spec.request.{name}", request[name], detail)
    if request.get("timeout") != _FOREVER:
        for error in traffic_patterns.span(request, "timeout", "spec.request", is_above_zero=True):
            hint = f"{error.detail}; write a duration such as 10s, or {_FOREVER}"
            yield msgspec.structs.replace(error, detail=hint)


KIND: Final = Kind(
    group="kubestage.dev",
    version="v1alpha1",
    kind="Traffic",
    plural="traffics",
    subresources=frozenset({"status"}),
    declared=Behavior(
        validate=_validate,
        validate_update={"": _validate_update, "status": _validate_status},
        validates_metadata=("",),
        unconditional_update=False,
    ),
)
