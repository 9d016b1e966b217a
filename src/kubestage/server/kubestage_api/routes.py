"""The table of what the kubestage API serves; its index and OpenAPI document follow from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple

import msgspec

from kubestage import lazy
from kubestage.aliases import Json
from kubestage.server.kubestage_api import shapes
from kubestage.server.kubestage_api.call import ApiCall

with lazy.imports():
    from kubestage.server.kubestage_api import (
        clock,
        configuration,
        documents,
        explanations,
        packing,
        resetting,
        runs,
        settings,
        transfer,
    )

Handler = Callable[[ApiCall], Awaitable[Any]]

ROOT: Final = "/kubestage/v1"

_TEXT: Final = {"type": "string"}


class Parameter(NamedTuple):
    """A query parameter."""

    name: str
    description: str
    schema: Json = _TEXT


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """One method at one path."""

    method: str
    path: str
    """The path, with the names of its parameters in braces."""

    handler: Callable[[], Handler]
    """Returns the function that serves the route, which loads its module."""

    summary: str
    parameters: tuple[Parameter, ...] = ()
    body: type[msgspec.Struct] | None = None
    """The shape of the request's body, if it is one of ours."""

    body_description: str = ""
    """What a body of another shape holds; such a body is required."""

    response: type[msgspec.Struct] | None = None
    """The shape of the response; without one, it is any object."""

    accepted: str = ""
    """What a response with status 202 means, if there is one."""

    @property
    def handler_name(self) -> str:
        """The module and function of the handler, as in ``clock_get``."""
        handler: Any = self.handler()
        return f"{handler.__module__.rpartition('.')[2]}_{handler.__name__}"


def _choice(name: str, description: str, *values: str) -> Parameter:
    return Parameter(name, description, {**_TEXT, "enum": list(values), "default": values[0]})


_WAIT: Final = (
    _choice("wait", "Whether to answer only when that time has come.", "true", "false"),
    Parameter("timeout", "For how long to wait at most, as in 10s; 30s if not given, at most 50s."),
)
_OBJECTS: Final = "A List, several documents of YAML, or an export of kube-scheduler-simulator."
_POD: Final = "/{namespace}/{name}"

ROUTES: Final = (
    Route(
        method="GET",
        path=ROOT,
        handler=lambda: documents.index,
        summary="What is served here.",
    ),
    Route(
        method="GET",
        path=f"{ROOT}/openapi",
        handler=lambda: documents.openapi,
        summary="This API as an OpenAPI 3.0 document.",
    ),
    Route(
        method="GET",
        path=f"{ROOT}/clock",
        handler=lambda: clock.get,
        summary="The virtual time, and how it passes.",
        response=shapes.Clock,
    ),
    Route(
        method="PUT",
        path=f"{ROOT}/clock",
        handler=lambda: clock.put,
        summary="Let time pass in another way.",
        body=shapes.ClockSetting,
        response=shapes.Clock,
    ),
    Route(
        method="POST",
        path=f"{ROOT}/clock/pause",
        handler=lambda: clock.pause,
        summary="Let time stand still.",
        body=shapes.NoBody,
        response=shapes.Clock,
    ),
    Route(
        method="POST",
        path=f"{ROOT}/clock/resume",
        handler=lambda: clock.resume,
        summary="Let time pass as before it was paused.",
        body=shapes.NoBody,
        response=shapes.Clock,
    ),
    Route(
        method="POST",
        path=f"{ROOT}/clock/advance",
        handler=lambda: clock.advance,
        summary="Let so much time pass, as fast as that goes; 202 if it has yet to pass.",
        parameters=_WAIT,
        body=shapes.Advance,
        response=shapes.Clock,
        accepted="It has yet to pass.",
    ),
    Route(
        method="POST",
        path=f"{ROOT}/reset",
        handler=lambda: resetting.reset,
        summary="Empty the cluster; what every cluster has stays, and so do the time and versions.",
        body=shapes.NoBody,
        response=shapes.ResetResult,
    ),
    Route(
        method="GET",
        path=f"{ROOT}/export",
        handler=lambda: transfer.export,
        summary="All objects of the cluster that matter elsewhere.",
        parameters=(
            _choice("format", "A List, or as kube-scheduler-simulator exports.", "list", "kss"),
        ),
    ),
    Route(
        method="POST",
        path=f"{ROOT}/import",
        handler=lambda: transfer.import_objects,
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
        body_description=_OBJECTS,
        response=shapes.ImportResult,
    ),
    Route(
        method="GET",
        path=f"{ROOT}/scheduler/configuration",
        handler=lambda: configuration.get,
        summary="The KubeSchedulerConfiguration at work, with all defaults.",
    ),
    Route(
        method="PUT",
        path=f"{ROOT}/scheduler/configuration",
        handler=lambda: configuration.put,
        summary="Have a scheduler of another configuration take over; a Scenario fails by that.",
        body_description="A KubeSchedulerConfiguration, as JSON or YAML.",
    ),
    Route(
        method="GET",
        path=f"{ROOT}/settings",
        handler=lambda: settings.get,
        summary="How much is reported of Scenarios and scheduling, and when.",
        response=shapes.Settings,
    ),
    *(
        Route(
            method=method,
            path=f"{ROOT}/settings",
            handler=lambda: settings.change,
            summary="Change the settings that are given, for Scenarios that begin later.",
            body=shapes.SettingsChange,
            response=shapes.Settings,
        )
        for method in ("PUT", "PATCH")
    ),
    Route(
        method="GET",
        path=f"{ROOT}/packing",
        handler=lambda: packing.get,
        summary="What the cluster costs per hour, and how well its pods are packed.",
        response=shapes.ClusterPacking,
    ),
    Route(
        method="GET",
        path=f"{ROOT}/runs",
        handler=lambda: runs.index,
        summary="The Scenarios that are there, and those of which a record is kept.",
        response=shapes.Runs,
    ),
    Route(
        method="GET",
        path=f"{ROOT}/runs/{{scenario}}",
        handler=lambda: runs.get,
        summary="A Scenario in numbers: how it stands, and each step.",
        response=shapes.RunDetails,
    ),
    Route(
        method="GET",
        path=f"{ROOT}/runs/{{scenario}}/tables/{{table}}",
        handler=lambda: runs.table,
        summary="One table of the analysis of a Scenario, as `kubestage analyze` has it.",
    ),
    Route(
        method="GET",
        path=f"{ROOT}/runs/{{scenario}}/pods{_POD}",
        handler=lambda: runs.pod,
        summary="Every attempt at a pod of a Scenario, with verdicts and scores.",
        response=shapes.PodAttempts,
    ),
    Route(
        method="GET",
        path=f"{ROOT}/explanations{_POD}",
        handler=lambda: explanations.get,
        summary="Every attempt at a pod of the cluster that is remembered, likewise, and what "
        "would make it fit if it waits.",
        parameters=(
            _choice("advice", "Whether to look for what would make it fit.", "true", "false"),
            Parameter("kind", "The kind of a workload of this name, as in Deployment."),
        ),
        response=shapes.PodAttempts,
    ),
)
