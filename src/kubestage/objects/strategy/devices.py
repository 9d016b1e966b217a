"""How devices and claims to them are prepared: without the fields of features that are off."""

from __future__ import annotations

from typing import Any, Final

from kubestage.objects.strategy import status

_LISTS: Final = ("ints", "bools", "strings", "versions")


def create_slice(obj: dict[str, Any], _: str | None) -> None:
    """A new slice has neither lists for attributes nor mappings to the node's own resources."""
    _drop(obj, keeps_lists=False, keeps_mappings=False)


def update_slice(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """As on creation, but what was there may stay."""
    before = (old.get("spec") or {}).get("devices") or ()
    attributes = [each for device in before for each in (device.get("attributes") or {}).values()]
    _drop(
        new,
        keeps_lists=any(key in each for each in attributes for key in _LISTS),
        keeps_mappings=any(device.get("nodeAllocatableResourceMappings") for device in before),
    )


def _drop(obj: dict[str, Any], *, keeps_lists: bool, keeps_mappings: bool) -> None:
    spec = obj.get("spec") or {}
    devices = [
        _dropped(device, keeps_lists=keeps_lists, keeps_mappings=keeps_mappings)
        for device in spec.get("devices") or ()
    ]
    if devices:
        obj["spec"] = {**spec, "devices": devices}


def _dropped(device: dict[str, Any], *, keeps_lists: bool, keeps_mappings: bool) -> dict[str, Any]:
    out = dict(device)
    if not keeps_mappings:
        out.pop("nodeAllocatableResourceMappings", None)
    if not keeps_lists and out.get("attributes"):
        out["attributes"] = {
            name: {key: value for key, value in attribute.items() if key not in _LISTS}
            for name, attribute in out["attributes"].items()
        }
    return out


def update_claim_status(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """Who reports leaves metadata alone; reports on devices that were given back are dropped."""
    status.reset_metadata(new, old)
    report = new.get("status") or {}
    devices = report.get("devices")
    if devices is None:
        return
    given_back = _allocated(old) - _allocated(new)
    kept = [device for device in devices if _id(device) not in given_back]
    new["status"] = {key: value for key, value in report.items() if key != "devices"}
    if kept:
        new["status"]["devices"] = kept


def _allocated(claim: dict[str, Any]) -> set[tuple[str, ...]]:
    allocation = (claim.get("status") or {}).get("allocation") or {}
    return {_id(result) for result in (allocation.get("devices") or {}).get("results") or ()}


def _id(holder: dict[str, Any]) -> tuple[str, ...]:
    return tuple(holder.get(key) or "" for key in ("driver", "pool", "device", "shareID"))
