"""Addresses for services: one of a range for each, free again when the service is gone.

A step beside those of admission. Nothing is booked anywhere: an address is taken if a service has
it. Addresses are given out in order, so that the same run gives the same ones.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field, internal_json, status

if TYPE_CHECKING:
    from kubestage.errors import Invalid
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core

_RANGE: Final = ipaddress.IPv4Network("10.96.0.0/12")
# The addresses below are left to those who ask for one of them.
_FIRST: Final = 257
_LAST: Final = _RANGE.num_addresses - 2
_NONE: Final = "None"


def allocate(
    core: Core, kind: Kind, obj: dict[str, Any], old: dict[str, Any] | None
) -> dict[str, Any]:
    """Give a service its address, or let it keep the one it has."""
    if kind.kind != "Service" or kind.group:
        return obj
    spec = obj.get("spec") or {}
    if spec.get("type") == "ExternalName":
        return obj
    fields = _kept(spec, old)
    address = fields.get("clusterIP")
    if old is None and address and address != _NONE:
        _check_free(core, obj, address)
    if not address:
        address = _next_free(core)
    fields["clusterIP"] = address
    if not fields.get("clusterIPs"):
        fields["clusterIPs"] = [address]
    if fields.get("ipFamilyPolicy") is None:
        is_plain = address != _NONE or spec.get("selector")
        fields["ipFamilyPolicy"] = "SingleStack" if is_plain else "RequireDualStack"
    if not fields.get("ipFamilies"):
        is_dual = address == _NONE and fields["ipFamilyPolicy"] != "SingleStack"
        fields["ipFamilies"] = ["IPv4", "IPv6"] if is_dual else ["IPv4"]
    return {**obj, "spec": {**spec, **fields}}


def _kept(spec: dict[str, Any], old: dict[str, Any] | None) -> dict[str, Any]:
    """The fields in question, with what a PUT leaves out taken from before."""
    before = (old or {}).get("spec") or {}
    if before.get("type") == "ExternalName":
        before = {}
    names = ("clusterIP", "clusterIPs", "ipFamilyPolicy", "ipFamilies")
    return {name: spec.get(name) or before.get(name) for name in names}


def _is_taken(core: Core, address: str) -> bool:
    collection = core.ledger.collection(core.kind(("v1", "Service")))
    return bool(collection.fields["spec.clusterIP"].get(address))


def _next_free(core: Core) -> str:
    for _ in range(_FIRST, _LAST + 1):
        at = max(core.service_address, _FIRST)
        core.service_address = at + 1 if at < _LAST else _FIRST
        address = str(_RANGE[at])
        if not _is_taken(core, address):
            return address
    raise AssertionError("a million services")


def _check_free(core: Core, obj: dict[str, Any], address: str) -> None:
    try:
        is_in_range = ipaddress.ip_address(address) in _RANGE
    except ValueError:
        # What is no address at all is a matter of validation.
        return
    if not is_in_range:
        why = "the provided network does not match the current range"
        raise _refuse(obj, address, why)
    if _is_taken(core, address):
        raise _refuse(obj, address, "provided IP is already allocated")


def _refuse(obj: dict[str, Any], address: str, why: str) -> Invalid:
    shown = internal_json.text(obj["spec"].get("clusterIPs") or [address])
    detail = f"failed to allocate IP {address}: {why}"
    return status.invalid(obj, [field.invalid("spec.clusterIPs", shown, detail)])
