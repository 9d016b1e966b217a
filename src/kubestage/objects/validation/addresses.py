"""IP addresses and CIDR blocks, as strictly as the API takes them.

Old fields accept any spelling of an address that cannot be misread; new ones only the canonical
form.
"""

from __future__ import annotations

import functools
import ipaddress
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.objects.validation import names

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_IP_ERROR: Final = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_CIDR_ERROR: Final = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
_strip_zeros: Final = functools.partial(re.compile(r"(?<![0-9A-Fa-f])0+(?=[0-9A-Fa-f])").sub, "")
_prefix_length: Final = re.compile("[0-9]+").fullmatch


def _parse_strict(value: str) -> Address | None:
    if "%" in value:
        return None
    try:
        return ipaddress.ip_address(value)
    except ValueError:
        return None


@functools.lru_cache(4096)
def parse_sloppy(value: str) -> Address | None:
    """The address, with the leading zeros that older releases ignored; None if it is none."""
    return _parse_strict(value) or _parse_strict(_strip_zeros(value))


def canonical(address: Address) -> str:
    """The one spelling of an address; a mapped IPv4 address reads as plain IPv4."""
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(mapped or address)


def is_mapped(address: Address | None) -> bool:
    """Whether this is an IPv4 address dressed as IPv6."""
    return isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None


@functools.lru_cache(4096)
def is_valid_ip_for_legacy_field(value: str) -> names.Problems:
    """An address in an old field: any clear spelling."""
    if parse_sloppy(value) is None:
        return (_IP_ERROR,)
    strict = _parse_strict(value)
    if strict is None:
        return ("must not have leading 0s",)
    return ("must not be an IPv4-mapped IPv6 address",) if is_mapped(strict) else ()


@functools.lru_cache(4096)
def is_valid_ip(value: str) -> names.Problems:
    """An address in a new field: canonical only."""
    problems = is_valid_ip_for_legacy_field(value)
    if problems:
        return problems
    address = parse_sloppy(value)
    assert address is not None
    text = canonical(address)
    return () if text == value else (f'must be in canonical form ("{text}")',)


def split_cidr(value: str) -> tuple[Address, int] | None:
    """Address and prefix length of a block, read as leniently as older releases did."""
    text, slash, length = value.partition("/")
    address = parse_sloppy(text) if slash else None
    if address is None or not _prefix_length(length) or int(length) > address.max_prefixlen:
        return None
    return address, int(length)


@functools.lru_cache(4096)
def is_cidr_for_legacy_field(value: str) -> names.Problems:
    """A block in an old field: any clear spelling, no bits beyond the prefix."""
    parts = split_cidr(value)
    if parts is None:
        return (_CIDR_ERROR,)
    text, _, length = value.partition("/")
    strict = _parse_strict(text)
    if strict is None or (length.startswith("0") and length != "0"):
        return ("must not have leading 0s in IP or prefix length",)
    if is_mapped(strict):
        return ("must not have an IPv4-mapped IPv6 address",)
    if int(strict) & ((1 << (strict.max_prefixlen - parts[1])) - 1):
        return ("must not have bits set beyond the prefix length",)
    return ()


@functools.lru_cache(4096)
def is_cidr(value: str) -> names.Problems:
    """A block in a new field: canonical only."""
    problems = is_cidr_for_legacy_field(value)
    if problems:
        return problems
    parts = split_cidr(value)
    assert parts is not None
    text = f"{canonical(parts[0])}/{parts[1]}"
    return () if text == value else (f'must be in canonical form ("{text}")',)


def dual_stack_problem(values: Sequence[str]) -> str | None:
    """Why several addresses are not of different families; None if they are."""
    if any(parse_sloppy(value) is None for value in values):
        return "ip <nil> is invalid"
    return None


def has_both_families(addresses: Iterable[Address | None]) -> bool:
    """Whether there is an IPv4 and an IPv6 address among them."""
    versions = {
        4 if is_mapped(address) else address.version for address in addresses if address is not None
    }
    return len(versions) == 2


def dual_stack_cidr_problem(values: Sequence[str]) -> str | None:
    """As `dual_stack_problem`, for blocks."""
    for index, value in enumerate(values):
        if split_cidr(value) is None:
            return f"invalid CIDR[{index}]: <nil> (invalid CIDR address: {value})"
    return None
