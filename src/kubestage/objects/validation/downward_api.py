"""References from a container or volume to fields and resources of its own pod."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import quantity
from kubestage.objects.validation import field, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

ENV_FIELDS: Final = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
"""Pod fields that an environment variable may hold."""

VOLUME_FIELDS: Final = (
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
)
"""Pod fields that a file may hold."""

# Labels that the API converts; whether they may be used in their place is checked later.
_CONVERTIBLE: Final = frozenset(
    {*ENV_FIELDS, *VOLUME_FIELDS, "spec.restartPolicy", "spec.schedulerName", "status.phase"}
)

_RESOURCES: Final = (
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
)
_HUGE_PAGES: Final = ("limits.hugepages-", "requests.hugepages-")
_BYTE_DIVISORS: Final[tuple[str, ...]] = (
    "1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei",
)  # fmt: skip


def validate_field_selector(
    selector: Json, supported: tuple[str, ...], path: str
) -> list[FieldError]:
    """A reference to a field of the pod."""
    version = selector.get("apiVersion") or ""
    field_path = selector.get("fieldPath") or ""
    if not version:
        return [field.required(f"{path}.apiVersion")]
    if not field_path:
        return [field.required(f"{path}.fieldPath")]
    converted, problem = _convert(version, field_path)
    if problem:
        detail = f"error converting fieldPath: {problem}"
        return [field.invalid(f"{path}.fieldPath", field_path, detail)]
    base, subscript = _split_subscript(converted)
    if subscript is not None:
        key = subscript.lower() if base == "metadata.annotations" else subscript
        return field.invalids(path, key, names.is_qualified_name(key))
    if base not in supported:
        return [field.not_supported(f"{path}.fieldPath", base, supported)]
    return []


def _convert(version: str, label: str) -> tuple[str, str]:
    """The field in today's spelling, or why there is none."""
    if version != "v1":
        return "", f"unsupported pod version: {version}"
    base, subscript = _split_subscript(label)
    if subscript is not None:
        if base in ("metadata.annotations", "metadata.labels"):
            return label, ""
        return "", f"field label does not support subscript: {label}"
    if label in _CONVERTIBLE:
        return label, ""
    if label == "spec.host":
        return "spec.nodeName", ""
    return "", f"field label not supported: {label}"


def _split_subscript(text: str) -> tuple[str, str | None]:
    """``metadata.labels['a']`` as its two parts."""
    if text.endswith("']"):
        base, bracket, subscript = text[:-2].partition("['")
        if bracket and base:
            return base, subscript
    return text, None


def validate_resource_selector(selector: Json, path: str, in_volume: bool) -> list[FieldError]:
    """A reference to a request or limit of a container."""
    errors = []
    resource = selector.get("resource") or ""
    if in_volume and not selector.get("containerName"):
        errors.append(field.required(f"{path}.containerName"))
    elif not resource:
        errors.append(field.required(f"{path}.resource"))
    elif resource not in _RESOURCES and not resource.startswith(_HUGE_PAGES):
        errors.append(field.not_supported(f"{path}.resource", resource, _RESOURCES))
    divisor = selector.get("divisor")
    if divisor:
        errors += _validate_divisor(resource, quantity.of(divisor), path)
    return errors


def _validate_divisor(resource: str, divisor: quantity.Quantity, path: str) -> list[FieldError]:
    if divisor.is_zero:
        return []
    allowed, shown = _BYTE_DIVISORS, ", ".join(_BYTE_DIVISORS)
    if resource in ("limits.cpu", "requests.cpu"):
        allowed, shown, noun = ("1m", "1"), "1m and 1", "cpu"
    elif resource in ("limits.memory", "requests.memory"):
        noun = "memory"
    elif resource in ("limits.ephemeral-storage", "requests.ephemeral-storage"):
        noun = "local ephemeral storage"
    elif resource.startswith(_HUGE_PAGES):
        noun = "hugepages"
    else:
        return []
    if str(divisor) in allowed:
        return []
    detail = f"only divisor's values {shown} are supported with the {noun} resource"
    return [field.invalid(f"{path}.divisor", resource, detail)]
