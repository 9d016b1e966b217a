"""The functions that every template knows."""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import quote_plus

from kubestage.golang.template import comparison, printing, values, verbs
from kubestage.golang.template.functions import Function
from kubestage.golang.template.values import ANY, STRING, encoded, type_name

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
    # A nil is printed as templates print it, not as fmt does.
    return printing.joined(tuple("<no value>" if each is None else each for each in values))


def index(item: Any, *keys: Any) -> Any:
    """The element that a chain of indexes leads to."""
    if item is None:
        raise ValueError("index of untyped nil")
    for key in keys:
        if item is None:
            raise ValueError("index of nil pointer")
        if isinstance(item, dict):
            item = item.get(_map_key(key))
        elif isinstance(item, list):
            item = item[_place(key, len(item) - 1)]
        elif isinstance(item, str):
            data = values.encoded(item)
            item = data[_place(key, len(data) - 1)]
        else:
            raise ValueError(f"can't index item of type {type_name(item)}")
    return item


def _map_key(key: Any) -> str:
    if key is None:
        raise ValueError("value is nil; should be of type string")
    if not isinstance(key, str) or isinstance(key, values.Number):
        raise ValueError(f"value has type {type_name(key)}; should be string")
    return key


def _place(key: Any, last: int) -> int:
    if key is None:
        raise ValueError("cannot index slice/array with nil")
    if not isinstance(key, int) or isinstance(key, bool):
        raise ValueError(f"cannot index slice/array with type {type_name(key)}")
    if not 0 <= key <= last:
        raise ValueError(f"index out of range: {key}")
    return key


def slice_of(item: Any, *places: Any) -> Any:
    """The part of a list or text between two indexes; a third one limits its capacity."""
    if item is None:
        raise ValueError("slice of untyped nil")
    if len(places) > 3:
        raise ValueError(f"too many slice indexes: {len(places)}")
    if isinstance(item, str):
        if len(places) == 3:
            raise ValueError("cannot 3-index slice a string")
        data = values.encoded(item)
        return values.decoded(data[_extent(places, len(data))])
    if not isinstance(item, list):
        raise ValueError(f"can't slice item of type {type_name(item)}")
    return item[_extent(places, len(item))]


def _extent(places: tuple[Any, ...], length: int) -> slice:
    found = [_place(each, length) for each in places]
    start = found[0] if found else 0
    end = found[1] if len(found) > 1 else length
    if start > end:
        raise ValueError(f"invalid slice index: {start} > {end}")
    if len(found) > 2 and end > found[2]:
        raise ValueError(f"invalid slice index: {end} > {found[2]}")
    return slice(start, end)


def length(item: Any) -> int:
    """How many elements, or bytes of a text."""
    if item is None:
        raise ValueError("len of nil pointer")
    if isinstance(item, str):
        return values.size(item)
    if not isinstance(item, list | dict):
        raise ValueError(f"len of type {type_name(item)}")
    return len(item)


def _call(source: Any, callee: Any, *_arguments: Any) -> Any:
    """Data holds no functions, so nothing can be called."""
    if callee is None:
        raise ValueError("call of nil")
    raise ValueError(f"non-function {printing.text(source)} of type {type_name(callee)}")


def _first_argument(value: Any, *_others: Any) -> Any:
    return value


BUILTINS: Final[dict[str, Function]] = {
    "and": Function(_first_argument, (ANY,), ANY, stops_at=False),
    "or": Function(_first_argument, (ANY,), ANY, stops_at=True),
    "not": Function(lambda value: not values.truth(value), (ANY,)),
    "call": Function(_call, (ANY,), ANY, takes_source=True),
    "html": Function(html, (), ANY),
    "js": Function(js, (), ANY),
    "urlquery": Function(urlquery, (), ANY),
    "index": Function(index, (ANY,), ANY),
    "slice": Function(slice_of, (ANY,), ANY),
    "len": Function(length, (ANY,)),
    "print": Function(lambda *values: printing.joined(values), (), ANY),
    "printf": Function(verbs.sprintf, (STRING,), ANY),
    "println": Function(lambda *values: printing.line(values), (), ANY),
    "eq": Function(comparison.eq, (ANY,), ANY),
    "ne": Function(comparison.ne, (ANY, ANY)),
    "lt": Function(comparison.lt, (ANY, ANY)),
    "le": Function(comparison.le, (ANY, ANY)),
    "gt": Function(comparison.gt, (ANY, ANY)),
    "ge": Function(comparison.ge, (ANY, ANY)),
}
