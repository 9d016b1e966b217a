"""The values of a setting as something to apply: flags of the command, and patches of objects."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

from kubestage.runs.inputs import field_paths
from kubestage.sweep import changes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.runs.inputs.field_paths import Parts
    from kubestage.sweep.base_run import Base
    from kubestage.sweep.rows import Scalar


def lines(base: Base, parameters: Mapping[str, Scalar]) -> list[str]:
    """What to type: the command with its flags, and a patch for each object."""
    flags = [word for path, value in parameters.items() for word in _flags(base, path, value)]
    variables = "".join(
        f"{path.removeprefix('params.')}={shlex.quote(_text(value))} "
        for path, value in parameters.items()
        if _is_variable(base.change(path))
    )
    found = []
    if flags or variables:
        found.append(f"{variables}kubestage {shlex.join([*base.command.words(), *flags])}")
    found += _patches(base, parameters)
    for path, value in parameters.items():
        change = base.change(path)
        if isinstance(change, changes.ConfigChange):
            field = path.removeprefix("config:")
            found.append(f"# scheduler configuration: {field}: {_text(value)}")
        elif isinstance(change, changes.NumberChange) and not _is_variable(change):
            found.append(f"# load configuration: {path}: {_text(value)}")
    return found


def _flags(base: Base, path: str, value: Scalar) -> Iterator[str]:
    change = base.change(path)
    if isinstance(change, changes.OptionChange):
        if isinstance(value, bool):
            yield from (f"--{change.flag}",) if value else ()
        elif value is not None:
            yield from (f"--{change.flag}", _text(value))
    elif isinstance(change, changes.SettingChange):
        yield from ("--setting", f"{change.name}={_text(value)}")


def _is_variable(change: changes.Change) -> bool:
    """Whether it is a parameter of templates, which a load reads from its environment."""
    return isinstance(change, changes.NumberChange) and change.vary.is_parameter


def _patches(base: Base, parameters: Mapping[str, Scalar]) -> list[str]:
    """A patch for each object that a path names."""
    edits: dict[str, tuple[Json, list[tuple[Parts, Scalar]]]] = {}
    for path, value in parameters.items():
        change = base.change(path)
        if not isinstance(change, changes.ObjectChange):
            continue
        for each in base.objects():
            if change.target.matches(each.obj) and field_paths.takes(each.obj, change.parts):
                words = shlex.join(_object_words(each.obj))
                edits.setdefault(words, (each.obj, []))[1].append((change.parts, value))
    return [f"{words} {_patch(obj, fields)}" for words, (obj, fields) in edits.items()]


def _object_words(obj: Json) -> list[str]:
    metadata = obj.get("metadata") or {}
    words = ["kubectl", "patch", str(obj.get("kind")).lower(), str(metadata.get("name"))]
    return [*words, "-n", str(metadata["namespace"])] if metadata.get("namespace") else words


def _patch(obj: Json, fields: Sequence[tuple[Parts, Scalar]]) -> str:
    """A merge patch; if a field is within a list, one of JSON pointers."""
    unique = dict(fields)
    if not any(_has_lists(obj, parts) for parts in unique):
        merged: Json = {}
        for parts, value in unique.items():
            merged = field_paths.replaced(merged, parts, value)
        return shlex.join(["--type=merge", "-p", json.dumps(merged)])
    steps = [
        {
            "op": "add" if field_paths.value_at(obj, parts) is None else "replace",
            "path": _pointer(obj, parts),
            "value": value,
        }
        for parts, value in unique.items()
    ]
    return shlex.join(["--type=json", "-p", json.dumps(steps)])


def _has_lists(obj: Json, parts: Parts) -> bool:
    return any(
        isinstance(field_paths.value_at(obj, parts[:length]), list) for length in range(len(parts))
    )


def _pointer(obj: Json, parts: Parts) -> str:
    """The path as a JSON pointer: items of lists by their places."""
    pointer = ""
    for length, part in enumerate(parts):
        place = part
        above = field_paths.value_at(obj, parts[:length])
        if isinstance(above, list) and isinstance(part, str):
            names = [item.get("name") if isinstance(item, dict) else None for item in above]
            place = names.index(part)
        pointer += f"/{str(place).replace('~', '~0').replace('/', '~1')}"
    return pointer


def _text(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
