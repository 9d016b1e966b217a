"""How far the replay that is served agrees with its recording."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import timestamps
from kubestage.results import agreement_rows
from kubestage.server.kubestage_api.agreement_shapes import (
    AgreementShare,
    ClusterAgreement,
    ComparedFigure,
    MissedPlacement,
    Replay,
    WorkloadElsewhere,
)
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.results.agreement import Decisions, ReplayAgreement
    from kubestage.server.kubestage_api.call import ApiCall


async def get(call: ApiCall) -> ClusterAgreement:
    """The agreement, in the words of the report."""
    found = call.live.state.agreement
    return ClusterAgreement(replay=None if found is None else _replay(found))


def _replay(found: ReplayAgreement) -> Replay:
    decisions, agreed = found.decisions, found.agreement
    begin_ns, end_ns = timestamps.parse_time(found.begin), timestamps.parse_time(found.end)
    has_any = agreed.placements > 0
    return Replay(
        recording=found.recording,
        begin=found.begin,
        end=found.end,
        is_what_if=found.is_what_if,
        actions=found.actions,
        consequences=found.consequences,
        seconds=(end_ns - begin_ns) / SECOND_NS,
        same_node=agreement_rows.share(agreed.same_node_share) if has_any else "",
        baseline=(
            "" if found.baseline is None else agreement_rows.share(found.baseline.same_node_share)
        ),
        scope="" if decisions is None else agreement_rows.scope(decisions),
        shares=_shares(decisions),
        figures=[
            ComparedFigure(name=name, recorded=recorded, replayed=replayed)
            for name, recorded, replayed in agreement_rows.figures(agreed)
        ],
        misses=_misses(decisions),
        elsewhere=[
            WorkloadElsewhere(
                workload=each.workload,
                pods=each.pods,
                recorded=agreement_rows.nodes(each.recorded),
                replayed=agreement_rows.nodes(each.replayed),
            )
            for each in agreed.disagreements
        ],
        recorded_nodes=list(agreed.node_counts.recorded),
        replayed_nodes=list(agreed.node_counts.replayed),
    )


def _shares(decisions: Decisions | None) -> list[AgreementShare]:
    if decisions is None or not decisions.predicted:
        return []
    return [
        AgreementShare(name=name, share=share, count=count)
        for name, share, count in agreement_rows.shares(decisions)
    ]


def _misses(decisions: Decisions | None) -> list[MissedPlacement]:
    return [
        MissedPlacement(
            at=each.at,
            pod=each.pod,
            recorded=each.recorded,
            predicted=each.predicted,
            equally_good=each.equally_good,
            explanation=each.explanation,
        )
        for each in (() if decisions is None else decisions.misses)
    ]
