"""What was found, as text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from kubestage.golang import formatting, json_encoding
from kubestage.objects.jsonpath.failures import JSONPathError

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST: Final = 64 << 20


def as_text(found: Iterable[list[Any]]) -> str:
    """Values of one part with spaces between them, maps and lists as JSON."""
    return _joined(" ".join(map(_text, values)) for values in found)


def as_json(found: Iterable[list[Any]]) -> str:
    """One list a part, as ``-o jsonpath-as-json`` writes it."""
    lists = (json.dumps(values, indent=4, sort_keys=True, ensure_ascii=False) for values in found)
    return _joined(f"{json_encoding.html_safe(each)}\n" for each in lists)


def _joined(parts: Iterable[str]) -> str:
    kept: list[str] = []
    left = _LONGEST
    for each in parts:
        left -= len(each)
        if left < 0:
            raise JSONPathError(f"a template may write {_LONGEST >> 20} MiB")
        kept.append(each)
    return "".join(kept)


def _text(value: Any) -> str:
    if value is None or isinstance(value, (dict, list)):
        return json_encoding.marshal(value)
    return formatting.show(value)
