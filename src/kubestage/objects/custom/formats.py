"""Formats of strings that a schema may name, each a question about a text."""

from __future__ import annotations

import datetime as dt
import functools
import ipaddress
import re
import urllib.parse
from typing import TYPE_CHECKING, Any, Final

from kubestage.golang import integers

if TYPE_CHECKING:
    from collections.abc import Callable

_UUID: Final = r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?%s-?%s-?[0-9a-f]{12}\Z"
_FOUR: Final = "[0-9a-f]{4}"
_VARIANT: Final = "[89ab][0-9a-f]{3}"
_DATE_TIME: Final = r"([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|[+-][0-9]{2}:[0-9]{2})"
_DURATION: Final = r"[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)"
_PLAIN_DURATION: Final = r"\d+\s*([A-Za-zµ]+)"
_UNITS: Final = (
    "ns", "nano", "us", "µs", "micro", "ms", "milli", "s", "sec", "m", "min", "h", "hr", "hour",
    "d", "day", "w", "wk", "week",
)  # fmt: skip
_PREFIXES: Final = ("nano", "micro", "milli", "sec", "min", "hour", "day", "week")
_CARD: Final = (
    r"^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|(222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01]"
    r"[0-9]|2720)[0-9]{12}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])"
    r"[0-9]{11}|(?:2131|1800|35\d{3})\d{11}|6[27][0-9]{14})\Z"
)


def _matching(pattern: str) -> Callable[[str], bool]:
    return lambda text: _compiled(pattern).search(text) is not None


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern, ready when it is first needed: most never are."""
    return re.compile(pattern, re.ASCII)


def _is_date(text: str) -> bool:
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII) is None:
        return False
    return _parses(dt.date.fromisoformat, text)


def _is_date_time(text: str) -> bool:
    day, _, rest = text.lower().partition("t")
    if not _is_date(day):
        return False
    match = _compiled(_DATE_TIME).fullmatch(rest.partition("t")[0])
    return match is not None and match[1] <= "23" and match[2] <= "59" and match[3] <= "59"


def _is_duration(text: str) -> bool:
    if _compiled(_DURATION).fullmatch(text) is not None:
        return True
    units = [unit.lower() for unit in _compiled(_PLAIN_DURATION).findall(text)]
    return any(unit in _UNITS or unit.startswith(_PREFIXES) for unit in units)


def _parses(read: Callable[[str], Any], text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


def _plain_address(text: str) -> str:
    """Go's old parser took leading zeros."""
    return re.sub(r"(^|\.)0+(?=\d)", r"\1", text)


def _is_ipv4(text: str) -> bool:
    return "." in text and (_parses(ipaddress.IPv4Address, _plain_address(text)) or _is_ipv6(text))


def _is_ipv6(text: str) -> bool:
    return ":" in text and "%" not in text and _parses(ipaddress.IPv6Address, text)


def _is_cidr(text: str) -> bool:
    address, slash, bits = text.partition("/")
    if not slash or not bits.isdigit():
        return False
    plain = address if ":" in address else _plain_address(address)
    return "%" not in text and _parses(ipaddress.ip_interface, f"{plain}/{integers.parse(bits)}")


def _is_uri(text: str) -> bool:
    if not text or any(char <= " " or char == "\x7f" for char in text):
        return False
    if text.startswith("/") or text == "*":
        return True
    scheme, colon, rest = text.partition(":")
    return (
        bool(colon and rest)
        and re.fullmatch(r"[A-Za-z][-+.0-9A-Za-z]*", scheme) is not None
        and _parses(urllib.parse.urlsplit, text)
    )


_HOST_CHAR: Final = r"a-zA-Z0-9\u00a1-\uffff"
_HOST: Final = (
    rf"([{_HOST_CHAR}](-?[{_HOST_CHAR}]{{0,62}})?"
    rf"|([{_HOST_CHAR}]([-{_HOST_CHAR}]{{0,61}}[{_HOST_CHAR}])?\.)+[a-zA-Z\u00a1-\uffff]{{2,63}})"
)


def _is_hostname(text: str) -> bool:
    size = len(text.encode())
    return (
        _compiled(_HOST).fullmatch(text) is not None
        and size <= 255
        and all(len(part.encode()) <= 63 for part in text.split("."))
    )


