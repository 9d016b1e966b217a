"""Rehearse an outage: nodes fall silent, and come back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.controllers.kubelet.annotations import HEARTBEAT
from kubestage.controllers.kubelet.outages import STOPPED
from kubestage.objects import gvk
from kubestage.runs.observer import SILENT
from kubestage.runs.rehearse import (
    capacity,
    conditions,
    effects,
    outage_result,
    result,
    spans,
    targets,
)
from kubestage.runs.rehearse import cluster as clusters
from kubestage.runs.rehearse.options import OutageOptions
from kubestage.runs.rehearse.outage_result import OutageResult
from kubestage.runs.rehearse.recording import Recording
from kubestage.stage import few_collections
from kubestage.stage.collections import RARELY
from kubestage.units import MINUTE_NS, SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.runs.inputs.sources import Files
    from kubestage.runs.observer import Observer
    from kubestage.runs.rehearse.cluster import Cluster
    from kubestage.stage import Stage

FOREVER: Final = "forever"
_EXPECTED_NS: Final = 30 * MINUTE_NS
_DEFAULT: Final = OutageOptions()


class OutagePlan(msgspec.Struct, frozen=True):
    """Which nodes fall silent, and for how long; None: forever."""

    nodes: Sequence[str]
    subject: str
    lasts_ns: int | None


def outage(
    cluster: Files | Stage | Cluster | None,
    nodes: str | Sequence[str],
    options: OutageOptions = _DEFAULT,
    *,
    observer: Observer = SILENT,
) -> OutageResult:
    """Rehearse the silence of nodes: ``zone/b``, ``node/n``, a selector, ``pool/x``, or names."""
    words = [nodes] if isinstance(nodes, str) else list(nodes)
    condition = conditions.parse(options.fail_if, OutageResult)
    lasts_ns = None if options.lasts == FOREVER else spans.parse(options.lasts, "--for")
    at_ns = spans.parse(options.at, "--at")
    opened = clusters.open_cluster(cluster, options, observer=observer)
    condition.check(opened.stage)
    names = targets.nodes(opened.stage, words)
    opened.stage.run(at_ns)
    plan = OutagePlan(names, targets.described(names, words), lasts_ns)
    return condition.applied(rehearse(opened, plan))


@few_collections(RARELY)
def rehearse(cluster: Cluster, plan: OutagePlan) -> OutageResult:
    """Have nodes of a cluster fall silent; it is not the same afterwards."""
    stage = cluster.stage
    known = stage.store.read(gvk.NODE)
    missing = capacity.of_nodes(known[name] for name in plan.nodes)
    total = capacity.of_nodes(known.values())
    recording = Recording(cluster, (plan.lasts_ns or 0) + _EXPECTED_NS)
    recording.mark("action", plan.subject, "falls silent")
    for name in plan.nodes:
        _annotate(stage, name, STOPPED)
    if plan.lasts_ns is not None:
        stage.run(plan.lasts_ns)
        recording.mark("action", plan.subject, "is back")
        for name in plan.nodes:
            if name in stage.store.read(gvk.NODE):
                _annotate(stage, name, None)
    seconds = recording.seconds
    recording.settle()
    life = recording.end()
    found = effects.of(recording, life)
    silent_seconds = None if plan.lasts_ns is None else plan.lasts_ns / SECOND_NS
    return OutageResult(
        cluster=cluster.origin,
        subject=plan.subject,
        answer=outage_result.sentence(plan.subject, silent_seconds, found),
        seconds=seconds,
        effects=found,
        findings=result.sorted_findings(found, ()),
        notes=cluster.notes,
        life=life,
        history=recording.history,
        nodes=plan.nodes,
        silent_seconds=silent_seconds,
        missing=missing,
        total=total,
        evicted=sum(each["pods"] for each in life.summary["health"]["evictions"]),
    )


def _annotate(stage: Stage, node: str, value: str | None) -> None:
    stage.store.patch(gvk.NODE, node, {"metadata": {"annotations": {HEARTBEAT: value}}})
