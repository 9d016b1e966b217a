"""From text to an object of a known kind: YAML or JSON, apiVersion and kind, strict decoding."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final

import msgspec
import yaml

from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.objects import go_decoder, go_scanner, schema, yaml_documents
from kubestage.objects.go_scanner import Number, Pairs
from kubestage.objects.validation import field
from kubestage.scheduler.config import wire_types
from kubestage.scheduler.config.failure import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection

_NULLABLE: Final = (schema.Form.POINTER, schema.Form.LIST, schema.Form.BYTES)
_TYPE_NAMES: Final = {Pairs: "object", list: "array", bool: "bool", Number: "number"}


class ConfigDecoder(go_decoder.Decoder):
    """Knows the configuration's structs besides those of the API objects.

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
            called = _TYPE_NAMES[type(item)]
            self._save(f"json: cannot unmarshal {called} into Go value of type string")
            return None
        try:
            return durations.go_string(durations.parse_duration(item))
        except ValueError as error:
            self._save(str(error))
            return None


_HEAD: Final = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; '
    'Kind string "json:\\"kind,omitempty\\"" }'
)
_CALLED: Final = {
    list: "array", str: "string", Number: "number", bool: "bool", Pairs: "object",
}  # fmt: skip
_Loader: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NO_HEAD: Final = "couldn't get version/kind; json parse error"
_SCHEME: Final = 'in scheme "pkg/scheduler/apis/config/scheme/scheme.go:29"'


class Decoded(msgspec.Struct, frozen=True):
    """A decoded object, what strict decoding refuses in it, and a likely fix."""

    object: dict[str, Any]
    strict: tuple[str, ...] = ()
    fix: str | None = None


class Read(msgspec.Struct, frozen=True):
    """A decoded object of a known version and kind."""

    version: str
    kind: str
    decoded: Decoded


def problem(text: str, **where: Any) -> ConfigError:
    """Text that cannot be decoded."""
    return ConfigError("decode", text, **where)


def strict_problem(errors: Collection[str]) -> str:
    """Everything that only strict decoding refuses."""
    return f"strict decoding error: {', '.join(errors)}"


def scan(text: str) -> tuple[Any, tuple[str, ...]]:
    """The value that a text holds, with all keys, and what is wrong but readable."""
    data = yaml_documents.as_bytes(text)
    if data.lstrip().startswith(b"{"):
        try:
            return go_scanner.scan(data), ()
        except go_scanner.SyntaxProblem as error:
            raise problem(f"{_NO_HEAD}: {error}") from None
    try:
        for value, _, problems in yaml_documents.Reader(data).documents():
            twice = [f"line {each.line}: {_already_set(each.problem)}" for each in problems]
            joined = "\n  ".join(twice)
            return ordered(value), (f"yaml: unmarshal errors:\n  {joined}",) if twice else ()
    except InputError as error:
        raise problem(_go_yaml(data) or error.problem, line=error.line, fix=error.fix) from None
    return None, ()


def _already_set(sentence: str) -> str:
    return sentence.replace(" is set twice", " already set in map")


def _go_yaml(data: bytes) -> str | None:
    """The complaint of Go's parser, which is libyaml's with its own idea of line numbers."""
    try:
        for _ in yaml.parse(data, Loader=_Loader):
            pass
    except yaml.MarkedYAMLError as error:
        mark, scanner = error.problem_mark, isinstance(error, yaml.scanner.ScannerError)
        line = (mark.line + scanner) if mark is not None and mark.line else 0
        if not line and error.context_mark is not None:
            line = error.context_mark.line
        where = f"line {line}: " if line else ""
        return f"yaml: {where}{error.problem}"
    except yaml.YAMLError as error:
        return f"yaml: {error}"
    return None


def ordered(value: Any) -> Any:
    """A plain value as Go's YAML conversion hands it on: keys in order."""
    if isinstance(value, dict):
        return Pairs((key, ordered(value[key])) for key in sorted(value))
    if isinstance(value, list):
        return [ordered(item) for item in value]
    return go_decoder.pairs(value)


def read(
    value: Any,
    text: str,
    versions: Collection[str],
    default: tuple[str, str] | None = None,
) -> Read:
    """The object that a scanned value is, if its kind is one of those versions declare.

    `default` is the version and kind of a value that names neither.
    """
    api_version, kind = head(value)
    if default is not None:
        api_version = api_version or f"{wire_types.GROUP}/{default[0]}"
        kind = kind or default[1]
    if not kind:
        raise problem(f"Object 'Kind' is missing in '{text}'")
    if not api_version:
        raise problem(f"Object 'apiVersion' is missing in '{text}'")
    group, _, version = api_version.rpartition("/")
    known = group == wire_types.GROUP and version in versions
    if not known or not wire_types.is_kind(version, kind):
        shown = field.quote(kind)
        raise problem(f'no kind {shown} is registered for version "{api_version}" {_SCHEME}')
    return Read(version, kind, decode(f"config/{version}.{kind}", value))


def decode(struct: str, value: Any) -> Decoded:
    """A scanned value as a struct."""
    if value is not None and not isinstance(value, Pairs):
        called, go_type = _CALLED[type(value)], struct.rpartition("/")[2]
        raise problem(f"json: cannot unmarshal {called} into Go value of type {go_type}")
    decoder = ConfigDecoder()
    decoded = decoder.struct(struct, value or Pairs(), "")
    if decoder.problem is not None:
        raise problem(decoder.problem)
    return Decoded(decoded, tuple(decoder.strict), decoder.fix)


def head(value: Any) -> tuple[str, str]:
    """apiVersion and kind; these two are found whatever the case of their letters."""
    prefix = f"{_NO_HEAD}: json: cannot unmarshal"
    found = {"apiversion": "", "kind": ""}
    if value is None:
        return "", ""
    if not isinstance(value, Pairs):
        raise problem(f"{prefix} {_CALLED[type(value)]} into Go value of type {_HEAD}")
    for key, item in value:
        if key.lower() not in found or item is None:
            continue
        if type(item) is not str:
            name = "apiVersion" if key.lower() == "apiversion" else "kind"
            called = _CALLED[type(item)]
            raise problem(f"{prefix} {called} into Go struct field .{name} of type string")
        found[key.lower()] = item
    if found["apiversion"].count("/") > 1:
        raise problem(f"unexpected GroupVersion string: {found['apiversion']}")
    return found["apiversion"], found["kind"]
