"""Decoding into the configuration's structs, with the messages of kube-scheduler's decoder."""

from __future__ import annotations

import difflib
from typing import Any, Final

from kubestage.objects import durations, go_decoder, schema
from kubestage.objects.go_scanner import Number, Pairs
from kubestage.scheduler.config import wire_types

_NULLABLE: Final = (schema.Form.POINTER, schema.Form.LIST, schema.Form.BYTES)
_CALLED: Final = {Pairs: "object", list: "array", bool: "bool", Number: "number"}


class ConfigDecoder(go_decoder.Decoder):
    """Knows the configuration's structs beside those of the API objects.

    Raw extensions stay as scanned: a plugin's arguments are decoded later, when its name is known.
    `fix` is the likely cure of the first unknown field.
    """

    fix: str | None = None

    def struct(self, name: str, value: Any, path: str) -> dict[str, Any]:
        """The object that the struct holds after decoding; unknown fields are gone."""
        if not wire_types.is_own(name):
            return super().struct(name, value, path)
        out: dict[str, Any] = {}
        known = wire_types.struct(name)
        outer = self._struct
        seen: set[str] = set()
        for key, item in value:
            where = f"{path}.{key}" if path else key
            if key not in known:
                self._strictly("unknown", where)
                near = difflib.get_close_matches(key, known, n=1)
                self.fix = self.fix or (f"did you mean {near[0]}?" if near else None)
                continue
            if key in seen:
                self._strictly("duplicate", where)
            seen.add(key)
            shape, trail = known[key]
            self._struct = name.rpartition(".")[2]
            self._fields += trail
            decoded = self.value(shape, item, where, out.get(key))
            del self._fields[len(self._fields) - len(trail) :]
            self._struct = outer
            if item is not None or shape.form in _NULLABLE:
                out[key] = decoded
        return out

    def _opaque(self, shape: schema.Type, item: Any) -> Any:
        if shape.name == "runtime.RawExtension":
            return item
        if shape.name != "meta/v1.Duration":
            return super()._opaque(shape, item)
        if type(item) is not str:
            called = _CALLED[type(item)]
            self._save(f"json: cannot unmarshal {called} into Go value of type string")
            return None
        try:
            return durations.go_string(durations.parse_duration(item))
        except ValueError as error:
            self._save(str(error))
            return None
