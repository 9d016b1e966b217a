"""The library behind CEL, and what all environments for devices have in common."""

from __future__ import annotations

import functools
import importlib
import itertools
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.objects.cel import functions, network_functions

if TYPE_CHECKING:
    from kubestage.objects.cel.functions import Function

_CONFIGURATION: Final = "name: devices\nextensions:\n" + "".join(
    f"- name: {name}\n"
    for name in ("bindings", "lists", "optional", "sets", "strings", "two-var-comprehensions")
)


@functools.cache
def library() -> Any:
    """The module; `InputError` if it is not installed."""
    try:
        return importlib.import_module("cel_expr_python.cel")
    except ImportError as missing:
        raise InputError(
            "device selectors need the package cel-expr-python",
            fix="pip install 'kubestage[cel]'",
        ) from missing


def plain_types() -> dict[str, Any]:
    """The types of `functions` that the language has."""
    types = library().Type
    return {
        functions.STRING: types.STRING,
        functions.BOOL: types.BOOL,
        functions.INT: types.INT,
        functions.DOUBLE: types.DOUBLE,
        functions.STRINGS: types.List(types.STRING),
    }


def environment(variables: dict[str, Any], declared: list[Any]) -> Any:
    """An environment with the extensions that selectors can use."""
    configuration = library().NewEnvConfigFromYaml(_CONFIGURATION)
    return library().NewEnv(config=configuration, variables=variables, functions=declared)


def calls(*more: tuple[Function, ...]) -> list[Any]:
    """The functions of Kubernetes, declared so that they can be called."""
    found = library()
    types = found.Type
    types_by_name = plain_types()
    by_name: dict[str, list[Any]] = {}
    for each in itertools.chain(functions.FUNCTIONS, network_functions.FUNCTIONS, *more):
        # Values of the types of Kubernetes are maps here, and one overload serves them all.
        distinct = {
            tuple(types_by_name.get(part, types.MAP).name() for part in parts): parts
            for _, parts in each.overloads
        }
        declared = by_name.setdefault(each.name, [])
        declared += [
            found.Overload(
                f"{each.name}/{len(declared) + number}",
                types_by_name.get(each.result, types.MAP),
                [types_by_name.get(part, types.MAP) for part in parts],
                each.is_member,
                each,
            )
            for number, parts in enumerate(distinct.values())
        ]
    return [found.FunctionDecl(name, overloads) for name, overloads in by_name.items()]
