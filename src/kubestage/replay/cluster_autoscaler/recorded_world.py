"""Recorded worlds as they lie in files."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from kubestage.aliases import Json
from kubestage.errors import InputError
from kubestage.replay.cluster_autoscaler import world_check
from kubestage.replay.cluster_autoscaler.recorded_actions import Action  # noqa: TC001 - msgspec reads it
from kubestage.units import DAY_NS, SECOND_NS

_LONGEST: Final = 366 * DAY_NS // SECOND_NS
_FIX: Final = "a world of cluster-autoscaler has nodeGroups, objects and steps"
_Seconds = Annotated[float, msgspec.Meta(ge=0, le=_LONGEST)]


class StatedOptions(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename="camel"
):
    """What a provider answers as options of a group; the flags hold for the others."""

    scale_down_unneeded_time: str | msgspec.UnsetType = msgspec.UNSET
    scale_down_unready_time: str | msgspec.UnsetType = msgspec.UNSET
    max_node_provision_time: str | msgspec.UnsetType = msgspec.UNSET
    max_node_startup_time: str | msgspec.UnsetType = msgspec.UNSET
    scale_down_utilization_threshold: float | msgspec.UnsetType = msgspec.UNSET
    scale_down_gpu_utilization_threshold: float | msgspec.UnsetType = msgspec.UNSET
    ignore_daemon_sets_utilization: bool | msgspec.UnsetType = msgspec.UNSET
    zero_or_max_node_scaling: bool | msgspec.UnsetType = msgspec.UNSET
    allow_non_atomic_scale_up_to_max: bool | msgspec.UnsetType = msgspec.UNSET


class RecordedGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """A group of nodes, and what its provider can give."""

    name: str
    min: int
    max: int
    template: Json
    price: float | None = None
    options: StatedOptions = StatedOptions()
    available: int | None = None
    shortage: Literal["never", "absent", "error", "refuse"] = "never"
    register_after: _Seconds | None = None
    ready_after: _Seconds | None = None


class RecordedStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the outside world did, and what the autoscaler did then, at a time in seconds."""

    time: _Seconds
    actions: list[Action]
    loop: Json
    until_next: Json = {}


class RecordedWorld(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """A world, from its start on.

    `order_sensitive` has for a step the fields that may come out otherwise, as the order is random
    in which the real program considers nodes, pods or groups.
    """

    name: str
    category: str
    flags: dict[str, str | list[str]]
    node_groups: list[RecordedGroup]
    objects: list[Json]
    steps: list[RecordedStep]
    order_sensitive: dict[str, list[str]] = {}
    priority_expander_config: str | None = None
    seed: int | None = None
    recreate_evicted: bool = False
    schedule_pending: bool = False


def read(data: bytes, source: str = "<bytes>") -> RecordedWorld:
    """A world from JSON."""
    try:
        world = msgspec.json.decode(data, type=RecordedWorld)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise _no_world(str(error).replace("`", ""), source) from None
    for problem in world_check.problems(world):
        raise _no_world(problem, source)
    return world


def _no_world(problem: str, source: str) -> InputError:
    return InputError(f"not a recorded world: {problem}", file=source, fix=_FIX)
