"""Shapes of the Kubernetes API types: fields in order, JSON names, types, patch markers.

Decoding, defaulting, patches, hashing and the API documents all walk the same table
(`data/types.txt`), so that a new Kubernetes version is a new table and not new code. Kinds of ours
have theirs in `data/own_types.txt`. Types are parsed at their first use: a command that touches
pods never reads the storage types.
"""

from __future__ import annotations

import enum
import functools
import importlib.resources
from typing import Final

import msgspec


class Form(enum.Enum):
    """How a type appears in JSON."""

    STRING = "string"
    BOOL = "bool"
    INTEGER = "integer"
    FLOAT = "float"
    BYTES = "bytes"
    STRUCT = "struct"
    LIST = "list"
    MAP = "map"
    POINTER = "pointer"
    OPAQUE = "opaque"


class Type(msgspec.Struct, frozen=True, eq=False):
    """A Go type as the API uses it.

    `name` is the qualified name (``core/v1.PodSpec``) of a named type and otherwise the type
    expression; `element` is what a list, map or pointer holds; `key` the key type of a map.
    """

    name: str
    form: Form
    element: Type | None = None
    key: Type | None = None

    @property
    def struct(self) -> Struct:
        """The struct behind this type, seen through pointers."""
        bare = self.bare
        assert bare.form is Form.STRUCT, self.name
        return struct(bare.name)

    @property
    def bare(self) -> Type:
        """This type without its pointers."""
        at = self
        while at.form is Form.POINTER:
            assert at.element is not None
            at = at.element
        return at


class Field(msgspec.Struct, frozen=True, eq=False):
    """One field of a struct, with the markers that steer encoding and patches."""

    go_name: str
    json_name: str
    type: Type
    omitempty: bool
    omitzero: bool
    inline: bool
    patch_strategies: tuple[str, ...]
    patch_merge_key: str | None
    list_type: str | None
    list_map_keys: tuple[str, ...]
    map_type: str | None


class Struct(msgspec.Struct, frozen=True, eq=False):
    """A struct: `fields` as declared (embedded ones included), `by_json` flattened."""

    name: str
    fields: tuple[Field, ...]
    by_json: dict[str, Field]


_BUILTIN: Final = {
    "string": Form.STRING,
    "bool": Form.BOOL,
    "int": Form.INTEGER,
    "int32": Form.INTEGER,
    "int64": Form.INTEGER,
    "uint32": Form.INTEGER,
    "byte": Form.INTEGER,
    "float64": Form.FLOAT,
}


@functools.cache
def _declarations() -> dict[str, tuple[str, list[str]]]:
    data = importlib.resources.files("kubestage.objects.data")
    declarations: dict[str, tuple[str, list[str]]] = {}
    fields: list[str] = []
    texts = [data.joinpath(name).read_text() for name in ("types.txt", "own_types.txt")]
    for line in "".join(texts).splitlines():
        if line.startswith(" "):
            fields.append(line[1:])
        else:
            name, head = line.split(" ", 1)
            fields = []
            declarations[name] = (head, fields)
    return declarations


def names() -> tuple[str, ...]:
    """All type names of the table."""
    return tuple(_declarations())


def go_package_name(name: str) -> str:
    """``v1.PodSpec``: the name by which Go prints a type of the table."""
    return name.rsplit("/", 1)[-1]


@functools.cache
def type_of(expression: str) -> Type:
    """The type that an expression such as ``[]*core/v1.Volume`` denotes."""
    if expression.startswith("*"):
        return Type(expression, Form.POINTER, type_of(expression[1:]))
    if expression == "[]byte":
        return Type(expression, Form.BYTES)
    if expression.startswith("[]"):
        return Type(expression, Form.LIST, type_of(expression[2:]))
    if expression.startswith("map["):
        key, _, element = expression[4:].partition("]")
        return Type(expression, Form.MAP, type_of(element), type_of(key))
    if expression in _BUILTIN:
        return Type(expression, _BUILTIN[expression])
    head, _ = _declarations()[expression]
    if head in ("struct", "opaque"):
        return Type(expression, Form(head))
    underlying = type_of(head)
    return Type(expression, underlying.form, underlying.element, underlying.key)


def _field(line: str) -> Field:
    go_name, json_name, expression, *markers = line.split(" ")
    marked = dict(marker.split("=", 1) for marker in markers if "=" in marker)
    return Field(
        go_name=go_name,
        json_name=json_name,
        type=type_of(expression),
        omitempty="omitempty" in markers,
        omitzero="omitzero" in markers,
        inline="inline" in markers,
        patch_strategies=tuple(filter(None, marked.get("patch", "").split(","))),
        patch_merge_key=marked.get("key"),
        list_type=marked.get("list"),
        list_map_keys=tuple(filter(None, marked.get("keys", "").split(","))),
        map_type=marked.get("map"),
    )


@functools.cache
def struct(name: str) -> Struct:
    """The struct of that qualified name."""
    _, lines = _declarations()[name]
    fields = tuple(_field(line) for line in lines)
    by_json: dict[str, Field] = {}
    for field in fields:
        if field.inline:
            by_json.update(field.type.struct.by_json)
        else:
            by_json[field.json_name] = field
    return Struct(name, fields, by_json)


# The Go packages that declare the kinds of an API group.
_PACKAGES: Final = {
    "": "core",
    "admissionregistration.k8s.io": "admissionregistration",
    "apiregistration.k8s.io": "apiregistration",
    "apps": "apps",
    "authentication.k8s.io": "authentication",
    "authorization.k8s.io": "authorization",
    "autoscaling": "autoscaling",
    "autoscaling.k8s.io": "vpa",
    "batch": "batch",
    "certificates.k8s.io": "certificates",
    "coordination.k8s.io": "coordination",
    "discovery.k8s.io": "discovery",
    "events.k8s.io": "events",
    "flowcontrol.apiserver.k8s.io": "flowcontrol",
    "networking.k8s.io": "networking",
    "node.k8s.io": "node",
    "policy": "policy",
    "rbac.authorization.k8s.io": "rbac",
    "resource.k8s.io": "resource",
    "scheduling.k8s.io": "scheduling",
    "storage.k8s.io": "storage",
    "apiextensions.k8s.io": "apiextensions",
}


@functools.cache
def kind_struct(api_version: str, kind: str) -> Struct | None:
    """The struct of a kind, or None for kinds the table does not declare (custom resources)."""
    group, _, version = api_version.rpartition("/")
    name = f"{_PACKAGES.get(group, group)}/{version}.{kind}"
    return struct(name) if name in _declarations() else None


# Groups of ours. Their kinds are custom resources, stored as they were sent, and yet have fields.
_OWN_PACKAGES: Final = {"simulation.kube-scheduler-simulator.x-k8s.io": "simulation"}


@functools.cache
def own_struct(api_version: str, kind: str) -> Struct | None:
    """The struct of a custom resource of ours, by which it is checked and patched; else None."""
    group, _, version = api_version.rpartition("/")
    name = f"{_OWN_PACKAGES.get(group, group)}/{version}.{kind}"
    return struct(name) if group in _OWN_PACKAGES and name in _declarations() else None
