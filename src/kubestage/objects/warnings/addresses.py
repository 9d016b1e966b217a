"""Advice about addresses and blocks that are understood, yet not spelt in the one right way."""

from __future__ import annotations

import ipaddress

from kubestage.aliases import Json
from kubestage.objects.validation import addresses, field


def address(value: str, path: str) -> list[str]:
    """An address."""
    parsed = addresses.parse_sloppy(value)
    if parsed is None:
        return []
    right = addresses.canonical(parsed)
    if addresses.is_mapped(parsed) or not _is_plain(value):
        shown = f"{field.quote(value)} is invalid: use {field.quote(right)}"
        return [f"{path}: non-standard IP address {shown}"]
    if parsed.version == 4 or right == value:
        return []
    shown = f"{field.quote(value)} should be in RFC 5952 canonical format ({field.quote(right)})"
    return [f"{path}: IPv6 address {shown}"]


def block(value: str, path: str) -> list[str]:
    """A block of addresses."""
    parts = addresses.split_cidr(value)
    if parts is None:
        return []
    address, length = parts
    text, _, digits = value.partition("/")
    network = ipaddress.ip_network(f"{address}/{length}", strict=False)
    found: list[str] = []
    if network.network_address != address:
        single = f"{addresses.canonical(address)}/{address.max_prefixlen}"
        choice = f"(should be {field.quote(str(network))} or {field.quote(single)}?)"
        shown = f"{field.quote(value)} is ambiguous in this context {choice}"
        found.append(f"{path}: CIDR value {shown}")
    if addresses.is_mapped(address) or not _is_plain(text) or digits != str(length):
        shown = f"{field.quote(value)} is invalid: use {field.quote(str(network))}"
        found.append(f"{path}: non-standard CIDR value {shown}")
    right = f"{address}/{length}"
    if not found and address.version == 6 and right != value:
        shown = f"{field.quote(value)} should be in RFC 5952 canonical format"
        found.append(f"{path}: IPv6 CIDR value {shown} ({field.quote(right)})")
    return found


def _is_plain(text: str) -> bool:
    """Whether an address has no zeros that older releases ignored."""
    return "must not have leading 0s" not in addresses.is_valid_ip_for_legacy_field(text)


def warn_each(values: list[str] | tuple[str, ...], path: str) -> list[str]:
    """Warnings about each of several addresses."""
    return [
        warning
        for index, value in enumerate(values)
        for warning in address(value, f"{path}[{index}]")
    ]


def load_balancer(obj: Json) -> list[str]:
    """Addresses that a load balancer reports, of a service or an ingress."""
    points = ((obj.get("status") or {}).get("loadBalancer") or {}).get("ingress") or ()
    return [
        warning
        for index, point in enumerate(points)
        for warning in address(point.get("ip") or "", f"status.loadBalancer.ingress[{index}]")
    ]
