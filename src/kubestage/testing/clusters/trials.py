"""Expectations that are tried on a copy: what if a zone is lost, or something more is to run?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import ExpectationFailed, InputError
from kubestage.objects import gvk
from kubestage.results.life import workloads
from kubestage.runs.inputs import stage_inputs
from kubestage.runs.rehearse import fitting, outages, spans, targets
from kubestage.runs.rehearse.cluster import Cluster as RehearsedCluster
from kubestage.runs.rehearse.outages import FOREVER, OutagePlan
from kubestage.testing.clusters import messages, naming, owned_pods, reading, zones
from kubestage.testing.clusters.messages import Problem
from kubestage.wording import plural

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.runs.rehearse.effects import WorkloadEffect
    from kubestage.runs.rehearse.outage_result import OutageResult
    from kubestage.stage import Stage
    from kubestage.testing.clusters.cluster import Cluster
    from kubestage.testing.clusters.naming import ObjectName

_ORIGIN: Final = "the cluster of the test"
_MOST: Final = 6
_DAEMONS: Final = "daemonset/"
_PODS: Final = ("Pod", "CronJob", "DaemonSet", "Deployment", "Job", "ReplicaSet", "StatefulSet")


def survives(
    cluster: Cluster,
    named: ObjectName | None,
    zone: str | None,
    node: str | None,
    lasts: str,
    at_least: int,
) -> None:
    """Have nodes of a copy fall silent; ExpectationFailed if a workload does not bear that."""
    __tracebackhide__ = True
    names = cluster.do(lambda: zones.nodes_of(cluster.store, zone, node))
    if named is not None and cluster.do(lambda: naming.find(cluster.store, named)) is None:
        near = cluster.do(lambda: naming.others(cluster.store, named))
        raise InputError(f"{named} is not there", fix=near)
    stage = _copy_at_rest(cluster)
    word = f"zone/{zones.zone_name(stage.store, zone)}" if zone is not None else f"node/{node}"
    lasts_ns = None if lasts == FOREVER else spans.parse(lasts, "lasts")
    plan = OutagePlan(names, targets.described(names, [word]), lasts_ns)
    result = outages.rehearse(RehearsedCluster(stage, _ORIGIN), plan)
    name = None if named is None else _recorded_name(stage, named)
    rows = [each for each in result.effects.workloads if name in (None, each.workload)]
    if named is not None and not rows:
        found = "none of its replicas is ready to begin with"
        raise _failed(stage, Problem(f"{named} to survive", found))
    bad = [each for each in rows if _is_bad(each, at_least, is_named=named is not None)]
    if bad:
        raise _failed(stage, _lost(stage, result, bad, at_least))


def schedulable(cluster: Cluster, manifests: tuple[Any, ...]) -> None:
    """Apply objects to a copy; ExpectationFailed if a pod of them finds no node."""
    __tracebackhide__ = True
    added = reading.load(manifests, cluster.options.folder, "schedulable")
    for document in added.documents:
        stage_inputs.check_fields(added, document)
    if not any(each.object.get("kind") in _PODS for each in added.documents):
        fix = "give a Pod, a Deployment or another workload"
        raise InputError("has neither pods nor workloads", path="schedulable", fix=fix)
    subject = ", ".join(_subject(document.object) for document in added.documents)
    stage = _copy_at_rest(cluster)
    stage.store.implicit_namespaces = True
    result = fitting.rehearse(RehearsedCluster(stage, _ORIGIN), added, subject)
    if not result.missing:
        return
    known = stage.store.read(gvk.POD)
    waiting = [known[each.pod] for each in result.pods if each.node is None]
    lines = [] if waiting else [result.answer]
    placed = len(result.pods) - len(waiting)
    found = f"{plural(result.missing, 'pod')} without a node, {placed} placed"
    raise _failed(stage, Problem(f"{subject} to find room", found, waiting, lines))


def _copy_at_rest(cluster: Cluster) -> Stage:
    """A copy on which what is under way has come to its end."""
    copy = cluster.fork()
    copy.settle()
    return copy.stage


def _failed(stage: Stage, problem: Problem) -> ExpectationFailed:
    return ExpectationFailed(messages.failure(stage, problem, None))


def _recorded_name(stage: Stage, named: ObjectName) -> str:
    """The name under which a workload is recorded: that of its topmost owner."""
    found = naming.find(stage.store, named)
    owner = None if found is None else workloads.controller(found)
    if owner is None or named.namespace is None:
        return f"{named.kind.kind.lower()}/{named.key}"
    return str(workloads.Workloads(stage.store).top(owner, named.namespace))


def _is_bad(effect: WorkloadEffect, at_least: int, *, is_named: bool) -> bool:
    if effect.workload.startswith(_DAEMONS) and not is_named:
        # Its pods are on nodes, not for users: without the node there is none.
        return False
    return effect.ready_lowest < at_least or effect.ready_at_end < effect.desired


def _lost(stage: Stage, result: OutageResult, bad: list[WorkloadEffect], at_least: int) -> Problem:
    rows = [_row(each) for each in bad[:_MOST]]
    if len(bad) > _MOST:
        rows.append(f"  and {len(bad) - _MOST} more")
    subject = bad[0].workload if len(bad) == 1 else plural(len(bad), "workload")
    needed = f"at least {at_least} ready throughout, and all in the end"
    expected = f"{subject} to survive without {result.subject}, with {needed}"
    return Problem(expected, result.answer, _objects(stage, bad[0].workload), rows)


def _row(effect: WorkloadEffect) -> str:
    text = f"  {effect.workload}: lowest {effect.ready_lowest} of {effect.desired} ready"
    is_short = effect.ready_at_end < effect.desired
    return f"{text}, {effect.ready_at_end} in the end" if is_short else text


def _objects(stage: Stage, workload: str) -> list[Json]:
    """The workload and its pods, those without a node first."""
    named = naming.parse(stage.store, workload)
    found = naming.find(stage.store, named)
    if found is None:
        return []
    pods = owned_pods.of(stage.store, found)
    return [found, *sorted(pods, key=lambda pod: bool(pod["spec"].get("nodeName")))]


def _subject(obj: Json) -> str:
    return f"{str(obj.get('kind')).lower()}/{(obj.get('metadata') or {}).get('name')}"
