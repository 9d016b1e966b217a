"""Rehearse the arrival of manifests: would they be placed now, where, and at whose expense?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.node_autoscaler import groups
from kubestage.errors import InputError
from kubestage.objects import gvk
from kubestage.results.life import pending
from kubestage.runs.fit import advise_on, cluster_image
from kubestage.runs.inputs import sources, stage_inputs
from kubestage.runs.observer import SILENT
from kubestage.runs.rehearse import cluster as clusters
from kubestage.runs.rehearse import conditions, effects, fit_result, growing, node_search, result
from kubestage.runs.rehearse.fit_result import FitResult, FittedPod
from kubestage.runs.rehearse.options import FitOptions
from kubestage.runs.rehearse.recording import Recording
from kubestage.stage import few_collections
from kubestage.stage.collections import RARELY
from kubestage.units import MINUTE_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.runs.fit import FitAdvice
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.inputs.sources import Files
    from kubestage.runs.observer import Observer
    from kubestage.runs.rehearse.cluster import Cluster
    from kubestage.stage import Stage
    from kubestage.store.log import Change

_DEFAULT: Final = FitOptions()
_MOST_ADVICE: Final = 3
_BY_SCHEDULER: Final = "PreemptionByScheduler"


def fit(
    cluster: Files | Stage | Cluster | None,
    files: Files,
    options: FitOptions = _DEFAULT,
    *,
    observer: Observer = SILENT,
) -> FitResult:
    """Try the pods and workloads of files on a cluster as it is now, without more nodes."""
    names = sources.file_names(files)
    condition = conditions.parse(options.fail_if, FitResult)
    added = stage_inputs.load(names, options.config, observer)
    if not any(_has_pods(each.object) for each in added.documents):
        fix = "name a file with a Pod, a Deployment or another workload"
        raise InputError("has neither pods nor workloads", file=", ".join(names), fix=fix)
    opened = clusters.open_cluster(cluster, options, observer=observer)
    condition.check(opened.stage)
    return condition.applied(rehearse(opened, added, ", ".join(names)))


@few_collections(RARELY)
def rehearse(cluster: Cluster, added: LoadedManifests, subject: str) -> FitResult:
    """Apply objects to a cluster, which is not the same afterwards."""
    stage = cluster.stage
    notes = list(cluster.notes)
    if stage.store.read(groups.NODE_GROUP):
        notes.append("the node autoscaler is left out: this is about the nodes that are there")
        growing.freeze(stage)
    earlier, _ = node_search.uncreated(stage)
    known = set(stage.store.read(gvk.POD))
    preemption = _Preemption(stage)
    recording = Recording(cluster, MINUTE_NS)
    recording.mark("action", subject, "applied")
    growing.apply(stage, added)
    recording.settle()
    life = recording.end()
    preemption.close()
    found = effects.of(recording, life)
    preempted = preemption.pods
    pods = [
        FittedPod(key, pod["spec"].get("nodeName"), _reason(pod))
        for key, pod in stage.store.read(gvk.POD).items()
        if key not in known and not preemption.is_successor(pod)
    ]
    placed = sum(each.node is not None for each in pods)
    missing = len(pods) - placed + max(node_search.uncreated(stage)[0] - earlier, 0)
    return FitResult(
        cluster=cluster.origin,
        subject=subject,
        answer=fit_result.sentence(subject, placed, missing, preempted),
        seconds=recording.seconds,
        effects=found,
        findings=result.sorted_findings(found, list(fit_result.findings_of(preempted))),
        notes=notes,
        life=life,
        history=recording.history,
        pods=pods,
        preempted=preempted,
        missing=missing,
        advice=_advice(stage, [each.pod for each in pods if each.node is None]),
    )


def _has_pods(obj: Json) -> bool:
    return obj.get("kind") == "Pod" or stage_inputs.is_workload(obj)


def _advice(stage: Stage, waiting: Sequence[str]) -> list[FitAdvice]:
    """What would make pods fit; of those of one owner, the first is enough."""
    known = stage.store.read(gvk.POD)
    chosen: dict[str, Json] = {}
    for key in waiting:
        owner = next((each["uid"] for each in _owners(known[key])), key)
        chosen.setdefault(owner, known[key])
    if not chosen:
        return []
    image = cluster_image.image_of(stage)
    return [advise_on(image, pod) for pod in list(chosen.values())[:_MOST_ADVICE]]


def _reason(pod: Json) -> str:
    return "" if pod["spec"].get("nodeName") else pending.reason_of(pod)


class _Preemption:
    """Notices pods that the scheduler deletes for others."""

    def __init__(self, stage: Stage) -> None:
        self.pods: list[str] = []
        self._owners: set[str] = set()
        self._stage = stage
        stage.store.subscribe(self._on_pod, {("", "Pod")})

    def is_successor(self, pod: Json) -> bool:
        """Whether a pod is in place of one that had to go."""
        return any(each["uid"] in self._owners for each in _owners(pod))

    def close(self) -> None:
        """Notice no more."""
        self._stage.store.unsubscribe(self._on_pod)

    def _on_pod(self, change: Change) -> None:
        for each in (change.new.get("status") or {}).get("conditions") or ():
            if each.get("reason") == _BY_SCHEDULER and change.key not in self.pods:
                self.pods.append(change.key)
                self._owners |= {owner["uid"] for owner in _owners(change.new)}


def _owners(pod: Json) -> list[Json]:
    return pod["metadata"].get("ownerReferences") or []
