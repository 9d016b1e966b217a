"""Two clusters of a server side by side: the decisions in which they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import BadRequest, NotFound
from kubestage.golang import times
from kubestage.server import background, options
from kubestage.server.kubestage_api import comparison_shapes as shapes
from kubestage.server.kubestage_api import recorders

if TYPE_CHECKING:
    from kubestage.results.comparison.decisions import ComparedDecisions, DifferingDecision
    from kubestage.results.history.attempt_rows import AttemptRow
    from kubestage.server.clusters import Clusters
    from kubestage.server.kubestage_api.call import ApiCall
    from kubestage.server.service import ClusterService

MOST: Final = 5000
_ALONE: Final = "there is one cluster here, and no other to compare it with"


async def get(call: ApiCall) -> shapes.ComparedClusters:
    """The decisions in which two clusters differ, in order of time."""
    limit = options.integer(call.request, "limit")
    limit = 1000 if limit is None else limit
    if not 0 < limit <= MOST:
        raise BadRequest(f"limit: must be above 0 and at most {MOST}")
    left, right = _sides(call)
    compared = await _compared(_clusters(call), left, right)
    found = compared.differing
    return shapes.ComparedClusters(
        left=_title(left),
        right=_title(right),
        same=compared.same,
        total=len(found),
        differences=[_difference(at, each) for at, each in enumerate(found[:limit], 1)],
    )


async def get_one(call: ApiCall) -> shapes.ExplainedDifference:
    """One of them, with all that was found out in both attempts."""
    left, right = _sides(call)
    found = (await _compared(_clusters(call), left, right)).differing
    text = call.path_params["number"]
    if not text.isdecimal() or not 1 <= int(text) <= len(found):
        known = f"there are {len(found)}, from 1 on" if found else "both decide the same"
        raise NotFound(f'no difference "{text}": {known}')
    chosen = found[int(text) - 1]
    return shapes.ExplainedDifference(
        difference=_difference(int(text), chosen),
        left=None if chosen.first is None else chosen.first.explanation,
        right=None if chosen.second is None else chosen.second.explanation,
    )


async def _compared(
    clusters: Clusters, left: ClusterService, right: ClusterService
) -> ComparedDecisions:
    known = clusters.comparisons
    rows = [recorders.attempts(each.live).rows() for each in (left, right)]
    return await background.run(known.compare, rows[0], rows[1])


def _clusters(call: ApiCall) -> Clusters:
    if call.live.state.clusters is None:
        raise NotFound(_ALONE)
    return call.live.state.clusters


def _sides(call: ApiCall) -> tuple[ClusterService, ClusterService]:
    """Both clusters; the one that is not named is the first one."""
    clusters = _clusters(call)
    left, right = (clusters.find(call.request.parameter(name)) for name in ("left", "right"))
    if left is right:
        raise BadRequest(f'left and right are both "{_title(left)}": name two clusters')
    return left, right


def _title(service: ClusterService) -> str:
    return service.entry.title or service.entry.name


def _difference(number: int, each: DifferingDecision) -> shapes.DecisionDifference:
    return shapes.DecisionDifference(
        number=number,
        at=times.rfc3339_nano(each.unix_ns),
        what=each.what,
        left=_decision(each.first),
        right=_decision(each.second),
    )


def _decision(row: AttemptRow | None) -> shapes.ComparedDecision | None:
    if row is None:
        return None
    decision = row.decision
    return shapes.ComparedDecision(
        number=decision.number,
        at=times.rfc3339_nano(row.unix_ns),
        pod=decision.pod,
        profile=decision.profile,
        result=decision.result,
        node=decision.node,
        evaluated=decision.evaluated,
        feasible=decision.feasible,
        message=decision.message,
        is_explained=row.packed is not None,
    )
