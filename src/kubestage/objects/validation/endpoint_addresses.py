"""Rules for addresses of endpoints, slices and external IPs."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Final

from kubestage.objects.validation import addresses, field

if TYPE_CHECKING:
    from collections.abc import Collection

    from kubestage.objects.validation.addresses import Address
    from kubestage.objects.validation.field import FieldError

_LOCAL_MULTICAST: Final = (
    ipaddress.ip_network("224.0.0.0/24"),
    ipaddress.ip_network("ff02::/16"),
)
_LINK_LOCAL: Final = (
    ipaddress.ip_network("169.254.0.0/16"),
    ipaddress.ip_network("fe80::/10"),
)


def validate_legacy(value: str, path: str, known: Collection[str] = ()) -> list[FieldError]:
    """An address of an old field; values of the stored object are not validated."""
    if value in known:
        return []
    return field.invalids(path, value, addresses.is_valid_ip_for_legacy_field(value))


def validate_endpoint_ip(value: str, path: str) -> list[FieldError]:
    """An address that can be reached from everywhere."""
    parsed = addresses.parse_sloppy(value)
    if parsed is None:
        return [field.invalid(path, value, "must be a valid IP address")]
    address = _plain(parsed)
    problems: list[str] = []
    if address.is_unspecified:
        problems.append(f"may not be unspecified ({value})")
    if address.is_loopback:
        problems.append("may not be in the loopback range (127.0.0.0/8, ::1/128)")
    if any(address in network for network in _LINK_LOCAL):
        problems.append("may not be in the link-local range (169.254.0.0/16, fe80::/10)")
    if any(address in network for network in _LOCAL_MULTICAST):
        problems.append("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")
    return field.invalids(path, value, problems)


def is_ipv4(value: str) -> bool:
    """Whether a text is an IPv4 address, perhaps in IPv6 form."""
    parsed = addresses.parse_sloppy(value)
    return parsed is not None and _plain(parsed).version == 4


def _plain(address: Address) -> Address:
    if isinstance(address, ipaddress.IPv6Address):
        return address.ipv4_mapped or address
    return address
