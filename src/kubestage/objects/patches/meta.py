"""Patch strategies and merge keys of API fields, looked up the way the server does."""

from __future__ import annotations

import functools
from typing import Final

import msgspec

from kubestage.objects import schema
from kubestage.objects.patches.failure import PatchError
from kubestage.objects.schema import Form, Type

MERGE: Final = "merge"
REPLACE: Final = "replace"
_RETAIN_KEYS: Final = "retainKeys"

_KINDS: Final = {
    Form.STRUCT: "struct",
    Form.OPAQUE: "struct",
    Form.LIST: "slice",
    Form.BYTES: "slice",
    Form.MAP: "map",
    Form.POINTER: "ptr",
    Form.STRING: "string",
    Form.BOOL: "bool",
    Form.FLOAT: "float64",
}
_LISTS: Final = (Form.LIST, Form.BYTES)
# An object of any kind: below it nothing is known, and all merges as in a JSON merge patch.
_UNSTRUCTURED: Final = "runtime.Unstructured"
# Lists that are the values of a map have no field of their own that could name their merge key.
_MERGE_KEYS_IN_MAPS: Final = {"simulation/v1alpha1.Timeline": "id"}


class PatchMeta(msgspec.Struct, frozen=True):
    """How one field takes patches; `type` is that of the field, or of a list's elements."""

    type: Type
    strategy: str
    retain_keys: bool
    merge_key: str


def kind_name(of: Type) -> str:
    """The Go kind of a type, as error texts name it."""
    if of.form is Form.INTEGER:
        return of.name if "/" not in of.name and "." not in of.name else "int32"
    return _KINDS[of.form]


def _field(owner: Type, key: str) -> schema.Field:
    bare = owner.element if owner.form is Form.POINTER else owner
    assert bare is not None
    if bare.form not in (Form.STRUCT, Form.OPAQUE):
        raise PatchError(
            f"merging an object in json but data type is not struct, instead is: {kind_name(bare)}"
        )
    fields = schema.struct(bare.name).by_json if bare.form is Form.STRUCT else {}
    if key in fields:
        return fields[key]
    folded = key.casefold()
    for name, field in fields.items():
        if name.casefold() == folded:
            return field
    name = bare.name.rsplit(".", 1)[-1]
    raise PatchError(f'unable to find api field in struct {name} for the json field "{key}"')


@functools.cache
def for_struct(owner: Type, key: str) -> PatchMeta:
    """What is known of a field that holds an object."""
    if owner.bare.name == _UNSTRUCTURED:
        return PatchMeta(owner.bare, "", retain_keys=False, merge_key="")
    field = _field(owner, key)
    strategies = [name for name in field.patch_strategies if name != _RETAIN_KEYS]
    return PatchMeta(
        type=field.type,
        strategy=strategies[0] if strategies else "",
        retain_keys=_RETAIN_KEYS in field.patch_strategies,
        merge_key=field.patch_merge_key or "",
    )


@functools.cache
def for_list(owner: Type, key: str) -> PatchMeta:
    """What is known of a field that holds a list."""
    merge_key = _MERGE_KEYS_IN_MAPS.get(owner.name)
    if merge_key is not None:
        assert owner.element is not None
        return PatchMeta(_element(owner, owner.element), MERGE, False, merge_key)
    found = for_struct(owner, key)
    if found.type.name == _UNSTRUCTURED:
        return found
    return msgspec.structs.replace(found, type=_element(owner, found.type))


def _element(owner: Type, held: Type) -> Type:
    if held.form is Form.BYTES:
        return schema.type_of("byte")
    if held.form is Form.LIST:
        assert held.element is not None
        if held.element.form in _LISTS:
            raise PatchError("unexpected slice of slice")
        return held.element
    if held.form is Form.POINTER:
        assert held.element is not None
        pointed = held.element
        return pointed.element if pointed.form is Form.LIST and pointed.element else pointed
    raise PatchError(f"expected slice or array type, but got: {kind_name(owner)}")
