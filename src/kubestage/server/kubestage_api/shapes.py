"""The bodies of requests and responses of the kubestage API."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from kubestage.aliases import Json


class RequestBody(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"
):
    """The body of a request."""


class ResponseBody(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The body of an answer."""


class NoBody(RequestBody, frozen=True):
    """An empty object, or no body at all."""


class ClockSetting(RequestBody, frozen=True):
    """How time is to pass; a speed alone means that mode."""

    mode: Literal["paused", "still", "speed", "jump"] | None = None
    speed: Annotated[float, msgspec.Meta(gt=0, le=1_000_000)] | None = None


class Advance(RequestBody, frozen=True):
    """How much time is to pass (`duration`, as in 10m), up to which moment (`until`), or up to what
    (`to`): the next change of an object, Leases and heartbeats aside, or the next decision of the
    scheduler, but no longer than 24h.
    """

    duration: str | None = None
    until: str | None = None
    to: Literal["event", "decision"] | None = None


class Clock(ResponseBody, frozen=True):
    """The virtual time, and how it passes.

    `nowNs` is the time since this process began, `due` when something happens next, `scenario` the
    one that is running or paused. `isQuiet`: a clock that jumps has nothing to do.
    `isPassing`: time passes nevertheless, at a speed, or because a client watches.
    `aheadOfWallSeconds` is null unless the clock keeps up with the wall clock.
    """

    mode: Literal["paused", "speed", "jump"]
    speed: float
    now: str
    now_ns: int
    is_quiet: bool
    is_passing: bool
    ahead_of_wall_seconds: float | None
    due: str | None
    scenario: str | None
    message: str


class SettingsChange(RequestBody, frozen=True, omit_defaults=True):
    """Settings to be changed; those that are not given stay.

    They hold for Scenarios that begin later and do not choose for themselves. `resultAnnotations`
    holds for the next attempt of the scheduler.
    """

    detail: Literal["summary", "decisions", "full"] | msgspec.UnsetType = msgspec.UNSET
    result_strategy: Literal["AtMovingNextStep", "OnPause", "OnDone"] | msgspec.UnsetType = (
        msgspec.UNSET
    )
    result_annotations: bool | msgspec.UnsetType = msgspec.UNSET


class Settings(ResponseBody, frozen=True):
    """How much the status of a Scenario has of each attempt, when its result is written, and
    whether results are written on pods as kube-scheduler-simulator does.

    `components` are the settings of controllers and autoscalers with which the server was started
    (``--setting``), by name, if there are any.
    """

    detail: Literal["summary", "decisions", "full"]
    result_strategy: Literal["AtMovingNextStep", "OnPause", "OnDone"]
    result_annotations: bool
    components: dict[str, str] | msgspec.UnsetType = msgspec.UNSET


class ResetResult(ResponseBody, frozen=True):
    """How many objects were removed, and the version after that."""

    removed: int
    resource_version: str


class CreatedKind(ResponseBody, frozen=True):
    """How many objects of a kind were made."""

    api_version: str
    kind: str
    count: int


class ImportResult(ResponseBody, frozen=True):
    """What an import has changed; `notes` are for the reader."""

    created: int
    kinds: list[CreatedKind]
    removed: int = 0
    scheduler_configuration: Literal["applied", "ignored", "none"] = "none"
    resource_version: str = ""
    notes: list[str] = []


class RunRow(ResponseBody, frozen=True):
    """A Scenario in a few words; `isThere` is false if only its record is left."""

    name: str
    phase: str
    message: str
    uid: str
    is_there: bool
    step: int | None = None
    has_explanations: bool = False


class Runs(ResponseBody, frozen=True):
    """The runs, oldest first."""

    items: list[RunRow]


class RunDetails(ResponseBody, frozen=True):
    """A run in numbers; `steps` has a row for each step, `tables` where to find more."""

    run: RunRow
    summary: Json | None
    steps: list[Json]
    tables: list[str]


class ClusterPacking(ResponseBody, frozen=True):
    """What nodes cost per hour (`costs`: in all, and by pool, namespace and workload; null without
    prices), and how well pods are packed.

    `metrics` has the measures of cluster-autoscaler's scale-down benchmark, under its names.
    """

    node_count: int
    costs: Json
    utilization: Json
    stranded: Json
    fragmentation: Json
    metrics: dict[str, float | None]


class FitChange(ResponseBody, frozen=True):
    """A change after which the scheduler has placed the pod, on `provedOn`.

    `patch` has it as JSON: `pod` is a merge patch of the pod, `add` are objects to create, `change`
    are merge patches of other objects, `remove` names objects to delete.
    """

    kind: str
    text: str
    patch: Json
    proved_on: str


class FitAdvice(ResponseBody, frozen=True):
    """Whether a pod that waits fits now (on `node`, if `victims` are preempted), and what would
    make it fit: `numbers`, and `changes`, those that touch the least first. `lines` has the same
    as text.
    """

    key: str
    fits: bool
    node: str
    victims: list[str]
    message: str
    numbers: list[str]
    changes: list[FitChange]
    lines: list[str]


class PodAttempts(ResponseBody, frozen=True):
    """What became of a pod, and each attempt at it; `explanation` is null where none was kept.

    `nodes` is how many nodes there are. `advice` is null unless the pod waits for a node.
    `reason` says why it is gone or was not tried, as far as that is known.
    """

    pod: str
    uid: str | None
    status: str
    node: str | None
    attempts: list[Json]
    created_at: int | None = None
    bound_at: int | None = None
    preempted_at: int | None = None
    preempted_by: str | None = None
    preempted: list[str] = []
    notes: list[str] = []
    nodes: int = 0
    advice: FitAdvice | None = None
    reason: str = ""
