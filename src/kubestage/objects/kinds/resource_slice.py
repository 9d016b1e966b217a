"""What the API does to a ResourceSlice."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import affinity, field, internal_json, metadata
from kubestage.objects.validation.devices import device_names, lists, offers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_LISTS: Final = ("ints", "bools", "strings", "versions")
_MAX_DEVICES: Final = 128
_MAX_ADVANCED_DEVICES: Final = 64
_MAX_COUNTER_SETS: Final = 8
_TERMS: Final = "[]core/v1.NodeSelectorTerm"
_ONE_WAY: Final = (
    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
)


def _default(obj: Json, _: Json, now: str | None) -> None:
    """New taints get the time, if there is one."""
    for device in obj["spec"].get("devices", ()):
        for mapping in device.get("nodeAllocatableResourceMappings", {}).values():
            mapping.setdefault("allocationMultiplier", "1")
        if now is not None:
            for taint in device.get("taints", ()):
                taint.setdefault("timeAdded", now)


def _prepare_create(obj: Json, _: str | None) -> None:
    """Drop lists of attributes and mappings to node resources: these features are off."""
    _drop(obj, keeps_lists=False, keeps_mappings=False)


def _prepare_update(new: Json, old: Json, _: str | None) -> None:
    """As on creation, unless the old slice uses these features."""
    before = (old.get("spec") or {}).get("devices") or ()
    attributes = [each for device in before for each in (device.get("attributes") or {}).values()]
    _drop(
        new,
        keeps_lists=any(key in each for each in attributes for key in _LISTS),
        keeps_mappings=any(device.get("nodeAllocatableResourceMappings") for device in before),
    )


def _drop(obj: Json, *, keeps_lists: bool, keeps_mappings: bool) -> None:
    spec = obj.get("spec") or {}
    devices = [
        _dropped(device, keeps_lists=keeps_lists, keeps_mappings=keeps_mappings)
        for device in spec.get("devices") or ()
    ]
    if devices:
        obj["spec"] = {**spec, "devices": devices}


def _dropped(device: Json, *, keeps_lists: bool, keeps_mappings: bool) -> Json:
    out = dict(device)
    if not keeps_mappings:
        out.pop("nodeAllocatableResourceMappings", None)
    if not keeps_lists and out.get("attributes"):
        out["attributes"] = {
            name: {key: value for key, value in attribute.items() if key not in _LISTS}
            for name, attribute in out["attributes"].items()
        }
    return out


def _validate(obj: Json) -> list[FieldError]:
    return _validate_spec(obj.get("spec") or {}, None)


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """The driver, the pool and the node of a slice do not change."""
    return _validate_spec(new.get("spec") or {}, old.get("spec") or {})


def _validate_spec(spec: Json, old: Json | None) -> list[FieldError]:
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


def _is_advanced(spec: Json) -> Iterator[bool]:
    for device in spec.get("devices") or ():
        yield bool(device.get("taints") or device.get("consumesCounters"))


def _validate_pool(pool: Json, path: str) -> list[FieldError]:
    errors = device_names.validate_pool(pool.get("name") or "", f"{path}.name")
    return errors + markers.check("resource/v1.ResourcePool", pool, path)


def _validate_same_place(spec: Json, old: Json) -> list[FieldError]:
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


def _validate_place(spec: Json) -> list[FieldError]:
    """Exactly one field selects the nodes that can use the devices."""
    errors: list[FieldError] = []
    selected: list[str] = []
    node, selector = spec.get("nodeName"), spec.get("nodeSelector")
    if node:
        selected.append("`nodeName`")
        errors += device_names.validate_node_name(node, "spec.nodeName")
    elif node is not None:
        detail = "must be either unset or set to a non-empty string"
        errors.append(field.invalid("spec.nodeName", node, detail))
    if selector is not None:
        selected.append("`nodeSelector`")
        errors += affinity.validate_node_selector(selector, "spec.nodeSelector")
        terms = selector.get("nodeSelectorTerms")
        if len(terms or ()) != 1:
            shown = internal_json.render(_TERMS, terms)
            at = "spec.nodeSelector.nodeSelectorTerms"
            detail = "must have exactly one node selector term"
            errors.append(field.invalid(at, shown, detail))
    for key in ("allNodes", "perDeviceNodeSelection"):
        if spec.get(key) is True:
            selected.append(f"`{key}`")
        elif spec.get(key) is not None:
            detail = "must be either unset or set to true"
            errors.append(field.invalid(f"spec.{key}", spec[key], detail))
    if not selected:
        errors.append(field.required("spec", _ONE_WAY))
    elif len(selected) > 1:
        detail = f"{_ONE_WAY}, but multiple fields are set"
        errors.append(field.invalid("spec", f"{{{', '.join(selected)}}}", detail))
    return errors


def _warn(obj: Json) -> list[str]:
    """Capitals in the name of a driver."""
    name = (obj.get("spec") or {}).get("driver") or ""
    if name == name.lower():
        return []
    quoted = field.quote(name)
    return [
        (f"spec.driver: driver names should be lowercase; {quoted} contains uppercase characters")
    ]


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    spec = cells.part(obj, "spec")
    return [
        cells.name(obj),
        cells.text(spec, "nodeName"),
        cells.text(spec, "driver"),
        cells.text(spec, "pool", "name"),
        cells.age(obj, now_ns),
    ]


KIND: Final = Kind(
    group="resource.k8s.io",
    version="v1",
    kind="ResourceSlice",
    plural="resourceslices",
    namespaced=False,
    old_versions=("resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2"),
    declared=Behavior(
        default_from_sent=_default,
        prepare_create=_prepare_create,
        prepare_update={"": _prepare_update},
        generation_fields=("spec",),
        validate=_validate,
        validate_update={"": _validate_update},
        warn=_warn,
        cells=_cells,
    ),
)
