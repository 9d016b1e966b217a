"""The variables of templates: overrides, the size of the cluster, the environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.clusterloader.templating import documents, numbers
from kubestage.errors import InputError
from kubestage.golang.template import printing
from kubestage.golang.template.values import INT, type_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PREFIX: Final = "CL2_"


def mapping(
    nodes: int,
    image_registry: str,
    env: Mapping[str, str],
    overrides: Iterable[tuple[str, str]],
) -> dict[str, Any]:
    """All variables, in ClusterLoader2's order of precedence.

    A later override wins over an earlier one. A variable of the environment that an override
    gives another value, or the same value as another type, is an error.
    """
    found: dict[str, Any] = {}
    for name, text in overrides:
        found.update(_override(name, text))
    found["Nodes"] = nodes
    found["ImageRegistry"] = image_registry
    for key in sorted(env):
        if key.startswith(_PREFIX):
            value = numbers.unpacked(env[key])
            if key in found and not _is_same(found[key], value):
                raise _conflict(key, found[key], value)
            found[key] = value
    return found


def _override(name: str, text: str) -> dict[str, Any]:
    try:
        value = documents.first(text)
    except InputError as error:
        error.file = name
        raise
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError("overrides are a map of names to values", file=name)
    found: dict[str, Any] = numbers.as_floats(value)
    return found


def _is_same(before: Any, after: Any) -> bool:
    return type(before) is type(after) and bool(before == after)


def _conflict(key: str, before: Any, after: Any) -> InputError:
    return InputError(
        f"merge conflict for key '{key}': old value={_shown(before)}, new value={_shown(after)}",
        path=key,
        fix="the overrides and the environment both set it: numbers of overrides are float64",
    )


def _shown(value: Any) -> str:
    name = type_name(value)
    return f"{printing.text(value)} ({'int64' if name == INT else name})"
