"""What the API does to a CSIDriver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import field, internal_json, metadata

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_GROUP_POLICIES: Final = ("File", "None", "ReadWriteOnceWithFSType")
_LIFECYCLES: Final = ("Persistent", "Ephemeral")
# Required fields, and their names in messages.
_REQUIRED: Final = (
    ("attachRequired", "attachedRequired"),
    ("podInfoOnMount", "podInfoOnMount"),
    ("storageCapacity", "storageCapacity"),
)
_TOKENS: Final = (
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to "
    "prevent possible logging of tokens in volume attributes"
)


def _default(obj: Json) -> None:
    spec = obj["spec"]
    spec.setdefault("attachRequired", True)
    spec.setdefault("podInfoOnMount", False)
    spec.setdefault("storageCapacity", False)
    spec.setdefault("fsGroupPolicy", "ReadWriteOnceWithFSType")
    if "volumeLifecycleModes" not in spec:
        spec["volumeLifecycleModes"] = ["Persistent"]
    spec.setdefault("requiresRepublish", False)
    spec.setdefault("seLinuxMount", False)


def _prepare_create(driver: Json, _: str | None) -> None:
    """Drop the field of a feature that is off."""
    spec = driver.get("spec") or {}
    if "preventPodSchedulingIfMissing" in spec:
        driver["spec"] = {k: v for k, v in spec.items() if k != "preventPodSchedulingIfMissing"}


def _prepare_update(new: Json, old: Json, _: str | None) -> None:
    """As on creation, unless the field is set already."""
    if (old.get("spec") or {}).get("preventPodSchedulingIfMissing") is None:
        _prepare_create(new, None)


def _validate(obj: Json) -> list[FieldError]:
    return _validate_spec(obj.get("spec") or {})


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """How volumes are attached, and their lifecycle, do not change."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    errors = _validate_spec(spec)
    for key, path in (
        ("attachRequired", "spec.attachedRequired"),
        ("volumeLifecycleModes", "spec.volumeLifecycleModes"),
    ):
        shown = internal_json.text(spec.get(key))
        errors += metadata.validate_immutable(spec.get(key), before.get(key), path, shown)
    return errors


def _validate_spec(spec: Json) -> list[FieldError]:
    errors = [field.required(f"spec.{path}") for key, path in _REQUIRED if spec.get(key) is None]
    policy = spec.get("fsGroupPolicy")
    if policy is not None and policy not in _GROUP_POLICIES:
        shown = internal_json.text(policy)
        errors.append(field.not_supported("spec.fsGroupPolicy", shown, _GROUP_POLICIES))
    requests = spec.get("tokenRequests") or []
    errors += _validate_token_requests(requests, "spec.tokenRequests")
    for mode in spec.get("volumeLifecycleModes") or ():
        if mode not in _LIFECYCLES:
            shown = internal_json.text(mode)
            errors.append(field.not_supported("spec.volumeLifecycleModes", shown, _LIFECYCLES))
    errors += markers.check("storage/v1.CSIDriverSpec", spec, "spec")
    in_secrets = spec.get("serviceAccountTokenInSecrets")
    if in_secrets is not None and not requests:
        detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
        errors.append(field.invalid("spec.serviceAccountTokenInSecrets", in_secrets, detail))
    return errors


def _validate_token_requests(requests: list[Json], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    audiences: set[str] = set()
    for index, request in enumerate(requests):
        audience = request.get("audience") or ""
        if audience in audiences:
            errors.append(field.duplicate(f"{path}[{index}].audience", audience))
            continue
        audiences.add(audience)
        errors += markers.check("storage/v1.TokenRequest", request, f"{path}[{index}]")
    return errors


def _warn_create(obj: Json) -> list[str]:
    """Tokens may be logged."""
    spec = obj.get("spec") or {}
    if not spec.get("tokenRequests") or spec.get("serviceAccountTokenInSecrets") is not None:
        return []
    return [_TOKENS]


def _warn_update(new: Json, old: Json) -> list[str]:
    """The same, if the token requests change."""
    requests = ((each.get("spec") or {}).get("tokenRequests") or [] for each in (new, old))
    return [] if next(requests) == next(requests) else _warn_create(new)


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    spec = cells.part(obj, "spec")
    requests = spec.get("tokenRequests")
    attach = spec.get("attachRequired")
    audiences = [cells.text(request, "audience") for request in requests or []]
    return [
        cells.name(obj),
        True if attach is None else bool(attach),
        bool(spec.get("podInfoOnMount")),
        bool(spec.get("storageCapacity")),
        cells.UNSET if requests is None else ",".join(audiences),
        bool(spec.get("requiresRepublish")),
        ",".join(cells.items(spec, "volumeLifecycleModes")) or cells.NONE,
        cells.age(obj, now_ns),
    ]


KIND: Final = Kind(
    group="storage.k8s.io",
    version="v1",
    kind="CSIDriver",
    plural="csidrivers",
    namespaced=False,
    old_versions=("storage.k8s.io/v1beta1",),
    declared=Behavior(
        default=_default,
        prepare_create=_prepare_create,
        prepare_update={"": _prepare_update},
        generation_fields=("spec",),
        generation_at_create=False,
        validate=_validate,
        validate_update={"": _validate_update},
        warn_create=_warn_create,
        warn_update={"": _warn_update},
        cells=_cells,
        unconditional_update=False,
    ),
)
