"""The routes of charts."""

from __future__ import annotations

from typing import Final

from kubestage import lazy
from kubestage.server.kubestage_api import agreement_shapes
from kubestage.server.kubestage_api import chart_shapes as shapes
from kubestage.server.kubestage_api.route import ROOT, Parameter, Route

with lazy.imports():
    from kubestage.server.kubestage_api import agreement, charts

_TIME: Final = {"type": "string", "format": "date-time"}

ROUTES: Final[tuple[Route, ...]] = (
    Route(
        method="GET",
        path=f"{ROOT}/agreement",
        handler=lambda: agreement.get,
        summary="How far a replay agrees with its recording; null for any other cluster.",
        response=agreement_shapes.ClusterAgreement,
    ),
    Route(
        method="GET",
        path=f"{ROOT}/charts",
        handler=lambda: charts.index,
        summary="The charts of the cluster, the empty ones with what they need.",
        response=shapes.Charts,
    ),
    Route(
        method="GET",
        path=f"{ROOT}/charts/{{name}}",
        handler=lambda: charts.get,
        summary="A chart as Vega-Lite, with its data; its usermeta says where time begins.",
        parameters=(
            Parameter("from", "Where it begins; without it, with the record.", _TIME),
            Parameter("to", "Where it ends; without it, now.", _TIME),
        ),
    ),
)
