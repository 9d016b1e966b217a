"""The bodies of checks of texts and configurations, and of rehearsals."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from kubestage.aliases import Json


class TextProblem(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What is wrong (or only odd: a warning) in one place of a text; `object` is the number of the
    object in `objects`, null if it cannot be read. `reason` is that of the API, if it refused.
    """

    level: Literal["error", "warning"]
    line: int
    path: str
    message: str
    fix: str
    object: int | None
    reason: str


class TextObject(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An object of a text: its line, and how it is sent to the Kubernetes API.

    `path` is that of the collection if `verb` is create, else that of the object.
    """

    line: int
    kind: str
    namespace: str
    name: str
    verb: Literal["create", "apply", "replace"]
    path: str
    object: Json


class TextCheck(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Every object of a text, and every problem, by line."""

    objects: list[TextObject]
    problems: list[TextProblem]


class SchedulerProfiles(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A configuration with all defaults, and the plugins of each profile and extension point, in
    the order in which they run, with their weights.

    `plugins` are all plugins that could be enabled, each with its extension points.
    """

    configuration: Json
    profiles: list[Json]
    plugins: dict[str, list[str]]


class AutoscalingRequest(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"
):
    """What to rehearse: `objects` such as a Deployment, a HorizontalPodAutoscaler and a Traffic,
    for a `duration` of at most 24h.

    `cluster`: on nodes of their own with room for everything (none), or on a copy of the cluster,
    where objects of these names are changed (copy). `settings` are those of ``--setting``.
    """

    objects: list[Json]
    duration: str = "1h"
    cluster: Literal["none", "copy"] = "none"
    seed: Annotated[int, msgspec.Meta(ge=0)] | None = None
    settings: dict[str, str] = {}


class ResultTable(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Rows under columns."""

    columns: list[str]
    rows: list[list[str | float | None]]


class AutoscalingResult(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What happened in a rehearsal, as tables of a living run; times are seconds since its start.

    `isComplete` is false if it took too long and ended early; `tookSeconds` is real time.
    """

    seconds: float
    resolution_seconds: float
    is_complete: bool
    took_seconds: float
    notes: list[str]
    summary: Json
    tables: dict[str, ResultTable]


class TimelineRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Something that happened to `object` (kind and name); `pod` is its key if it is one."""

    step: int
    id: str
    operation: str
    object: str
    pod: str | None = None
    node: str | None = None
    attempts: int = 0
    message: str = ""


class Timeline(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What happened in a Scenario, in order; `total` counts the rows that a limit left out, too."""

    rows: list[TimelineRow]
    total: int