_EMAIL: Final = (
    r"(?:[^<>@\"]*<)?[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@[A-Za-z0-9\[\]:-]+(?:\.[A-Za-z0-9-]+)*>?"
)


def _is_email(text: str) -> bool:
    return _compiled(_EMAIL).fullmatch(text.strip()) is not None and (
        "<" in text
    ) == text.strip().endswith(">")


def _digits(text: str) -> str:
    return re.sub(r"[\s-]+", "", text)


def _is_isbn10(text: str) -> bool:
    digits = _digits(text)
    if re.fullmatch(r"[0-9]{9}[0-9X]", digits) is None:
        return False
    values = [10 if char == "X" else int(char) for char in digits]
    return sum((at + 1) * value for at, value in enumerate(values)) % 11 == 0


def _is_isbn13(text: str) -> bool:
    digits = _digits(text)
    if re.fullmatch(r"[0-9]{13}", digits) is None:
        return False
    total = sum((1, 3)[at % 2] * int(char) for at, char in enumerate(digits[:12]))
    return (10 - total % 10) % 10 == int(digits[12])


def _is_isbn(text: str) -> bool:
    return _is_isbn10(text) or _is_isbn13(text)


def _is_credit_card(text: str) -> bool:
    digits = re.sub(r"[^0-9]+", "", text)
    if re.search(_CARD, digits) is None:
        return False
    total = 0
    for at, char in enumerate(reversed(digits)):
        doubled = int(char) * (1 + at % 2)
        total += doubled // 10 + doubled % 10
    return total % 10 == 0


def _is_mac(text: str) -> bool:
    pair, four = "[0-9a-fA-F]{2}", "[0-9a-fA-F]{4}"
    forms = [f"{pair}([:-]{pair}(?=.*)){{{count}}}" for count in (5, 7, 19)]
    forms += [f"{four}(\\.{four}){{{count}}}" for count in (2, 3, 9)]
    return any(re.fullmatch(form, text) for form in forms) and not (":" in text and "-" in text)


def _is_short_name(text: str) -> bool:
    return len(text) <= 63 and re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", text) is not None


def _is_long_name(text: str) -> bool:
    label = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
    return len(text) <= 253 and re.fullmatch(rf"{label}(\.{label})*", text) is not None


def _is_anything(_text: str) -> bool:
    return True


_TESTS: Final[dict[str, Callable[[str], bool]]] = {
    "bsonobjectid": _matching(r"^[0-9a-fA-F]{24}\Z"),
    "uri": _is_uri,
    "email": _is_email,
    "hostname": _is_hostname,
    "ipv4": _is_ipv4,
    "ipv6": _is_ipv6,
    "cidr": _is_cidr,
    "mac": _is_mac,
    "uuid": _matching(_UUID % (_FOUR, _FOUR)),
    "uuid3": _matching(_UUID % ("3[0-9a-f]{3}", _FOUR)),
    "uuid4": _matching(_UUID % ("4[0-9a-f]{3}", _VARIANT)),
    "uuid5": _matching(_UUID % ("5[0-9a-f]{3}", _VARIANT)),
    "isbn": _is_isbn,
    "isbn10": _is_isbn10,
    "isbn13": _is_isbn13,
    "creditcard": _is_credit_card,
    "ssn": _matching(r"^\d{3}[- ]?\d{2}[- ]?\d{4}\Z"),
    "hexcolor": _matching(r"^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})\Z"),
    "rgbcolor": _matching(
        r"^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])"
        r"\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)\Z"
    ),
    "byte": _matching(
        r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})\Z"
    ),
    "password": _is_anything,
    "date": _is_date,
    "duration": _is_duration,
    "datetime": _is_date_time,
    "k8sshortname": _is_short_name,
    "k8slongname": _is_long_name,
}


def known(value_type: str, name: str) -> str:
    """The format if it means something for values of that type, else the empty text."""
    if value_type == "integer":
        return name if name in ("int32", "int64") else ""
    if value_type == "number":
        return name if name in ("float", "double") else ""
    if value_type in ("", "string"):
        return name if name.replace("-", "") in _TESTS else ""
    return ""


def test_of(name: str) -> Callable[[str], bool] | None:
    """How a text is tested for a format; None for formats of numbers."""
    return _TESTS.get(name.replace("-", ""))
