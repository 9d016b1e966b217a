"""The library behind CEL, and what all environments for devices have in common."""

from __future__ import annotations

import functools
import importlib
from typing import Any, Final

from kubestage.errors import InputError
from kubestage.objects.cel import functions

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


def calls() -> list[Any]:
    """The functions of Kubernetes, declared so that they can be called."""
    found = library()
    types = found.Type
    types_by_name = {**plain_types(), functions.QUANTITY: types.MAP, functions.SEMVER: types.MAP}
    declared = []
    for each in functions.FUNCTIONS:
        # Quantities and versions are both maps here, and one overload serves them all.
        distinct = {
            tuple(types_by_name[part].name() for part in parts): parts
            for _, parts in each.overloads
        }
        overloads = [
            found.Overload(
                f"{each.name}/{number}",
                types_by_name[each.result],
                [types_by_name[part] for part in parts],
                each.is_member,
                each,
            )
            for number, parts in enumerate(distinct.values())
        ]
        declared.append(found.FunctionDecl(each.name, overloads))
    return declared
