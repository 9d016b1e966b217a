"""The types of the variables of expressions, as far as costs depend on them."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from kubestage.objects.admission import variables
from kubestage.objects.cel import authorizer_functions, types
from kubestage.objects.cel.types import Type
from kubestage.objects.custom import declared_types

if TYPE_CHECKING:
    from kubestage.objects.admission.variables import Declarations
    from kubestage.objects.cel.declared import Declared
    from kubestage.objects.custom.nodes import Node

_PLAIN: Final = ("BOOL", "STRING", "INT", "UINT", "DOUBLE", "BYTES", "DURATION", "TIMESTAMP")
_LIST, _MAP = "LIST<", "MAP<STRING, "


class KnownTypes:
    """The types of variables, and of the fields below them."""

    def __init__(self, declared: Declarations) -> None:
        self._structures: dict[str, Declared] = {}
        self.variables = {
            **dict.fromkeys(("object", "oldObject", "params"), types.DYN),
            "request": self._structure("request", variables.REQUEST),
            "namespaceObject": self._structure("namespaceObject", variables.NAMESPACE),
            "authorizer": Type("struct", authorizer_functions.AUTHORIZER),
            "authorizer.requestResource": Type("struct", authorizer_functions.RESOURCE),
        }
        for name, kind in declared.variables:
            self.variables[f"variables.{name}"] = _type(kind)

    def _structure(self, name: str, node: Node) -> Type:
        found = declared_types.declare(node, is_root=False)
        assert found is not None, "its schema says of which type it is"
        found.structures(name, self._structures)
        return found.type

    def field(self, structure: str, name: str) -> Type | None:
        """The type of a field."""
        whole = self._structures.get(structure)
        found = None if whole is None else whole.fields.get(name)
        return None if found is None else found.type


@functools.lru_cache(maxsize=256)
def of(declared: Declarations) -> KnownTypes:
    """The types that expressions with these declarations know."""
    return KnownTypes(declared)


def _type(name: str) -> Type:
    """A type by the name that the library gives it."""
    if name.startswith(_LIST):
        return types.list_of(_type(name[len(_LIST) : -1]))
    if name.startswith(_MAP):
        return types.map_of(types.STRING, _type(name[len(_MAP) : -1]))
    return Type(name.lower()) if name in _PLAIN else types.DYN
