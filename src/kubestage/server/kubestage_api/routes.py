"""The table of what the kubestage API serves; its index and OpenAPI document follow from it."""

from __future__ import annotations

from typing import Final

from kubestage import lazy
from kubestage.server.kubestage_api import (
    chart_routes,
    editing_routes,
    history_routes,
    node_shapes,
    shapes,
    timeline_routes,
)
from kubestage.server.kubestage_api.route import ROOT, Parameter, Route, choice

with lazy.imports():
    from kubestage.server.kubestage_api import (
        clock,
        configuration,
        documents,
        explanations,
        node_explanations,
        packing,
        resetting,
        runs,
        settings,
        transfer,
    )

__all__ = ["ROOT", "ROUTES", "Parameter", "Route", "choice"]

_WAIT: Final = (
    choice("wait", "Whether to answer only when that time has come.", "true", "false"),
    Parameter("timeout", "For how long to wait at most, as in 10s; 30s if not given, at most 50s."),
)
_OBJECTS: Final = "A List, several documents of YAML, or an export of kube-scheduler-simulator."
_POD: Final = "/{namespace}/{name}"

ROUTES: Final[tuple[Route, ...]] = (
    Route(
        method="GET",
        path=ROOT,
        handler=lambda: documents.index,
        is_of_past=True,
        summary="What is served here.",
    ),
    Route(
        method="GET",
        path=f"{ROOT}/openapi",
        handler=lambda: documents.openapi,
        is_of_past=True,
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
        summary="All objects of the cluster that matter elsewhere, or its past as a trace.",
        parameters=(
            choice(
                "format",
                "A List, as kube-scheduler-simulator exports, or the lives of pods for Perfetto.",
                "list",
                "kss",
                "perfetto",
            ),
            choice("groupBy", "What a process of a trace for Perfetto is.", "node", "workload"),
        ),
    ),
    Route(
        method="POST",
        path=f"{ROOT}/import",
        handler=lambda: transfer.import_objects,
        summary="Put objects there, all or none; what was recorded keeps its uid and status.",
        parameters=(
            choice("mode", "Beside what is there, or in place of it.", "add", "replace"),
            choice(
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
        parameters=(
            choice("dryRun", "Whether to check it only, and change nothing.", "false", "true"),
        ),
        body_description=editing_routes.CONFIGURATION,
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
        is_of_past=True,
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
        is_of_past=True,
        summary="Every attempt at a pod of the cluster that is remembered, likewise, and what "
        "would make it fit if it waits.",
        parameters=(
            choice("advice", "Whether to look for what would make it fit.", "true", "false"),
            Parameter("kind", "The kind of a workload of this name, as in Deployment."),
        ),
        response=shapes.PodAttempts,
    ),
    Route(
        method="GET",
        path=f"{ROOT}/node-explanations/{{name}}",
        handler=lambda: node_explanations.get,
        summary="Why a node of the cluster was bought, and why it is kept or goes.",
        response=node_shapes.NodeExplanation,
    ),
    *editing_routes.ROUTES,
    *history_routes.ROUTES,
    *timeline_routes.ROUTES,
    *chart_routes.ROUTES,
)
