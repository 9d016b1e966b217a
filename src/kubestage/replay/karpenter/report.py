"""How a recorded world of Karpenter compares, counted as those of other autoscalers are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.replay.karpenter import player
from kubestage.replay.world_report import FieldDifference, WorldReport

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.replay.karpenter.comparison import Difference
    from kubestage.replay.karpenter.world import World

_OF_A_PASS: Final = ("result.newNodeClaims", "result.existingNodes", "result.podErrors")
_OF_A_ROUND: Final = ("commands",)


def compare(world: World) -> WorldReport:
    """Play a world and compare each field of each step."""
    report = WorldReport(world.name, world.category, steps=len(world.steps))
    found = player.play(world)
    report.differences += [_of(each, world.steps[each.step]) for each in found]
    different = {(each.step, _field(each.path)) for each in found if not each.varies}
    for number, step in enumerate(world.steps):
        for field in _decisions(step):
            report.decisions += 1
            report.identical += (number, field) not in different
    return report


def _decisions(step: Json) -> Iterator[str]:
    """The fields with decisions; a round without a command is one, too."""
    if "result" not in step:
        yield from _OF_A_ROUND
    else:
        yield from (field for field in _OF_A_PASS if step["result"].get(field.split(".")[1]))


def _field(path: str) -> str:
    """The field that a path leads into."""
    names = path.partition("[")[0].split(".")
    return ".".join(names[: 2 if names[0] == "result" else 1])


def _of(difference: Difference, step: dict[str, Any]) -> FieldDifference:
    field = _field(difference.path)
    return FieldDifference(
        step=difference.step,
        time=step.get("time") or 0,
        field=field,
        path=difference.path.removeprefix(field),
        expected=difference.recorded,
        got=difference.actual,
        counts=not difference.varies,
    )
