"""Lists and maps: building, taking apart, merging."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

from kubestage.golang.template import limits, printing
from kubestage.golang.template.functions import Function
from kubestage.golang.template.sprig.arithmetic import to_int
from kubestage.golang.template.values import ANY, INT, MAP, STRING, truth, type_name

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _listed(value: Any, doing: str) -> list[Any]:
    if isinstance(value, list):
        return value
    raise ValueError(f"Cannot {doing} type {_kind(value)}")


def _kind(value: Any) -> str:
    name = type_name(value)
    return {"[]interface {}": "slice", "map[string]interface {}": "map"}.get(name, name)


def _same(one: Any, other: Any) -> bool:
    limits.steps(1)
    if isinstance(one, (list, dict)):
        limits.tree(one)
    return type_name(one) == type_name(other) and bool(one == other)


def _distinct(value: Any) -> list[Any]:
    found: list[Any] = []
    for each in _listed(value, "find uniq on"):
        if not any(_same(each, known) for known in found):
            found.append(each)
    return found


def _without(value: Any, *omitted: Any) -> list[Any]:
    return [
        each
        for each in _listed(value, "find without on")
        if not any(_same(each, other) for other in omitted)
    ]


def _has(element: Any, value: Any) -> bool:
    if value is None:
        return False
    return any(_same(each, element) for each in _listed(value, "find has on"))


def _part(value: Any, *places: Any) -> Any:
    if not isinstance(value, list):
        raise ValueError(f"list should be type of slice or array but {_kind(value)}")
    if not value:
        return None
    start = to_int(places[0]) if places else 0
    end = to_int(places[1]) if len(places) > 1 else len(value)
    if not 0 <= start <= end <= len(value):
        raise ValueError("reflect.Value.Slice: slice index out of bounds")
    return value[start:end]


def _concatenated(*values: Any) -> list[Any]:
    return [each for value in values for each in _listed(value, "concat")]


def _chunks(size: int, value: Any) -> list[list[Any]]:
    found = _listed(value, "chunk")
    if size <= 0:
        raise ValueError("chunks need a size")
    return [found[at : at + size] for at in range(0, len(found), size)]


def _map(*pairs: Any) -> Json:
    found: Json = {}
    for at in range(0, len(pairs), 2):
        found[printing.text(pairs[at])] = pairs[at + 1] if at + 1 < len(pairs) else ""
    return found


def _set(target: Json, key: str, value: Any) -> Json:
    target[key] = value
    return target


def _unset(target: Json, key: str) -> Json:
    target.pop(key, None)
    return target


def _merged(target: Json, *sources: Json | None, overwrite: bool = False) -> Json:
    for source in sources:
        limits.steps(1 + len(source or ()))
        for key, value in (source or {}).items():
            known = target.get(key)
            if isinstance(known, dict) and isinstance(value, dict):
                _merged(known, value, overwrite=overwrite)
            elif not truth(known) or (overwrite and truth(value)):
                target[key] = value
    return target


def _copied(value: Any) -> Any:
    limits.tree(value)
    return copy.deepcopy(value)


def _dug(*parts: Any) -> Any:
    if len(parts) < 3:
        raise ValueError("dig needs at least three arguments")
    *keys, otherwise, value = parts
    for key in keys:
        if not isinstance(value, dict) or not isinstance(key, str):
            raise ValueError(f"cannot dig into type {_kind(value)}")
        if key not in value:
            return otherwise
        value = value[key]
    return value


_FUNCTIONS: Final[dict[str, Function]] = {
    "append": Function(lambda value, new: [*_listed(value, "push on"), new], (ANY, ANY)),
    "prepend": Function(lambda value, new: [new, *_listed(value, "prepend on")], (ANY, ANY)),
    "first": Function(lambda value: (_listed(value, "find first on") or [None])[0], (ANY,)),
    "rest": Function(lambda value: _listed(value, "find rest on")[1:] or None, (ANY,)),
    "last": Function(lambda value: (_listed(value, "find last on") or [None])[-1], (ANY,)),
    "initial": Function(lambda value: _listed(value, "find initial on")[:-1] or None, (ANY,)),
    "reverse": Function(lambda value: _listed(value, "find reverse on")[::-1], (ANY,)),
    "uniq": Function(_distinct, (ANY,)),
    "without": Function(_without, (ANY,), ANY),
    "has": Function(_has, (ANY, ANY)),
    "slice": Function(_part, (ANY,), ANY),
    "chunk": Function(_chunks, (INT, ANY)),
    "compact": Function(
        lambda value: [each for each in _listed(value, "compact on") if truth(each)], (ANY,)
    ),
    "merge": Function(_merged, (MAP,), MAP),
    "mergeOverwrite": Function(
        lambda target, *sources: _merged(target, *sources, overwrite=True), (MAP,), MAP
    ),
    "deepCopy": Function(_copied, (ANY,)),
}

FUNCTIONS: Final[dict[str, Function]] = {
    **_FUNCTIONS,
    # Each has a ``must`` form that fails where the first panics, which is the same to a template.
    **{f"must{name[0].upper()}{name[1:]}": call for name, call in _FUNCTIONS.items()},
    "push": _FUNCTIONS["append"],
    "mustPush": _FUNCTIONS["append"],
    "list": Function(lambda *values: list(values), (), ANY),
    "tuple": Function(lambda *values: list(values), (), ANY),
    "concat": Function(_concatenated, (), ANY),
    "dict": Function(_map, (), ANY),
    "get": Function(lambda value, key: (value or {}).get(key, ""), (MAP, STRING)),
    "set": Function(_set, (MAP, STRING, ANY)),
    "unset": Function(_unset, (MAP, STRING)),
    "hasKey": Function(lambda value, key: key in (value or {}), (MAP, STRING)),
    "pluck": Function(
        lambda key, *values: [each[key] for each in values if each and key in each], (STRING,), MAP
    ),
    # Go's order of keys varies; this one must not.
    "keys": Function(lambda *values: [key for each in values for key in sorted(each)], (), MAP),
    "values": Function(lambda value: [value[key] for key in sorted(value)], (MAP,)),
    "pick": Function(
        lambda value, *keys: {key: value[key] for key in keys if key in value}, (MAP,), STRING
    ),
    "omit": Function(
        lambda value, *keys: {key: each for key, each in value.items() if key not in keys},
        (MAP,),
        STRING,
    ),
    "dig": Function(_dug, (), ANY),
}
