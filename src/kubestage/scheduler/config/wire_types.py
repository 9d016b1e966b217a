"""Types of the configuration's fields, looked up by name."""

from __future__ import annotations

import functools
from typing import Final

from kubestage.objects import go_decoder, schema
from kubestage.objects.schema import Form
from kubestage.scheduler.config.wire_tables import TABLES

GROUP: Final = "kubescheduler.config.k8s.io"
OLDER: Final = ("v1beta3", "v1beta2", "v1alpha2", "v1alpha1")
"""Versions that kube-scheduler v1.36 itself no longer reads."""

_STRINGS: Final = ("ScoringStrategyType", "PodTopologySpreadConstraintsDefaulting")


def is_kind(version: str, kind: str) -> bool:
    """Whether a version of the API declares that kind."""
    table = TABLES.get(f"config/{version}", {})
    return kind in table and (kind == "KubeSchedulerConfiguration" or kind.endswith("Args"))


def is_own(name: str) -> bool:
    """Whether a struct is declared here, not among the API objects."""
    return name.partition(".")[0] in TABLES


@functools.cache
def struct(name: str) -> dict[str, tuple[schema.Type, list[str]]]:
    """Fields of a struct by JSON name, each with the names that a message shows on the way."""
    package, _, bare = name.partition(".")
    found: dict[str, tuple[schema.Type, list[str]]] = {}
    for field, expression in TABLES[package][bare].items():
        shape = type_of(expression.removeprefix("inline "), package)
        if not expression.startswith("inline "):
            found[field] = (shape, [field])
            continue
        inner = struct(shape.name) if is_own(shape.name) else go_decoder.fields_of(shape.name)
        for key, (kind, trail) in inner.items():
            found[key] = (kind if isinstance(kind, schema.Type) else kind.type, [field, *trail])
    return found


@functools.cache
def type_of(expression: str, package: str) -> schema.Type:
    """The type that an expression of a package's table denotes."""
    if expression.startswith("*"):
        element = type_of(expression[1:], package)
        return schema.Type(f"*{element.name}", Form.POINTER, element)
    if expression.startswith("[]") and expression != "[]byte":
        element = type_of(expression[2:], package)
        return schema.Type(f"[]{element.name}", Form.LIST, element)
    if expression == "float32":
        return schema.Type(expression, Form.FLOAT)
    if expression in _STRINGS:
        return schema.Type(f"{package}.{expression}", Form.STRING)
    if expression in TABLES[package]:
        return schema.Type(f"{package}.{expression}", Form.STRUCT)
    if is_own(expression):
        return schema.Type(expression, Form.STRUCT)
    return schema.type_of(expression)
