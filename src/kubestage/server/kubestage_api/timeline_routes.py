"""The route of timelines: what happened to one object."""

from __future__ import annotations

from typing import Final

from kubestage import lazy
from kubestage.server.kubestage_api import timeline_shapes as shapes
from kubestage.server.kubestage_api.route import ROOT, Parameter, Route

with lazy.imports():
    from kubestage.server.kubestage_api import object_timelines

ROUTES: Final = (
    Route(
        method="GET",
        path=f"{ROOT}/history/timeline",
        handler=lambda: object_timelines.get,
        summary="What happened to a node or a workload, in order, and its numbers over time.",
        parameters=(
            Parameter("kind", "The kind: Node, or one that has pods, as in Deployment."),
            Parameter("group", "The API group of the kind, as in apps."),
            Parameter("namespace", "The namespace of a workload."),
            Parameter("name", "The name."),
            Parameter(
                "before",
                "Only the first so many entries: `leftOut` of an earlier answer, for older ones.",
                {"type": "integer", "minimum": 0},
            ),
            Parameter(
                "limit",
                "How many entries at most, the newest; 100 if not given.",
                {"type": "integer", "minimum": 1, "maximum": 1000},
            ),
        ),
        response=shapes.ObjectTimeline,
    ),
)
