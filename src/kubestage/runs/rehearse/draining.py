"""Rehearse the drain of nodes, by the rules of ``kubectl drain``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError, MalformedValue
from kubestage.objects import labels
from kubestage.runs.inputs import node_words
from kubestage.runs.observer import SILENT
from kubestage.runs.rehearse import cluster as clusters
from kubestage.runs.rehearse import conditions, drain_result, effects, result, spans, targets
from kubestage.runs.rehearse.drain_result import DrainResult
from kubestage.runs.rehearse.drain_rules import DrainRules
from kubestage.runs.rehearse.node_drain import DrainSettings
from kubestage.runs.rehearse.node_sequence import NodeSequence
from kubestage.runs.rehearse.options import DrainOptions
from kubestage.runs.rehearse.recording import Recording
from kubestage.stage import few_collections
from kubestage.stage.collections import RARELY
from kubestage.units import MINUTE_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.runs.inputs.sources import Files
    from kubestage.runs.observer import Observer
    from kubestage.runs.rehearse.cluster import Cluster
    from kubestage.runs.rehearse.node_drain import NodeDrain
    from kubestage.stage import Stage

STUCK: Final = "nothing changed for 15m: a drain would wait forever"
_DEFAULT: Final = DrainOptions()


class DrainPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Which nodes are drained, and how."""

    nodes: Sequence[str]
    subject: str
    settings: DrainSettings
    parallel: int = 1
    is_rolling: bool = False
    away_ns: int = 0


def drain(
    cluster: Files | Stage | Cluster | None,
    nodes: str | Sequence[str],
    options: DrainOptions = _DEFAULT,
    *,
    observer: Observer = SILENT,
) -> DrainResult:
    """Rehearse the drain of nodes: names, a selector, ``zone/b``, ``pool/x`` or ``all``."""
    words = [nodes] if isinstance(nodes, str) else list(nodes)
    condition = conditions.parse(options.fail_if, DrainResult)
    settings = _settings(options)
    away_ns = spans.parse(options.maintenance, "--maintenance")
    opened = clusters.open_cluster(cluster, options, observer=observer)
    condition.check(opened.stage)
    names = targets.nodes(opened.stage, words)
    is_rolling = words == [node_words.ALL] if options.rolling is None else options.rolling
    plan = DrainPlan(
        nodes=names,
        subject=targets.described(names, words),
        settings=settings,
        parallel=options.parallel,
        is_rolling=is_rolling,
        away_ns=away_ns,
    )
    return condition.applied(rehearse(opened, plan))


@few_collections(RARELY)
def rehearse(cluster: Cluster, plan: DrainPlan) -> DrainResult:
    """Drain nodes of a cluster, which is not the same afterwards."""
    turns = -(-len(plan.nodes) // plan.parallel)
    recording = Recording(cluster, turns * (MINUTE_NS + plan.away_ns))

    def on_begin(each: NodeDrain) -> None:
        recording.mark("action", f"node/{each.node}", "drain begins")

    sequence = NodeSequence(
        cluster.stage,
        plan.nodes,
        plan.settings,
        parallel=plan.parallel,
        is_rolling=plan.is_rolling,
        away_ns=plan.away_ns,
        on_begin=on_begin,
    )
    sequence.begin()
    if not recording.run_until(lambda: sequence.is_over, lambda: sequence.is_waiting):
        sequence.stop(STUCK)
    seconds = recording.seconds_at(sequence.ended_ns or cluster.stage.clock.now_ns)
    recording.settle()
    life = recording.end()
    found = effects.of(recording, life)
    nodes = drain_result.drained_nodes(recording, sequence.drains)
    blocked = drain_result.blocked_pods(recording, sequence.drains)
    lost = drain_result.lost_data(sequence.drains)
    gone = drain_result.unowned(sequence.drains)
    findings = list(drain_result.findings_of(nodes, blocked, lost, gone))
    return DrainResult(
        cluster=cluster.origin,
        subject=plan.subject,
        answer=drain_result.sentence(
            plan.subject,
            nodes,
            blocked,
            total=len(plan.nodes),
            seconds=seconds,
            pending=found.pending["pods"],
        ),
        seconds=seconds,
        effects=found,
        findings=result.sorted_findings(found, findings),
        notes=cluster.notes,
        life=life,
        history=recording.history,
        nodes=nodes,
        blocked=blocked,
        lost_data=lost,
        unowned=gone,
    )


def _settings(options: DrainOptions) -> DrainSettings:
    try:
        labels.parse(options.pod_selector)
    except MalformedValue as error:
        fix = "write it as in app=web,tier!=db"
        raise InputError(str(error), path="--pod-selector", fix=fix) from None
    rules = DrainRules(
        force=options.force,
        ignore_daemonsets=options.ignore_daemonsets,
        delete_emptydir_data=options.delete_emptydir_data,
        pod_selector=options.pod_selector,
    )
    return DrainSettings(
        rules=rules,
        grace_period_seconds=None if options.grace < 0 else options.grace,
        timeout_ns=spans.parse(options.timeout, "--timeout"),
        disable_eviction=options.disable_eviction,
    )
