"""Addresses for services: one of a range for each, free again when the service is gone.

A step beside those of admission. Nothing is booked anywhere: an address is taken if a service has
it. Addresses are given out in order, so that the same run gives the same ones. The range is of one
family, IPv4. In a cluster with an API server, ServiceCIDRs say which ranges there are, and an
address is taken as well if an IPAddress of another owner has it.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field, internal_json, rules, status
from kubestage.objects.validation import service_families as families
from kubestage.store import ip_addresses, refusals, service_ports, service_ranges

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.errors import Invalid
    from kubestage.objects.kinds import Kind
    from kubestage.objects.validation.field import FieldError
    from kubestage.store.core import Core

_RANGE: Final = service_ranges.DEFAULT
# The addresses below are left to those who ask for one of them.
_FIRST: Final = 257
_LAST: Final = _RANGE.num_addresses - 2
_POLICY: Final = "spec.ipFamilyPolicy"


def allocate(core: Core, kind: Kind, obj: Json, old: Json | None) -> Json:
    """Give a service its addresses and ports, or let it keep those it has."""
    if kind.kind != "Service" or kind.group:
        return obj
    spec = dict(obj.get("spec") or {})
    before = None if old is None else old.get("spec") or {}
    service = {**obj, "spec": spec}
    if before is not None:
        _keep_addresses(spec, before)
        service_ports.keep(spec, before)
    _align(spec, before)
    if spec.get("type") != "ExternalName" and not _is_settled(spec, before):
        _choose_families(service, spec, before)
        if before is None or before.get("type") == "ExternalName":
            _allocate_addresses(core, service, spec)
    service_ports.allocate(core, service, spec, before)
    return service


def as_read(spec: Json) -> Json:
    """A recorded service with what an older server did not write down beside its address."""
    read = dict(spec)
    _align(read, None)
    addresses: list[str] = read.get("clusterIPs") or []
    if read.get("type") == "ExternalName" or read.get("ipFamilies") or not addresses:
        return read
    is_headless = families.is_headless(read)
    if is_headless and not read.get("selector"):
        read["ipFamilies"] = [families.IPV4, families.IPV6]
    elif is_headless:
        read["ipFamilies"] = [families.IPV4]
    else:
        read["ipFamilies"] = [
            families.IPV6 if families.is_ipv6(each) else families.IPV4 for each in addresses
        ]
    is_single = len(read["ipFamilies"]) == 1
    read["ipFamilyPolicy"] = families.SINGLE if is_single else families.REQUIRE_DUAL
    return read


def _keep_addresses(spec: Json, before: Json) -> None:
    """What a PUT leaves out is taken from before."""
    if "ExternalName" in (spec.get("type"), before.get("type")):
        return
    for key in ("clusterIP", "clusterIPs"):
        if not spec.get(key) and before.get(key):
            spec[key] = before[key]


def _align(spec: Json, before: Json | None) -> None:
    """Who knows only the first address means all of them."""
    address, addresses = spec.get("clusterIP") or "", spec.get("clusterIPs") or []
    if before is None:
        if address and not addresses:
            spec["clusterIPs"] = [address]
        return
    was, known = before.get("clusterIP") or "", before.get("clusterIPs") or []
    if known and not addresses and was == address:
        spec["clusterIPs"] = known
    elif was != address and addresses == known:
        if address:
            spec["clusterIPs"] = [address]
        else:
            spec.pop("clusterIPs", None)


def _is_settled(spec: Json, before: Json | None) -> bool:
    """Whether a service that takes what it gets has not changed its mind."""
    return (
        before is not None
        and spec.get("ipFamilyPolicy") == families.PREFER_DUAL
        and before.get("ipFamilyPolicy") in (None, families.PREFER_DUAL)
        and all(spec.get(key) == before.get(key) for key in ("type", "clusterIPs", "ipFamilies"))
    )


def _choose_families(obj: Json, spec: Json, before: Json | None) -> None:
    is_open = spec.get("clusterIP") == families.NONE and not spec.get("selector")
    if spec.get("ipFamilyPolicy") is None:
        policy_before = (before or {}).get("ipFamilyPolicy")
        spec["ipFamilyPolicy"] = policy_before or (
            families.REQUIRE_DUAL if is_open else families.SINGLE
        )
    _refuse_any(obj, families.validate_addresses(spec, before))
    problems = [] if before is None else _released(spec, before)
    problems += _check_single(spec) + _infer_families(spec)
    _refuse_any(obj, problems)
    chosen: list[str] = spec.get("ipFamilies") or []
    if is_open:
        # Its endpoints may be anywhere: on this cluster or not, of either family.
        chosen = chosen or [families.IPV4]
        if len(chosen) < 2 and spec["ipFamilyPolicy"] != families.SINGLE:
            other = families.IPV6 if chosen[0] == families.IPV4 else families.IPV4
            chosen = [chosen[0], other]
    else:
        _refuse_any(obj, _check_configured(spec, chosen))
    spec["ipFamilies"] = chosen or [families.IPV4]


def _released(spec: Json, before: Json) -> list[FieldError]:
    """A second address or family goes when the policy changes, and only then."""
    problems: list[FieldError] = []
    for key, what in (("clusterIPs", "cluster IP"), ("ipFamilies", "IP family")):
        addresses, known = spec.get(key) or [], before.get(key) or []
        if spec["ipFamilyPolicy"] == families.SINGLE:
            if addresses == known and len(addresses) > 1:
                spec[key] = addresses[:1]
        elif addresses and len(addresses) < len(known):
            detail = f"must be 'SingleStack' to release the secondary {what}"
            problems.append(_invalid(_POLICY, spec["ipFamilyPolicy"], detail))
    return problems


def _check_single(spec: Json) -> list[FieldError]:
    if spec["ipFamilyPolicy"] != families.SINGLE:
        return []
    details = {"clusterIPs": "cluster IPs", "ipFamilies": "IP families"}
    return [
        _invalid(
            _POLICY,
            families.SINGLE,
            f"must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified",
        )
        for key, what in details.items()
        if len(spec.get(key) or ()) == 2
    ]


def _infer_families(spec: Json) -> list[FieldError]:
    """The family of an address goes without saying."""
    problems: list[FieldError] = []
    addresses: list[str] = spec.get("clusterIPs") or []
    known: list[str] = list(spec.get("ipFamilies") or ())
    for index, address in enumerate(addresses):
        if address == families.NONE:
            break
        if index < len(known):
            continue
        if families.is_ipv6(address):
            path = f"spec.clusterIPs[{index}]"
            problems.append(_invalid(path, addresses, "IPv6 is not configured on this cluster"))
        else:
            known.append(families.IPV4)
    if known:
        spec["ipFamilies"] = known
    return problems


def _check_configured(spec: Json, chosen: list[str]) -> list[FieldError]:
    problems: list[FieldError] = []
    policy = spec["ipFamilyPolicy"]
    if policy == families.REQUIRE_DUAL:
        detail = "this cluster is not configured for dual-stack services"
        problems.append(_invalid(_POLICY, policy, detail))
    return problems + [
        _invalid(f"spec.ipFamilies[{index}]", family, "not configured on this cluster")
        for index, family in enumerate(chosen)
        if family != families.IPV4
    ]


def _allocate_addresses(core: Core, obj: Json, spec: Json) -> None:
    addresses: list[str] = spec.get("clusterIPs") or []
    if families.NONE in addresses[:1]:
        return
    if addresses:
        _check_free(core, obj, addresses)
        _check_record(obj, addresses, addresses[0], f"failed to allocate IP {addresses[0]}")
    else:
        address = _next_free(core, obj)
        _check_record(obj, [""], address, "failed to allocate IP")
        spec["clusterIPs"] = [address]
    spec["clusterIP"] = spec["clusterIPs"][0]


def _check_record(obj: Json, addresses: list[str], address: str, why: str) -> None:
    """An address is recorded under the service's name, which must therefore be one."""
    metadata = obj["metadata"]
    name = metadata.get("name") or metadata.get("generateName") or ""
    parent = {"resource": "services", "name": name, "namespace": metadata.get("namespace")}
    record = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "IPAddress",
        "metadata": {"name": address},
        "spec": {"parentRef": parent},
    }
    problems = rules.validate_create(record)
    if problems:
        detail = f"{why}: {status.invalid(record, problems).message}"
        raise status.invalid(obj, [_invalid("spec.clusterIPs", addresses, detail)])


