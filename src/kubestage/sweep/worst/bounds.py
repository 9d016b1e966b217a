"""Bounds of mutations: what may change, and how far; typed, with defaults from the start."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from kubestage.errors import InputError
from kubestage.objects import yaml_documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json

Group = Literal["arrivals", "sizes", "order", "failures", "priorities"]
GROUPS: Final[tuple[Group, ...]] = ("arrivals", "sizes", "order", "failures", "priorities")
Outage = Literal["lost", "cordoned"]
_PLACE: Final = re.compile(r"(?P<problem>.*?)(?: - at `\$\.?(?P<path>[^`]*)`)?", re.DOTALL)
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(?P<name>.*)`")
_HEAD: Final = "bounds are a mapping, as in sizes: {cpu: {min: 100m, max: 4}}"


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of the bounds: an unknown field is a mistake."""


class CountRange(_Part, frozen=True):
    """The smallest and the largest number; None is the default."""

    min: int | None = None
    max: int | None = None


class TimeRange(_Part, frozen=True):
    """The first and the last moment: steps, or durations as in 90s or 10m."""

    min: int | str | None = None
    max: int | str | None = None


class AmountRange(_Part, frozen=True):
    """The smallest and the largest amount of a resource that a container requests."""

    min: int | float | str | None = None
    max: int | float | str | None = None


class FactorRange(_Part, frozen=True):
    """The smallest and the largest factor."""

    min: float = 0.25
    max: float = 4.0


class ArrivalBounds(_Part, frozen=True):
    """When pods arrive, and how many."""

    times: TimeRange = TimeRange()
    """When; by default from the first arrival on, over at least four steps or half of the run."""
    pods: CountRange = CountRange()
    """How many Pods, Jobs and other workloads; by default from 1 to twice as many as at first."""
    replicas: CountRange = CountRange()
    """How many replicas a workload has; by default from 1 to twice as many as at first."""
    requests: FactorRange = FactorRange()
    """By how much the rates and times of a Traffic are multiplied."""


class FailureBounds(_Part, frozen=True):
    """Nodes that fail."""

    most: int = 1
    """How many nodes fail in a case; 0 is none."""
    kinds: tuple[Outage, ...] = ("lost", "cordoned")
    """How: a node is lost with all its pods, or takes no more pods."""
    nodes: tuple[str, ...] = ()
    """Which; by default any."""
    returns: bool = True
    """Whether a node may come back."""


class PriorityBounds(_Part, frozen=True):
    """Priorities of pods."""

    classes: tuple[str, ...] = ()
    """The PriorityClasses that pods may get; by default those that the start creates."""


class Bounds(_Part, frozen=True):
    """What mutations may do."""

    mutate: tuple[Group, ...] = GROUPS
    """The groups of mutations."""
    arrivals: ArrivalBounds = ArrivalBounds()
    sizes: dict[str, AmountRange] = msgspec.field(
        default_factory=lambda: {"cpu": AmountRange(), "memory": AmountRange()}
    )
    """Resources whose requests change; by default cpu and memory, from half of the smallest request
    to twice the largest, and never more than the largest node has."""
    failures: FailureBounds = FailureBounds()
    priorities: PriorityBounds = PriorityBounds()


def read(text: str | None, settings: Sequence[str] = (), file: str | None = None) -> Bounds:
    """The bounds of a YAML text, changed by settings such as ``arrivals.pods.max=12``."""
    values: Json = {}
    if text is not None:
        found = yaml_documents.values(text, file)
        if len(found) > 1 or not all(isinstance(each, dict | None) for each in found):
            raise InputError("these are no bounds", file=file, fix=_HEAD)
        values = found[0] if found and found[0] else {}
    for setting in settings:
        _set(values, setting)
    try:
        return msgspec.convert(values, Bounds)
    except msgspec.ValidationError as error:
        raise _explained(str(error), file or "--bound") from None


def _set(values: Json, setting: str) -> None:
    path, equals, text = setting.partition("=")
    if not equals or not path:
        fix = "write it as in --bound arrivals.pods.max=12"
        raise InputError(f'"{setting}" sets nothing', path="--bound", fix=fix)
    # A resource may have dots in its name: sizes.nvidia.com/gpu.max.
    *parents, last = path.split(".")
    if parents[:1] == ["sizes"] and len(parents) > 2:
        parents = ["sizes", ".".join(parents[1:])]
    (value,) = yaml_documents.values(text, "--bound") or [None]
    place: Any = values
    for part in parents:
        place = place.setdefault(part, {})
        if not isinstance(place, dict):
            raise InputError(f'"{part}" has no fields', path="--bound", fix=f"see {setting}")
    place[last] = value


def _explained(text: str, file: str) -> InputError:
    found = _PLACE.fullmatch(text)
    assert found is not None, text
    path, problem = found["path"] or "", found["problem"]
    unknown = _UNKNOWN.match(problem)
    if unknown is None:
        return InputError(problem, file=file, path=path or None)
    name, keys = unknown["name"], _keys(path)
    close = difflib.get_close_matches(name, keys, 1)
    fix = f'did you mean "{close[0]}"?' if close else f"there are {', '.join(keys)}"
    return InputError("unknown field", file=file, path=f"{path}.{name}" if path else name, fix=fix)


def _keys(path: str) -> list[str]:
    """The fields that are there at a path."""
    value: Any = Bounds()
    for part in path.split(".") if path else ():
        value = getattr(value, part, AmountRange()) if not part.startswith("[") else AmountRange()
    struct = value if isinstance(value, msgspec.Struct) else AmountRange()
    return [each.encode_name for each in msgspec.structs.fields(struct)]
