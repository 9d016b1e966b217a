"""What Kubernetes adds to CEL about addresses: ``ip``, ``cidr`` and ``url``.

As with quantities, such a value is a map with one entry on its way through the CEL library.
"""

from __future__ import annotations

import ipaddress
import re
import urllib.parse
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.cel.functions import BOOL, INT, NO_OVERLOAD, STRING, Function

if TYPE_CHECKING:
    from collections.abc import Callable

    Address = ipaddress.IPv4Address | ipaddress.IPv6Address
    Network = ipaddress.IPv4Interface | ipaddress.IPv6Interface

IP: Final = "net.IP"
CIDR: Final = "net.CIDR"
URL: Final = "kubernetes.URL"
QUERY: Final = "map(string, list(string))"
TYPES: Final = (IP, CIDR, URL, QUERY)

_is_scheme: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*").fullmatch


def _carried(value: Any, tag: str) -> str:
    """The text of a value of one type; another type has no such function."""
    if isinstance(value, dict) and tag in value:
        return str(value[tag])
    raise ValueError(NO_OVERLOAD)


def _ip(text: str) -> Address:
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        raise ValueError(f"IP Address {text!r} parse error during conversion from string") from None
    if isinstance(found, ipaddress.IPv6Address) and (found.ipv4_mapped or found.scope_id):
        raise ValueError(f"IPv4-mapped or zoned IPv6 address {text!r} is not allowed")
    return found


def _network(text: str) -> Network:
    if "/" not in text or not text.rpartition("/")[2].isdigit():
        raise ValueError("network address parse error during conversion from string")
    try:
        return ipaddress.ip_interface(text)
    except ValueError:
        raise ValueError("network address parse error during conversion from string") from None


def _url(text: str) -> urllib.parse.SplitResult:
    parts = urllib.parse.urlsplit(text)
    is_absolute = bool(_is_scheme(parts.scheme)) and bool(parts.netloc)
    if " " in text or not (is_absolute or (not parts.scheme and text.startswith("/"))):
        raise ValueError("URL parse error during conversion from string")
    return parts


def _holds(parse: Callable[[str], Any]) -> Callable[[str], bool]:
    def answer(text: str) -> bool:
        try:
            parse(text)
        except ValueError:
            return False
        return True

    return answer


def _to_ip(value: Any) -> dict[str, str]:
    """An address from a text, or that of a network."""
    if isinstance(value, str):
        return {IP: str(_ip(value))}
    return {IP: str(_network(_carried(value, CIDR)).ip)}


def _of_ip(ask: Callable[[Address], Any]) -> Callable[[Any], Any]:
    return lambda value: ask(_ip(_carried(value, IP)))


def _of_url(ask: Callable[[urllib.parse.SplitResult], Any]) -> Callable[[Any], Any]:
    return lambda value: ask(_url(_carried(value, URL)))


def _is_global_unicast(address: Address) -> bool:
    is_broadcast = str(address) == "255.255.255.255"
    return not (
        address.is_unspecified
        or address.is_loopback
        or address.is_multicast
        or address.is_link_local
        or is_broadcast
    )


def _contains_ip(value: Any, other: Any) -> bool:
    text = other if isinstance(other, str) else _carried(other, IP)
    address, network = _ip(text), _network(_carried(value, CIDR)).network
    return address.version == network.version and address in network


def _contains_cidr(value: Any, other: Any) -> bool:
    text = other if isinstance(other, str) else _carried(other, CIDR)
    inner, outer = _network(text).network, _network(_carried(value, CIDR)).network
    if inner.version != outer.version:
        return False
    return inner.prefixlen >= outer.prefixlen and inner.network_address in outer


def _masked(value: Any) -> dict[str, str]:
    return {CIDR: str(_network(_carried(value, CIDR)).network)}


def _host(parts: urllib.parse.SplitResult) -> str:
    return parts.netloc.rpartition("@")[2]


def _hostname(parts: urllib.parse.SplitResult) -> str:
    host = _host(parts)
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _port(parts: urllib.parse.SplitResult) -> str:
    return _host(parts).rpartition("]")[2].rpartition(":")[2] if ":" in _tail(parts) else ""


def _tail(parts: urllib.parse.SplitResult) -> str:
    return _host(parts).rpartition("]")[2]


def _query(parts: urllib.parse.SplitResult) -> dict[str, list[str]]:
    return urllib.parse.parse_qs(parts.query, keep_blank_values=True)


def _member(name: str, of: str, result: str, call: Callable[..., Any]) -> Function:
    return Function(name, True, ((name, (of,)),), result, call)


def _made(name: str, result: str, call: Callable[..., Any]) -> Function:
    return Function(name, False, ((name, (STRING,)),), result, call)


FUNCTIONS: Final = (
    Function("ip", False, (("string_to_ip", (STRING,)),), IP, _to_ip),
    Function("ip", True, (("cidr_ip", (CIDR,)),), IP, _to_ip),
    _made("isIP", BOOL, _holds(_ip)),
    _made("ip.isCanonical", BOOL, lambda text: str(_ip(text)) == text),
    _member("family", IP, INT, _of_ip(lambda address: address.version)),
    _member("isUnspecified", IP, BOOL, _of_ip(lambda address: address.is_unspecified)),
    _member("isLoopback", IP, BOOL, _of_ip(lambda address: address.is_loopback)),
    _member(
        "isLinkLocalMulticast",
        IP,
        BOOL,
        _of_ip(lambda address: str(address).startswith(("224.0.0.", "ff02:", "ff12:"))),
    ),
    _member("isLinkLocalUnicast", IP, BOOL, _of_ip(lambda address: address.is_link_local)),
    _member("isGlobalUnicast", IP, BOOL, _of_ip(_is_global_unicast)),
    _made("cidr", CIDR, lambda text: {CIDR: str(_network(text))}),
    _made("isCIDR", BOOL, _holds(_network)),
    Function(
        "containsIP", True, (("text", (CIDR, STRING)), ("ip", (CIDR, IP))), BOOL, _contains_ip
    ),
    Function(
        "containsCIDR", True, (("text", (CIDR, STRING)), ("cidr", (CIDR, CIDR))), BOOL,
        _contains_cidr,
    ),
    _member("masked", CIDR, CIDR, _masked),
    _member(
        "prefixLength", CIDR, INT, lambda value: _network(_carried(value, CIDR)).network.prefixlen
    ),
    _made("url", URL, lambda text: {URL: _url(text).geturl()}),
    _made("isURL", BOOL, _holds(_url)),
    _member("getScheme", URL, STRING, _of_url(lambda parts: parts.scheme)),
    _member("getHost", URL, STRING, _of_url(_host)),
    _member("getHostname", URL, STRING, _of_url(_hostname)),
    _member("getPort", URL, STRING, _of_url(_port)),
    _member("getEscapedPath", URL, STRING, _of_url(lambda parts: parts.path)),
    _member("getQuery", URL, QUERY, _of_url(_query)),
)  # fmt: skip
"""The functions by name."""
