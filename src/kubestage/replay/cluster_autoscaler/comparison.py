"""Where a played world and its recording differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.replay.cluster_autoscaler import player
from kubestage.replay.cluster_autoscaler.world_check import LISTS_OF_EVENTS
from kubestage.replay.world_report import FieldDifference, WorldReport

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.replay.cluster_autoscaler.recorded_world import RecordedWorld

_DECISIONS: Final = ("scaleUp", "scaleDown.deletionStarted")
_EMPTY: Final[tuple[Any, ...]] = (None, [], {})


def compare(world: RecordedWorld) -> WorldReport:
    """Play a world and compare each field of each step."""
    report = WorldReport(world.name, world.category)
    for number, (step, got) in enumerate(zip(world.steps, player.play(world), strict=True)):
        open_fields = frozenset(world.order_sensitive.get(str(number), ()))
        recorded = _fields(step.loop, step.until_next)
        actual = _fields(got["loop"], got["until_next"])
        found = [
            FieldDifference(number, step.time, field, path, want, ours, field not in open_fields)
            for field in {**recorded, **actual}
            for path, want, ours in _differences(recorded.get(field), actual.get(field), "")
        ]
        report.differences += found
        counted = {each.field for each in found if each.counts}
        report.steps += 1
        for field in _DECISIONS:
            if recorded.get(field) or actual.get(field):
                report.decisions += 1
                report.identical += field not in counted
    return report


def _fields(loop: Json, until_next: Json) -> dict[str, Any]:
    """The fields of a step, as `orderSensitive` names them; what is empty is left out."""
    found = {name: value for name, value in loop.items() if name != "scaleDown"}
    scale_down = loop.get("scaleDown") or {}
    found |= {f"scaleDown.{name}": value for name, value in scale_down.items()}
    found |= {f"until_next.{name}": value for name, value in until_next.items()}
    for name, value in found.items():
        if name.rpartition(".")[2] in LISTS_OF_EVENTS and value:
            found[name] = sorted(value, key=_in_order)
    return {name: value for name, value in found.items() if value not in (None, "", [], {})}


def _in_order(event: Json) -> tuple[Any, ...]:
    return event.get("t", 0), *(str(event.get(key)) for key in sorted(event))


def _differences(want: Any, got: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(want, dict) and isinstance(got, dict):
        for key in {**want, **got}:
            yield from _differences(want.get(key), got.get(key), f"{path}.{key}")
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for number, (each, ours) in enumerate(zip(want, got, strict=True)):
            yield from _differences(each, ours, f"{path}[{number}]")
    elif want != got and not (want in _EMPTY and got in _EMPTY):
        yield path, want, got
