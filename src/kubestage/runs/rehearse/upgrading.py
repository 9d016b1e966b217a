"""Rehearse an upgrade: nodes are replaced by new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.objects import gvk
from kubestage.runs.inputs import node_words
from kubestage.runs.observer import SILENT
from kubestage.runs.rehearse import cluster as clusters
from kubestage.runs.rehearse import (
    conditions,
    drain_result,
    effects,
    node_copies,
    result,
    spans,
    targets,
    upgrade_result,
)
from kubestage.runs.rehearse.drain_rules import DrainRules
from kubestage.runs.rehearse.draining import STUCK
from kubestage.runs.rehearse.node_drain import DrainSettings
from kubestage.runs.rehearse.options import UpgradeOptions
from kubestage.runs.rehearse.recording import Recording
from kubestage.runs.rehearse.replacement import Replacement, ReplacementPlan
from kubestage.runs.rehearse.upgrade_result import UpgradeResult
from kubestage.stage import few_collections
from kubestage.stage.collections import RARELY
from kubestage.units import MINUTE_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.runs.inputs.sources import Files
    from kubestage.runs.observer import Observer
    from kubestage.runs.rehearse.cluster import Cluster
    from kubestage.stage import Stage

_DEFAULT: Final = UpgradeOptions()
# A provider asks nobody: it evicts what budgets allow, whoever owns it.
_RULES: Final = DrainRules(force=True, ignore_daemonsets=True, delete_emptydir_data=True)


def upgrade(
    cluster: Files | Stage | Cluster | None,
    nodes: str | Sequence[str],
    options: UpgradeOptions = _DEFAULT,
    *,
    observer: Observer = SILENT,
) -> UpgradeResult:
    """Rehearse the replacement of nodes: a pool, a selector, names, or ``all``."""
    words = [nodes] if isinstance(nodes, str) else list(nodes)
    condition = conditions.parse(options.fail_if, UpgradeResult)
    _check(options)
    soak_ns = spans.parse(options.soak, "--soak")
    settings = DrainSettings(
        rules=_RULES,
        grace_period_seconds=None if options.grace < 0 else options.grace,
        timeout_ns=spans.parse(options.timeout, "--timeout"),
    )
    opened = clusters.open_cluster(cluster, options, observer=observer)
    condition.check(opened.stage)
    words = targets.pool_words(opened.stage, words)
    names = targets.nodes(opened.stage, words)
    surge = options.surge
    if surge is None:
        surge = 0 if options.max_unavailable else 1
    plan = ReplacementPlan(
        nodes=in_order(opened.stage, names, options.order),
        settings=settings,
        surge=surge,
        max_unavailable=options.max_unavailable or 0,
        is_blue_green=options.blue_green,
        parallel=options.parallel,
        soak_ns=soak_ns,
        startup=options.startup,
    )
    return condition.applied(rehearse(opened, plan, targets.described(names, words)))


@few_collections(RARELY)
def rehearse(cluster: Cluster, plan: ReplacementPlan, subject: str) -> UpgradeResult:
    """Replace nodes of a cluster, which is not the same afterwards."""
    slots = plan.parallel if plan.is_blue_green else plan.surge + plan.max_unavailable
    turns = -(-len(plan.nodes) // slots)
    recording = Recording(cluster, turns * (2 * MINUTE_NS + plan.soak_ns))
    replacement = Replacement(
        cluster.stage,
        plan,
        lambda node, text: recording.mark("action", f"node/{node}", text),
    )
    replacement.begin()
    if not recording.run_until(lambda: replacement.is_over, lambda: replacement.is_waiting):
        replacement.stop(STUCK)
    seconds = recording.seconds_at(replacement.ended_ns or cluster.stage.clock.now_ns)
    recording.settle()
    life = recording.end()
    found = effects.of(recording, life)
    nodes = drain_result.drained_nodes(recording, replacement.drains)
    blocked = drain_result.blocked_pods(recording, replacement.drains)
    lost = drain_result.lost_data(replacement.drains)
    gone = drain_result.unowned(replacement.drains)
    extra = replacement.peak_nodes - replacement.initial_nodes
    findings = list(drain_result.findings_of(nodes, blocked, lost, gone))
    done = len(replacement.replaced)
    answer = upgrade_result.sentence(subject, len(plan.nodes), done, extra, seconds)
    why = drain_result.blocking(blocked)
    if why and done < len(plan.nodes):
        answer = f"{answer[:-1]}; {why}."
    worst = upgrade_result.worst_moment(found)
    return UpgradeResult(
        cluster=cluster.origin,
        subject=subject,
        answer=f"{answer[:-1]}; {worst}." if worst else answer,
        seconds=seconds,
        effects=found,
        findings=result.sorted_findings(found, findings),
        notes=cluster.notes,
        life=life,
        history=recording.history,
        total=len(plan.nodes),
        replaced=replacement.replaced,
        peak_extra_nodes=extra,
        nodes=nodes,
        blocked=blocked,
        lost_data=lost,
        unowned=gone,
    )


def in_order(stage: Stage, names: Sequence[str], order: str) -> list[str]:
    """Nodes in the order in which they are replaced."""
    known = stage.store.read(gvk.NODE)
    by_name = sorted(names)
    if order == "zone":
        return sorted(by_name, key=lambda name: node_words.zone_of(known[name]))
    if order in ("oldest", "newest"):
        found = sorted(by_name, key=lambda name: known[name]["metadata"]["creationTimestamp"])
        return found if order == "oldest" else found[::-1]
    if order == "emptiest":
        counts = dict.fromkeys(names, 0)
        for pod in stage.store.read(gvk.POD).values():
            node = pod["spec"].get("nodeName")
            if node in counts:
                counts[node] += 1
        return sorted(by_name, key=counts.__getitem__)
    return by_name


def _check(options: UpgradeOptions) -> None:
    if options.blue_green and (options.surge is not None or options.max_unavailable is not None):
        fix = "leave out --surge and --max-unavailable: all new nodes come first"
        raise InputError("replaces nodes in its own order", path="--blue-green", fix=fix)
    if options.parallel > 1 and not options.blue_green:
        fix = "use --surge N or --max-unavailable N"
        raise InputError("has an effect only with --blue-green", path="--parallel", fix=fix)
    if options.surge == 0 and not options.max_unavailable:
        fix = "allow at least one: --surge 1 or --max-unavailable 1"
        raise InputError("no node could ever be replaced", path="--surge", fix=fix)
    if options.startup is not None:
        node_copies.parse_start_up(options.startup)
