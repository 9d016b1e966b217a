"""The routes of the past, and of other clusters."""

from __future__ import annotations

from typing import Final

from kubestage import lazy
from kubestage.server.kubestage_api import comparison_shapes
from kubestage.server.kubestage_api import history_shapes as shapes
from kubestage.server.kubestage_api.route import ROOT, Parameter, Route

with lazy.imports():
    from kubestage.server.kubestage_api import clusters, comparison, history, lives

_AFTER: Final = Parameter(
    "after",
    "Only what is new since an answer with this sequence; 410 if that is forgotten.",
    {"type": "integer", "minimum": 0},
)

_SIDES: Final = (
    Parameter("left", "The name of a cluster; the first one if not given."),
    Parameter("right", "The name of the other one; the first one if not given."),
)

ROUTES: Final[tuple[Route, ...]] = (
    Route(
        method="GET",
        path=f"{ROOT}/history",
        handler=lambda: history.get,
        summary="From when to when the past is known, and how much memory that takes.",
        response=shapes.History,
    ),
    Route(
        method="GET",
        path=f"{ROOT}/history/map",
        handler=lambda: history.map_rows,
        summary="Nodes and pods as a map shows them, and each change of them since.",
        parameters=(_AFTER,),
        response=shapes.HistoryMap,
    ),
    Route(
        method="GET",
        path=f"{ROOT}/history/marks",
        handler=lambda: history.marks,
        summary="Moments that are worth a look: failures, rescales, what clients did.",
        parameters=(_AFTER,),
        response=shapes.Marks,
    ),
    Route(
        method="GET",
        path=f"{ROOT}/history/slices",
        handler=lambda: lives.slices,
        summary="The lives of pods as slices in time, with what happened to nodes and workloads.",
        parameters=(_AFTER,),
        response=shapes.HistorySlices,
    ),
    Route(
        method="GET",
        path=f"{ROOT}/history/decisions",
        handler=lambda: history.decisions,
        summary="Attempts of the scheduler in order: the first after a time, or the last before.",
        parameters=(
            Parameter("after", "Only attempts after this time."),
            Parameter("before", "Only attempts before this time."),
            Parameter(
                "limit",
                "How many at most; 100 if not given.",
                {"type": "integer", "minimum": 1, "maximum": 1000},
            ),
        ),
        response=shapes.Decisions,
    ),
    Route(
        method="GET",
        path=f"{ROOT}/comparison",
        handler=lambda: comparison.get,
        summary="The decisions in which two clusters of this server differ.",
        parameters=(
            *_SIDES,
            Parameter(
                "limit",
                "How many at most; 1000 if not given.",
                {"type": "integer", "minimum": 1, "maximum": 5000},
            ),
        ),
        response=comparison_shapes.ComparedClusters,
    ),
    Route(
        method="GET",
        path=f"{ROOT}/comparison/{{number}}",
        handler=lambda: comparison.get_one,
        summary="One of these decisions, with all that was found out in both attempts.",
        parameters=_SIDES,
        response=comparison_shapes.ExplainedDifference,
    ),
    Route(
        method="GET",
        path=f"{ROOT}/clusters",
        handler=lambda: clusters.index,
        summary="The clusters of this server.",
        response=shapes.Clusters,
    ),
    Route(
        method="POST",
        path=f"{ROOT}/clusters",
        handler=lambda: clusters.fork,
        summary="A new cluster, as another one was at a moment; its clock is paused.",
        body=shapes.NewFork,
        response=shapes.Cluster,
        created=True,
    ),
    Route(
        method="DELETE",
        path=f"{ROOT}/clusters/{{cluster}}",
        handler=lambda: clusters.remove,
        summary="Serve a cluster no more, and forget it.",
        response=shapes.Clusters,
    ),
)
