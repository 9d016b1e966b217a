"""The routes of checks, of rehearsals, and of what happened in a Scenario."""

from __future__ import annotations

from typing import Final

from kubestage import lazy
from kubestage.server.kubestage_api import editing_shapes as shapes
from kubestage.server.kubestage_api.route import ROOT, Parameter, Route, choice

with lazy.imports():
    from kubestage.server.kubestage_api import checking, configuration, rehearsals, run_timeline

CONFIGURATION: Final = "A KubeSchedulerConfiguration, as JSON or YAML."

ROUTES: Final[tuple[Route, ...]] = (
    Route(
        method="GET",
        path=f"{ROOT}/scheduler/profiles",
        handler=lambda: configuration.profiles,
        summary="The plugins of each profile and extension point at work, with their weights.",
        response=shapes.SchedulerProfiles,
    ),
    Route(
        method="POST",
        path=f"{ROOT}/scheduler/profiles",
        handler=lambda: configuration.profiles_of,
        summary="The same of the configuration in the body; nothing is changed.",
        body_description=CONFIGURATION,
        response=shapes.SchedulerProfiles,
    ),
    Route(
        method="POST",
        path=f"{ROOT}/check",
        handler=lambda: checking.check,
        summary="Every problem of manifests, at its line; nothing is changed.",
        parameters=(
            choice("existing", "What is done to objects that are there.", "apply", "replace"),
        ),
        body_description="Manifests, as several documents of YAML or JSON.",
        response=shapes.TextCheck,
    ),
    Route(
        method="POST",
        path=f"{ROOT}/rehearsals/autoscaling",
        handler=lambda: rehearsals.autoscale,
        summary="What an autoscaler would do about some traffic; the cluster is not changed.",
        body=shapes.AutoscalingRequest,
        response=shapes.AutoscalingResult,
    ),
    Route(
        method="GET",
        path=f"{ROOT}/runs/{{scenario}}/timeline",
        handler=lambda: run_timeline.get,
        summary="What happened in a Scenario, in order: its events, and what became of pods.",
        parameters=(
            Parameter("step", "Only this step."),
            Parameter("limit", "How many rows at most; 1000 if not given, at most 10000."),
        ),
        response=shapes.Timeline,
    ),
)
