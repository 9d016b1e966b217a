"""The one table of what our own API serves; routes, index and OpenAPI document follow from it."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgspec

from kubestage.server.kubestage_api import shapes

ROOT: Final = "/kubestage/v1"

_TEXT: Final = {"type": "string"}


class Parameter(NamedTuple):
    """A query parameter."""

    name: str
    description: str
    schema: dict[str, Any] = _TEXT


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One method at one path; the handler is a module of this room and its function.

    `body` and `answer` are our own shapes; without one, the body is none and the answer any object.
    """

    method: str
    path: str
    handler: str
    summary: str
    parameters: tuple[Parameter, ...] = ()
    body: type[msgspec.Struct] | None = None
    takes: str = ""
    answer: type[msgspec.Struct] | None = None


def _choice(name: str, description: str, *values: str) -> Parameter:
    return Parameter(name, description, {**_TEXT, "enum": list(values), "default": values[0]})


_WAIT: Final = (
    _choice("wait", "Whether to answer only when that time has come.", "true", "false"),
    Parameter("timeout", "For how long to wait at most, as in 10s; 30s if not given, at most 50s."),
)
_OBJECTS: Final = "A List, several documents of YAML, or an export of kube-scheduler-simulator."
_POD: Final = "/{namespace}/{name}"

ALL: Final = (
    Endpoint(
        method="GET",
        path=ROOT,
        handler="documents:index",
        summary="What is served here.",
    ),
    Endpoint(
        method="GET",
        path=f"{ROOT}/openapi",
        handler="documents:openapi",
        summary="This API as an OpenAPI 3.0 document.",
    ),
    Endpoint(
        method="GET",
        path=f"{ROOT}/clock",
        handler="clock:get",
        summary="The virtual time, and how it passes.",
        answer=shapes.Clock,
    ),
    Endpoint(
        method="PUT",
        path=f"{ROOT}/clock",
        handler="clock:put",
        summary="Let time pass in another way.",
        body=shapes.ClockSetting,
        answer=shapes.Clock,
    ),
    Endpoint(
        method="POST",
        path=f"{ROOT}/clock/pause",
        handler="clock:pause",
        summary="Let time stand still.",
        body=shapes.Nothing,
        answer=shapes.Clock,
    ),
    Endpoint(
        method="POST",
        path=f"{ROOT}/clock/resume",
        handler="clock:resume",
        summary="Let time pass as before it was paused.",
        body=shapes.Nothing,
        answer=shapes.Clock,
    ),
    Endpoint(
        method="POST",
        path=f"{ROOT}/clock/advance",
        handler="clock:advance",
        summary="Let so much time pass, as fast as that goes; 202 if it has yet to pass.",
        parameters=_WAIT,
        body=shapes.Advance,
        answer=shapes.Clock,
    ),
    Endpoint(
        method="POST",
        path=f"{ROOT}/reset",
        handler="resetting:reset",
        summary="Empty the cluster; what every cluster has stays, and so do the time and versions.",
        body=shapes.Nothing,
        answer=shapes.Emptied,
    ),
    Endpoint(
        method="GET",
        path=f"{ROOT}/export",
        handler="transfer:export",
        summary="All objects of the cluster that matter elsewhere.",
        parameters=(
            _choice("format", "A List, or as kube-scheduler-simulator exports.", "list", "kss"),
        ),
    ),
    Endpoint(
        method="POST",
        path=f"{ROOT}/import",
        handler="transfer:import_objects",
        summary="Put objects there, all or none; what was recorded keeps its uid and status.",
        parameters=(
            _choice("mode", "Beside what is there, or in place of it.", "add", "replace"),
            _choice(
                "configuration",
                "Whether a scheduler configuration in the import takes over.",
                "apply",
                "ignore",
            ),
        ),
        takes=_OBJECTS,
        answer=shapes.Imported,
    ),
    Endpoint(
        method="GET",
        path=f"{ROOT}/scheduler/configuration",
        handler="configuration:get",
        summary="The KubeSchedulerConfiguration at work, with all defaults.",
    ),
    Endpoint(
        method="PUT",
        path=f"{ROOT}/scheduler/configuration",
        handler="configuration:put",
        summary="Have a scheduler of another configuration take over; a Scenario fails by that.",
        takes="A KubeSchedulerConfiguration, as JSON or YAML.",
    ),
    Endpoint(
        method="GET",
        path=f"{ROOT}/settings",
        handler="settings:get",
        summary="How much is told of Scenarios and scheduling, and when.",
        answer=shapes.Settings,
    ),
    *(
        Endpoint(
            method=method,
            path=f"{ROOT}/settings",
            handler="settings:change",
            summary="Change the settings that are given, for Scenarios that begin later.",
            body=shapes.SettingsChange,
            answer=shapes.Settings,
        )
        for method in ("PUT", "PATCH")
    ),
    Endpoint(
        method="GET",
        path=f"{ROOT}/runs",
        handler="runs:index",
        summary="The Scenarios that are there, and those of which a record is kept.",
        answer=shapes.Runs,
    ),
    Endpoint(
        method="GET",
        path=f"{ROOT}/runs/{{scenario}}",
        handler="runs:get",
        summary="A Scenario in numbers: how it stands, and each step.",
        answer=shapes.RunTold,
    ),
    Endpoint(
        method="GET",
        path=f"{ROOT}/runs/{{scenario}}/tables/{{table}}",
        handler="runs:table",
        summary="One table of the analysis of a Scenario, as `kubestage analyze` has it.",
    ),
    Endpoint(
        method="GET",
        path=f"{ROOT}/runs/{{scenario}}/pods{_POD}",
        handler="runs:pod",
        summary="Every attempt at a pod of a Scenario, with verdicts and scores.",
        answer=shapes.PodTold,
    ),
    Endpoint(
        method="GET",
        path=f"{ROOT}/explanations{_POD}",
        handler="explanations:get",
        summary="Every attempt at a pod of the cluster that is remembered, likewise.",
        answer=shapes.PodTold,
    ),
)
