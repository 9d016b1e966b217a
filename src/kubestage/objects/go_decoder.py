"""Decoding into a typed struct, step by step as the API server does it.

Finds the first value that does not fit its field, all unknown and repeated fields, and what
remains of the object when those are tolerated. Used only where `type_check` fails.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any, Final

from kubestage.golang import integers
from kubestage.objects import quantity, schema, timestamps, type_check
from kubestage.objects.go_scanner import Number, Pairs
from kubestage.objects.schema import Form
from kubestage.objects.validation import field

_MAX_STRICT: Final = 100
_integer: Final = re.compile("-?[0-9]+").fullmatch
_package_path: Final = re.compile(r"[\w.-]+/")
_base64_char: Final = re.compile("[A-Za-z0-9+/]").match


class Decoder:
    """One pass over one object: `problem` is the first misfit, `strict` what strictness finds."""

    def __init__(self) -> None:
        self.problem: str | None = None
        self.strict: list[str] = []
        self._seen: set[str] = set()
        self._struct = ""
        self._fields: list[str] = []

    def struct(self, name: str, value: Any, path: str) -> dict[str, Any]:
        """The object that the struct holds after decoding; unknown fields are gone."""
        out: dict[str, Any] = {}
        known = fields_of(name)
        outer = self._struct
        seen: set[str] = set()
        for key, item in value:
            found = known.get(key)
            if found is None:
                self._strictly("unknown", _join(path, key))
                continue
            if key in seen:
                self._strictly("duplicate", _join(path, key))
            seen.add(key)
            declared, trail = found
            self._struct = name.rpartition(".")[2]
            self._fields += trail
            decoded = self.value(declared.type, item, _join(path, key), out.get(key))
            del self._fields[len(self._fields) - len(trail) :]
            self._struct = outer
            # A null leaves a plain value as it is, but clears a pointer, list or map.
            if item is not None or declared.type.form in _NULLABLE:
                out[key] = decoded
        return out

    def value(self, shape: schema.Type, item: Any, path: str, before: Any = None) -> Any:
        """The decoded value of a field; `before` is what an earlier field of this name gave."""
        bare = shape.bare
        form = bare.form
        if item is None:
            return None
        if form is Form.OPAQUE:
            return self._opaque(bare, item)
        if isinstance(item, Pairs):
            return self._object(bare, item, path, before)
        if isinstance(item, list):
            return self._array(bare, item, path)
        return self._literal(bare, item)

    def _object(self, shape: schema.Type, item: Pairs, path: str, before: Any) -> Any:
        if shape.form is Form.STRUCT:
            return {**(before or {}), **self.struct(shape.name, item, path)}
        if shape.form is not Form.MAP:
            return self._misfit("object", shape)
        assert shape.element is not None
        out: dict[str, Any] = dict(before or {})
        seen: set[str] = set()
        for key, value in item:
            if key in seen:
                self._strictly("duplicate", _join(path, key))
            seen.add(key)
            out[key] = self.value(shape.element, value, _join(path, key))
        return out

    def _array(self, shape: schema.Type, items: list[Any], path: str) -> Any:
        if shape.form is not Form.LIST:
            return self._misfit("array", shape)
        assert shape.element is not None
        return [
            self.value(shape.element, item, f"{path}[{index}]") for index, item in enumerate(items)
        ]

    def _literal(self, shape: schema.Type, item: Any) -> Any:
        form = shape.form
        if isinstance(item, bool):
            return item if form is Form.BOOL else self._misfit("bool", shape)
        if isinstance(item, Number):
            return self._number(shape, item)
        if form is Form.STRING:
            return item
        if form is Form.BYTES:
            return self._base64(item)
        return self._misfit("string", shape)

    def _number(self, shape: schema.Type, item: Number) -> Any:
        if shape.form is Form.FLOAT:
            return float(item)
        if shape.form is not Form.INTEGER:
            return self._misfit("number", shape)
        low, high = type_check.integer_range(shape)
        if not _integer(item) or not low <= integers.parse(item) < high:
            return self._misfit(f"number {item}", shape)
        return integers.parse(item)

    def _base64(self, item: str) -> str:
        text = item.replace("\n", "").replace("\r", "")
        try:
            base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            self._save(f"illegal base64 data at input byte {_base64_error(item)}")
        return item

    def _opaque(self, shape: schema.Type, item: Any) -> Any:
        if shape.name == "intstr.IntOrString" and not _is_text(item):
            return self.value(schema.type_of("int32"), item, "")
        if shape.name == "resource.Quantity":
            return self._quantity(item)
        read = _TEXTS.get(shape.name)
        if read is None or _is_text(item):
            if read is not None:
                self._try(read, item)
            return plain(item)
        return self.value(schema.type_of("string"), item, "")

    def _quantity(self, item: Any) -> Any:
        self._try(quantity.parse, item.strip() if isinstance(item, str) else "")
        return str(item) if isinstance(item, Number) else item

    def _try(self, read: Any, text: str) -> None:
        try:
            read(str(text))
        except (ValueError, quantity.QuantityError) as error:
            self._save(str(error))

    def _misfit(self, what: str, shape: schema.Type) -> None:
        where = f"Go struct field {self._struct}.{'.'.join(self._fields)}"
        self._save(f"json: cannot unmarshal {what} into {where} of type {go_type(shape)}")

    def _save(self, problem: str) -> None:
        if self.problem is None:
            self.problem = problem

    def _strictly(self, what: str, path: str) -> None:
        problem = f"{what} field {field.quote(path)}"
        if problem not in self._seen and len(self.strict) < _MAX_STRICT:
            self._seen.add(problem)
            self.strict.append(problem)


_NULLABLE: Final = (Form.POINTER, Form.LIST, Form.MAP, Form.BYTES)
_TEXTS: Final[dict[str, Any]] = {
    "meta/v1.Time": timestamps.parse_time,
    "meta/v1.MicroTime": timestamps.parse_micro_time,
    "meta/v1.Duration": str,
}


def _is_text(item: Any) -> bool:
    return isinstance(item, str) and not isinstance(item, Number)


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def go_type(shape: schema.Type) -> str:
    """A type as Go prints it: packages by their last name, bytes as what they are."""
    return _package_path.sub("", shape.name).replace("[]byte", "[]uint8")


def fields_of(name: str) -> dict[str, tuple[schema.Field, list[str]]]:
    """Fields by JSON name, each with the names that a message shows on the way to it."""
    known = _fields.get(name)
    if known is None:
        known = {}
        for declared in schema.struct(name).fields:
            if not declared.inline:
                known[declared.json_name] = (declared, [declared.json_name])
                continue
            for key, (inner, trail) in fields_of(declared.type.bare.name).items():
                known[key] = (inner, [declared.go_name, *trail])
        _fields[name] = known
    return known


_fields: dict[str, dict[str, tuple[schema.Field, list[str]]]] = {}


def _base64_error(text: str) -> int:
    """The offset that Go reports: the first character that cannot be there, or the group of four
    characters that is not complete.
    """
    for index, char in enumerate(text):
        if not _base64_char(char) and char not in "\r\n":
            return index
    return len(text) - len(text) % 4


def plain(item: Any) -> Any:
    """The value with ordinary dicts and numbers; of repeated keys the last one stays."""
    if isinstance(item, Pairs):
        return {key: plain(value) for key, value in item}
    if isinstance(item, list):
        return [plain(value) for value in item]
    if isinstance(item, Number):
        return integers.parse(item) if _integer(item) else float(item)
    return item


def pairs(value: Any) -> Any:
    """A dict as the scanner would have read it."""
    if isinstance(value, dict):
        return Pairs((key, pairs(item)) for key, item in value.items())
    if isinstance(value, list):
        return [pairs(item) for item in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Number(value)
    return value
