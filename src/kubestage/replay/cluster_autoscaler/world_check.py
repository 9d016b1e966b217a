"""What is wrong with a world beyond the types of its fields."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.golang import durations
from kubestage.objects import field_check, kinds
from kubestage.replay.cluster_autoscaler.recorded_actions import Create, GroupChange, Replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.replay.cluster_autoscaler.recorded_world import (
        RecordedGroup,
        RecordedWorld,
        StatedOptions,
    )

LISTS_OF_EVENTS: Final = ("events", "evictions", "providerCalls")
"""The fields of a loop, and of the time behind it, that list what happened."""

_AMOUNTS: Final = ("capacity", "allocatable")


def problems(world: RecordedWorld) -> Iterator[str]:
    """Each problem, with its place; none if the world can be played."""
    names = [group.name for group in world.node_groups]
    yield from (f"two node groups are called {name!r}" for name in _repeated(names))
    for number, group in enumerate(world.node_groups):
        yield from _placed(f"nodeGroups[{number}]", _of_group(group))
    for number, obj in enumerate(world.objects):
        yield from _placed(f"objects[{number}]", of_object(obj))
    for number, (step, after) in enumerate(itertools.pairwise(world.steps), 1):
        if after.time < step.time:
            yield f"steps[{number}].time: {after.time:g} is before the step before it"
    for number, step in enumerate(world.steps):
        yield from _placed(f"steps[{number}].loop", _of_records(step.loop))
        yield from _placed(f"steps[{number}].until_next", _of_records(step.until_next))
        for at, action in enumerate(step.actions):
            where = f"steps[{number}].actions[{at}]"
            if isinstance(action, Create | Replace):
                yield from _placed(f"{where}.object", of_object(action.object))
            elif isinstance(action, GroupChange) and action.group not in names:
                yield f"{where}.group: there is no node group {action.group!r}"


def of_object(obj: Json) -> Iterator[str]:
    """What is wrong with an object: its kind, its name, fields and types."""
    kind = kinds.built_in(str(obj.get("apiVersion")), str(obj.get("kind")))
    if kind is None:
        yield f"kind: {obj.get('kind')!r} with apiVersion {obj.get('apiVersion')!r} is not known"
        return
    for misfit in field_check.misfits(obj):
        yield f"{misfit.path}: {misfit.problem}"
        return
    metadata = obj.get("metadata") or {}
    needed = ("name", "namespace") if kind.namespaced else ("name",)
    yield from (f"metadata.{each} is missing" for each in needed if not metadata.get(each))
    if kind.kind == "Node":
        yield from _of_taints(obj)


def _of_group(group: RecordedGroup) -> Iterator[str]:
    node = {**group.template, "apiVersion": "v1", "kind": "Node"}
    for misfit in field_check.misfits(node):
        yield f"template.{misfit.path}: {misfit.problem}"
        return
    yield from _placed("template", _of_taints(group.template))
    status = group.template.get("status") or {}
    yield from (f"template.status.{each} is missing" for each in _AMOUNTS if not status.get(each))
    yield from _placed("options", _of_options(group.options))


def _of_taints(node: Json) -> Iterator[str]:
    for number, taint in enumerate((node.get("spec") or {}).get("taints") or ()):
        needed = ("key", "effect")
        yield from (
            f"spec.taints[{number}].{each} is missing" for each in needed if not taint.get(each)
        )


def _of_records(recorded: Json) -> Iterator[str]:
    """What cannot be compared: lists of events, and what a loop did about scale-down."""
    if not isinstance(recorded.get("scaleDown") or {}, dict):
        yield "scaleDown: an object is expected"
    for name in LISTS_OF_EVENTS:
        found = recorded.get(name) or []
        if not (isinstance(found, list) and all(isinstance(each, dict) for each in found)):
            yield f"{name}: a list of objects is expected"


def _of_options(options: StatedOptions) -> Iterator[str]:
    for name, stated in msgspec.to_builtins(options).items():
        if isinstance(stated, str):
            try:
                durations.parse_duration(stated)
            except ValueError as error:
                yield f"{name}: {error}"


def _placed(where: str, found: Iterator[str]) -> Iterator[str]:
    return (f"{where}.{each}" for each in found)


def _repeated(names: list[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})
