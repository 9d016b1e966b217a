"""What was found, as text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kubestage.golang import formatting, json_encoding

if TYPE_CHECKING:
    from collections.abc import Iterable


def as_text(found: Iterable[list[Any]]) -> str:
    """Values of one part with spaces between them, maps and lists as JSON."""
    return "".join(" ".join(map(_text, values)) for values in found)


def as_json(found: Iterable[list[Any]]) -> str:
    """One list a part, as ``-o jsonpath-as-json`` writes it."""
    lists = (json.dumps(values, indent=4, sort_keys=True, ensure_ascii=False) for values in found)
    return "".join(f"{json_encoding.html_safe(each)}\n" for each in lists)


def _text(value: Any) -> str:
    if value is None or isinstance(value, (dict, list)):
        return json_encoding.marshal(value)
    return formatting.show(value)
