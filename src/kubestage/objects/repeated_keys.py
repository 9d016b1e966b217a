"""Keys that a text of JSON or YAML sets twice: the decoded value has the last one only.

Worded as the decoders of the API server word them, JSON by path and YAML by line.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import decode, go_scanner, yaml_documents
from kubestage.objects.patches import PatchType
from kubestage.objects.validation import field

_OPERATION: Final = frozenset(("op", "path", "from", "value"))
_encode: Final = msgspec.json.Encoder().encode


def of_patch(body: bytes, value: Any, patch_type: PatchType) -> list[str]:
    """What strict decoding finds in the text of a patch, whose decoded value is given."""
    if patch_type is PatchType.JSON:
        found = _of_operations(body, value)
        return [f"json patch {each}" for each in found]
    return decode.repeated(go_scanner.scan(body)) if _may_repeat(body, value) else []


def of_json_as_yaml(body: bytes, value: Any) -> str:
    """What strict decoding of YAML finds in a text of JSON, whose decoded value is given."""
    if not _may_repeat(body, value):
        return ""
    reader = yaml_documents.Reader(body)
    try:
        next(reader.documents(), None)
    except InputError:
        # JSON that is no YAML.
        return ""
    return of_yaml(reader)


def of_yaml(reader: yaml_documents.Reader) -> str:
    """What strict decoding finds in the YAML that was read; empty if nothing."""
    lines = [f"  line {line}: key {key} already set in map" for line, key in reader.repeated]
    return "\n".join(["yaml: unmarshal errors:", *lines]) if lines else ""


def _may_repeat(body: bytes, value: Any) -> bool:
    # A repeated key is lost in the value, and with it at least two quotes.
    return _encode(value).count(b'"') != body.count(b'"')


def _of_operations(body: bytes, value: Any) -> list[str]:
    """An operation has four fields, and its value may be anything."""
    if not isinstance(value, list):
        return []
    is_plain = all(isinstance(each, dict) and each.keys() <= _OPERATION for each in value)
    if is_plain and not _may_repeat(body, value):
        return []
    found: list[str] = []
    for index, operation in enumerate(go_scanner.scan(body)):
        if not isinstance(operation, go_scanner.Pairs):
            continue
        seen: set[str] = set()
        for key, item in operation:
            where = f"[{index}].{key}"
            if key not in _OPERATION:
                found.append(f"unknown field {field.quote(where)}")
            elif key in seen:
                found.append(f"duplicate field {field.quote(where)}")
            seen.add(key)
            if key == "value":
                found += decode.repeated(item, where)
    return found
