"""Metadata of custom resources and of the resources that they embed.

A server reads metadata into its own type, whatever the schema says: wrong types are refused,
unknown fields are lost. `coerce` works in place, on a copy that is the caller's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import MalformedValue
from kubestage.objects import go_decoder, schema, shape, type_check
from kubestage.objects.validation import field, metadata, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.custom.nodes import Node
    from kubestage.objects.validation.field import FieldError


_STRUCT: Final = "meta/v1.ObjectMeta"
_NOT_AN_OBJECT: Final = {list: "array", str: "string", bool: "bool"}


class MetadataError(MalformedValue):
    """Metadata of a wrong type; the message is the server's."""


def read(value: Any) -> tuple[Json, list[str]]:
    """Metadata in the shape in which a server holds it, and the paths of what it does not know."""
    struct = schema.struct(_STRUCT)
    unknown: list[str] = []
    if type(value) is not dict:
        if value is None:
            return {}, []
        what = _NOT_AN_OBJECT.get(type(value), "number")
        raise MetadataError(f"json: cannot unmarshal {what} into Go value of type v1.ObjectMeta")
    if not type_check.fits(struct, value):
        decoder = go_decoder.Decoder()
        value = decoder.struct(_STRUCT, go_decoder.pairs(value), "")
        if decoder.problem is not None:
            raise MetadataError(decoder.problem)
        unknown = [problem.partition(" field ")[2][1:-1] for problem in decoder.strict]
    return shape.normalize(value, struct), unknown


def _read_piecemeal(value: Json) -> Json:
    """Metadata without the fields that cannot be read."""
    readable: Json = {}
    for name, item in value.items():
        try:
            readable.update(read({name: item})[0])
        except MetadataError:
            continue
    return readable


class _Coercion:
    """One walk over one object, and the unknown fields that it meets in metadata."""

    def __init__(self, *, drops_invalid: bool) -> None:
        self.drops_invalid = drops_invalid
        self.unknown: list[str] = []

    def visit(self, value: Any, node: Node | None, path: str, *, is_root: bool = False) -> None:
        """Coerce the resources in a value; the root's own metadata is the caller's affair."""
        if node is None:
            return
        if type(value) is list:
            for index, item in enumerate(value):
                self.visit(item, node.items, f"{path}[{index}]")
        elif type(value) is dict:
            if node.is_embedded and not is_root:
                self._embedded(value, path)
            for name, item in value.items():
                child = node.properties.get(name)
                if child is not None:
                    self.visit(item, child, f"{path}.{name}" if path else name)
                elif node.additional is not None:
                    self.visit(item, node.additional, f"{path}[{name}]")

    def _embedded(self, value: Json, path: str) -> None:
        at = f"{path}." if path else ""
        for name in ("apiVersion", "kind"):
            if name in value and not isinstance(value[name], str):
                if not self.drops_invalid:
                    raise _Refused(field.invalid(f"{at}{name}", value[name], "must be a string"))
                del value[name]
        if "metadata" not in value:
            return
        raw_metadata = value["metadata"]
        try:
            value["metadata"], unknown = read(raw_metadata)
        except MetadataError as error:
            if not self.drops_invalid:
                raise _Refused(field.invalid(f"{at}metadata", raw_metadata, str(error))) from None
            if isinstance(raw_metadata, dict):
                value["metadata"] = _read_piecemeal(raw_metadata)
        else:
            self.unknown += [f"{at}metadata.{each}" for each in unknown]


class _Refused(Exception):
    """Carries the first thing that is wrong out of the walk."""

    def __init__(self, error: FieldError) -> None:
        super().__init__(str(error))
        self.error = error


def coerce(
    value: Any, root: Node, path: str = "", *, drops_invalid: bool = False, is_root: bool = True
) -> tuple[list[str], FieldError | None]:
    """Read the metadata of all embedded resources; unknown fields, and what cannot be read."""
    walk = _Coercion(drops_invalid=drops_invalid)
    try:
        walk.visit(value, root, path, is_root=is_root and not drops_invalid)
    except _Refused as refused:
        return [], refused.error
    return sorted(walk.unknown), None


def validate(value: Any, node: Node | None, path: str, *, is_root: bool) -> list[FieldError]:
    """What is wrong with embedded resources; with `is_root` they are not looked for in the root."""
    if node is None:
        return []
    errors: list[FieldError] = []
    if type(value) is list:
        for index, item in enumerate(value):
            errors += validate(item, node.items, f"{path}[{index}]", is_root=False)
    elif type(value) is dict:
        if node.is_embedded and not is_root:
            errors += _validate_resource(value, path)
        for name, item in value.items():
            if type(item) is not dict and type(item) is not list:
                continue
            child = node.properties.get(name)
            if child is not None:
                where = f"{path}.{name}" if path else name
                errors += validate(item, child, where, is_root=False)
            elif node.additional is not None:
                errors += validate(item, node.additional, f"{path}[{name}]", is_root=False)
    return errors


def _validate_resource(value: Json, path: str) -> list[FieldError]:
    at = f"{path}." if path else ""
    errors = [field.required(f"{at}{name}") for name in ("apiVersion", "kind") if name not in value]
    if "apiVersion" in value:
        errors += _validate_version(value["apiVersion"], f"{at}apiVersion")
    if "kind" in value:
        errors += _validate_kind(value["kind"], f"{at}kind")
    if "metadata" in value:
        errors += _validate_metadata(value["metadata"], f"{at}metadata")
    return errors


def _validate_version(value: Any, path: str) -> list[FieldError]:
    if not isinstance(value, str):
        return [field.invalid(path, value, "must be a string")]
    if not value:
        return [field.invalid(path, value, "must not be empty")]
    if value.count("/") > 1:
        return [field.invalid(path, value, f"unexpected GroupVersion string: {value}")]
    return []


def _validate_kind(value: Any, path: str) -> list[FieldError]:
    if not isinstance(value, str):
        return [field.invalid(path, value, "must be a string")]
    if not value:
        return [field.invalid(path, value, "must not be empty")]
    problems = names.is_dns1035_label(value.lower())
    if not problems:
        return []
    text = f"may have mixed case, but should otherwise match: {','.join(problems)}"
    return [field.invalid(path, value, text)]


def _validate_metadata(value: Any, path: str) -> list[FieldError]:
    try:
        meta, _ = read(value)
    except MetadataError as error:
        return [field.invalid(path, value, str(error))]
    if not meta.get("name"):
        meta["name"] = "fakename"
    namespaced = bool(meta.get("namespace"))
    return metadata.validate_object_meta(
        meta, namespaced, names.path_segment_name, path, kube_finalizers=False
    )