def _is_taken(core: Core, address: str) -> bool:
    collection = core.ledger.collection(core.kind(("v1", "Service")))
    if collection.fields["spec.clusterIP"].get(address):
        return True
    return core.bootstrap is not None and address in core.read(ip_addresses.IP_ADDRESS)


def _next_free(core: Core, obj: Json) -> str:
    for network in service_ranges.usable(core):
        in_order = _in_turn(core) if network == _RANGE else service_ranges.addresses(network)
        free = (str(each) for each in in_order if not _is_taken(core, str(each)))
        found = next(free, None)
        if found is not None:
            return found
    raise refusals.no_service_address(obj["metadata"].get("name") or "")


def _in_turn(core: Core) -> Iterator[ipaddress.IPv4Address]:
    """All addresses of the default range, from the one after the last that was given out."""
    for _ in range(_FIRST, _LAST + 1):
        at = max(core.service_address, _FIRST)
        core.service_address = at + 1 if at < _LAST else _FIRST
        yield _RANGE[at]


def _check_free(core: Core, obj: Json, addresses: list[str]) -> None:
    address = ipaddress.ip_address(addresses[0])
    network = next((each for each in service_ranges.usable(core) if address in each), None)
    if network is None:
        raise _refuse(obj, addresses, "the provided network does not match the current range")
    if address in (network.network_address, network.broadcast_address):
        why = (
            f"the provided IP ({address}) is not in the valid range. "
            f"The range of valid IPs is {network}"
        )
        raise _refuse(obj, addresses, why)
    if _is_taken(core, addresses[0]):
        raise _refuse(obj, addresses, "provided IP is already allocated")


def _refuse(obj: Json, addresses: list[str], why: str) -> Invalid:
    detail = f"failed to allocate IP {addresses[0]}: {why}"
    return status.invalid(obj, [_invalid("spec.clusterIPs", addresses, detail)])


def _refuse_any(obj: Json, problems: list[FieldError]) -> None:
    if problems:
        raise status.invalid(obj, problems)


def _invalid(path: str, value: Any, detail: str) -> FieldError:
    return field.invalid(path, internal_json.text(value), detail)
