"""Rules for slices: the devices that a driver offers in a pool."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import affinity, field, internal_json, metadata, names
from kubestage.objects.validation.devices import device_names, lists, offers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.objects.validation.field import FieldError

_MAX_DEVICES: Final = 128
_MAX_ADVANCED_DEVICES: Final = 64
_MAX_COUNTER_SETS: Final = 8
_TERMS: Final = "[]core/v1.NodeSelectorTerm"
_ONE_WAY: Final = (
    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
)


def validate_slice(obj: dict[str, Any]) -> list[FieldError]:
    """A new slice."""
    errors = metadata.validate_object_meta(obj["metadata"], False, names.name_is_dns_subdomain)
    return errors + _validate_spec(obj.get("spec") or {}, None)


def validate_slice_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed slice: whose devices these are, and where, stays."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    return errors + _validate_spec(new.get("spec") or {}, old.get("spec") or {})


def _validate_spec(spec: dict[str, Any], old: dict[str, Any] | None) -> list[FieldError]:
    errors = device_names.validate_driver(spec.get("driver") or "", "spec.driver")
    errors += _validate_pool(spec.get("pool") or {}, "spec.pool")
    if old is not None:
        errors += _validate_same_place(spec, old)
    errors += _validate_place(spec)
    if spec.get("sharedCounters") is not None and spec.get("devices") is not None:
        detail = "only one of `sharedCounters` or `devices` is allowed"
        errors.append(field.invalid("spec", "", detail))
    before = {lists.name_of(each): each for each in (old or {}).get("devices") or ()}
    errors += lists.validate_set(
        spec.get("devices"),
        _MAX_ADVANCED_DEVICES if any(_is_advanced(spec)) else _MAX_DEVICES,
        functools.partial(
            offers.validate_device,
            before=before,
            own_place=spec.get("perDeviceNodeSelection") is True,
        ),
        lists.name_of,
        "spec.devices",
    )
    return errors + lists.validate_set(
        spec.get("sharedCounters"),
        _MAX_COUNTER_SETS,
        functools.partial(offers.validate_counters, key="name"),
        lists.name_of,
        "spec.sharedCounters",
    )


def _is_advanced(spec: dict[str, Any]) -> Iterator[bool]:
    for device in spec.get("devices") or ():
        yield bool(device.get("taints") or device.get("consumesCounters"))


def _validate_pool(pool: dict[str, Any], path: str) -> list[FieldError]:
    errors = device_names.validate_pool(pool.get("name") or "", f"{path}.name")
    count, generation = pool.get("resourceSliceCount") or 0, pool.get("generation") or 0
    if count <= 0:
        detail = "must be greater than zero"
        errors.append(field.invalid(f"{path}.resourceSliceCount", count, detail))
    if generation < 0:
        detail = "must be greater than or equal to zero"
        errors.append(field.invalid(f"{path}.generation", generation, detail))
    return errors


def _validate_same_place(spec: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    pool, old_pool = spec.get("pool") or {}, old.get("pool") or {}
    node = spec.get("nodeName")
    return [
        *metadata.validate_immutable(
            pool.get("name") or "", old_pool.get("name") or "", "spec.pool.name"
        ),
        *metadata.validate_immutable(
            spec.get("driver") or "", old.get("driver") or "", "spec.driver"
        ),
        *metadata.validate_immutable(
            node, old.get("nodeName"), "spec.nodeName", internal_json.text(node)
        ),
    ]


def _validate_place(spec: dict[str, Any]) -> list[FieldError]:
    """On which nodes the devices can be used: said in exactly one way."""
    errors: list[FieldError] = []
    said: list[str] = []
    node, selector = spec.get("nodeName"), spec.get("nodeSelector")
    if node:
        said.append("`nodeName`")
        errors += device_names.validate_node_name(node, "spec.nodeName")
    elif node is not None:
        detail = "must be either unset or set to a non-empty string"
        errors.append(field.invalid("spec.nodeName", node, detail))
    if selector is not None:
        said.append("`nodeSelector`")
        errors += affinity.validate_node_selector(selector, "spec.nodeSelector")
        terms = selector.get("nodeSelectorTerms")
        if len(terms or ()) != 1:
            shown = internal_json.render(_TERMS, terms)
            at = "spec.nodeSelector.nodeSelectorTerms"
            detail = "must have exactly one node selector term"
            errors.append(field.invalid(at, shown, detail))
    for key in ("allNodes", "perDeviceNodeSelection"):
        if spec.get(key) is True:
            said.append(f"`{key}`")
        elif spec.get(key) is not None:
            detail = "must be either unset or set to true"
            errors.append(field.invalid(f"spec.{key}", spec[key], detail))
    if not said:
        errors.append(field.required("spec", _ONE_WAY))
    elif len(said) > 1:
        detail = f"{_ONE_WAY}, but multiple fields are set"
        errors.append(field.invalid("spec", f"{{{', '.join(said)}}}", detail))
    return errors
