"""Texts made safe for HTML, JavaScript and URLs."""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import quote_plus

from kubestage.golang.template import printing
from kubestage.golang.template.values import encoded

_HTML: Final = str.maketrans(
    {"\0": "\ufffd", '"': "&#34;", "'": "&#39;", "&": "&amp;", "<": "&lt;", ">": "&gt;"}
)
_JS_SPECIAL: Final = re.compile(r"[\\'\"<>&=\x00-\x1f\x80-\U0010ffff]")
_JS: Final = {
    "\\": r"\\",
    "'": r"\'",
    '"': r"\"",
    "<": r"\u003C",
    ">": r"\u003E",
    "&": r"\u0026",
    "=": r"\u003D",
}


def html(*values: Any) -> str:
    """For a text within HTML."""
    return _text(values).translate(_HTML)


def js(*values: Any) -> str:
    """For a text within a JavaScript string."""
    return _JS_SPECIAL.sub(_js_escape, _text(values))


def _js_escape(found: re.Match[str]) -> str:
    character = found.group()
    known = _JS.get(character)
    if known is not None:
        return known
    printable = ord(character) >= 0x80 and character.isprintable()
    return character if printable else f"\\u{ord(character):04X}"


def urlquery(*values: Any) -> str:
    """For a value within the query of a URL."""
    return quote_plus(encoded(_text(values)), safe="")


def _text(values: tuple[Any, ...]) -> str:
    # A nil is shown as templates show it, not as fmt does.
    return printing.joined(tuple("<no value>" if each is None else each for each in values))
