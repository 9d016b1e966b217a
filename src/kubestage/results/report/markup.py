"""HTML from parts: whatever is not HTML already is escaped, so a name can never become markup."""

from __future__ import annotations

import html
from typing import Any

import msgspec

# Inside a script these would end it, or be no JavaScript.
_IN_SCRIPT = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def text(value: str | int) -> Html:
    """A value as HTML; HTML stays what it is."""
    return value if isinstance(value, Html) else Html(html.escape(str(value)))


def element(name: str, *children: str | int, **attributes: str | int | None) -> Html:
    """An element: ``element("a", "more", href=url, class_="quiet")``.

    An underscore in an attribute's name stands for a dash, one at its end for nothing; an
    attribute that is None is left out.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{written}>{join(children)}</{name}>")


def join(parts: Any, between: str = "") -> Html:
    """Parts one after the other."""
    return Html(text(between).join(text(part) for part in parts))


def script_data(value: Any) -> Html:
    """A value as JSON that can stand inside a script element."""
    return Html(msgspec.json.encode(value).decode().translate(_IN_SCRIPT))


def count(number: int, noun: str) -> str:
    """``1 pod``, ``2,000 pods``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
