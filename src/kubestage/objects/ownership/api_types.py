"""The shapes of the built-in kinds, from the table of their types.

Markers of fields are in the table of types; structs that are one piece, and defaults of keys, in
`data/topology.txt` (written by ``tools/topology.py``).
"""

from __future__ import annotations

import functools
import importlib.resources
from typing import Any, Final

import msgspec

from kubestage.objects import schema
from kubestage.objects.ownership import topology
from kubestage.objects.ownership.topology import Atom, List, Map
from kubestage.objects.schema import Form

_SCALARS: Final = {
    Form.STRING: topology.STRING,
    Form.BYTES: topology.STRING,
    Form.BOOL: topology.BOOLEAN,
    Form.INTEGER: topology.NUMERIC,
    Form.FLOAT: topology.NUMERIC,
}
_OPAQUE: Final = {
    "resource.Quantity": topology.UNTYPED,
    "meta/v1.Time": topology.UNTYPED,
    "meta/v1.MicroTime": topology.UNTYPED,
    "meta/v1.Duration": topology.STRING,
    "meta/v1.FieldsV1": topology.DEDUCED_MAP,
    "runtime.RawExtension": topology.UNTYPED_ATOMIC,
    "runtime.Object": topology.UNTYPED_ATOMIC,
}
_ZERO: Final[dict[Form, Any]] = {
    Form.STRING: "",
    Form.BOOL: False,
    Form.INTEGER: 0,
    Form.FLOAT: 0,
}
_MERGED: Final = (("merge",), ("merge", "retainKeys"))


@functools.cache
def _marks() -> tuple[frozenset[str], dict[str, Any]]:
    """Structs that are one piece, and the defaults of fields (``core/v1.ServicePort.protocol``)."""
    text = importlib.resources.files("kubestage.objects.data").joinpath("topology.txt").read_text()
    atomic, defaults = set(), {}
    for line in text.splitlines():
        word, name, *value = line.split(" ", 2)
        if word == "atomic":
            atomic.add(name)
        else:
            defaults[name] = msgspec.json.decode(value[0])
    return frozenset(atomic), defaults


@functools.cache
def of_struct(name: str, atomic: bool | None = None) -> Atom:
    """The shape of a struct; `atomic` is the word of the field that holds it, if it has one."""
    if atomic is None:
        atomic = name in _marks()[0]
    return Atom(map=Map(functools.partial(_fields, name), atomic=atomic))


def _fields(name: str) -> dict[str, Atom]:
    return {key: _of_field(field) for key, field in schema.struct(name).by_json.items()}


def _of_field(field: schema.Field) -> Atom:
    bare = field.type.bare
    if bare.form is Form.LIST:
        return Atom(list=_list(field, bare))
    granularity = None if field.map_type is None else field.map_type == "atomic"
    if bare.form is Form.STRUCT:
        return of_struct(bare.name, granularity)
    if bare.form is Form.MAP and granularity:
        assert bare.element is not None
        return Atom(map=Map(element=_of_type(bare.element), atomic=True))
    return _of_type(bare)


@functools.cache
def _of_type(type_: schema.Type) -> Atom:
    bare = type_.bare
    if bare.form is Form.STRUCT:
        return of_struct(bare.name)
    if bare.form is Form.OPAQUE:
        return _OPAQUE.get(bare.name, topology.DEDUCED)
    if bare.form in _SCALARS:
        return _SCALARS[bare.form]
    assert bare.element is not None
    element = _of_type(bare.element)
    return Atom(list=List(element)) if bare.form is Form.LIST else Atom(map=Map(element=element))


def _list(field: schema.Field, bare: schema.Type) -> List:
    assert bare.element is not None
    element = _of_type(bare.element)
    keys: tuple[str, ...] = ()
    if field.list_type == "map":
        keys = field.list_map_keys
    elif field.list_type is None and field.patch_strategies in _MERGED:
        keys = () if field.patch_merge_key is None else (field.patch_merge_key,)
    elif field.list_type != "set":
        return List(element)
    if not keys:
        return List(element, atomic=False)
    return List(element, atomic=False, keys=keys, defaults=_defaults(bare.element.bare.name, keys))


def _defaults(name: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """What a key counts as where an item leaves it out: mandatory ones are empty then."""
    found: dict[str, Any] = {}
    fields = schema.struct(name).by_json
    for key in keys:
        marked = _marks()[1].get(f"{name}.{key}")
        form = fields[key].type.form
        if marked is not None:
            found[key] = marked
        elif not fields[key].omitempty and form in _ZERO:
            found[key] = _ZERO[form]
    return found
