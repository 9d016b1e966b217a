"""Explaining a workload: one of its pods that waits, or why no pod of it is created."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.objects import gvk
from kubestage.runs.explain import pod_attempts
from kubestage.runs.explain.pod_attempts import PodAttempts
from kubestage.runs.fit import waiting

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.runs.fit import FitAdvice
    from kubestage.stage import Stage

_SHORT: Final = {
    "deploy": "Deployment", "ds": "DaemonSet", "rc": "ReplicationController", "rs": "ReplicaSet",
    "sts": "StatefulSet",
}  # fmt: skip
_KINDS: Final = _SHORT | {
    spelling: kind for kind in waiting.TEMPLATES for spelling in (kind.lower(), f"{kind.lower()}s")
}


class WorkloadName(NamedTuple):
    """A workload as a person names it: ``deploy/web`` or ``deployment/shop/web``."""

    kind: str
    namespace: str
    name: str


def parse(text: str) -> WorkloadName | None:
    """The workload that a text names; None if it names a pod."""
    kind, _, rest = text.partition("/")
    found = _KINDS.get(kind.lower())
    if found is None or not rest:
        return None
    namespace, slash, name = rest.partition("/")
    return WorkloadName(found, namespace, name) if slash else WorkloadName(found, "default", rest)


def pending_pod(stage: Stage, workload: Json) -> str | None:
    """The key of the first pod of a workload that waits for a node."""
    uids = {workload["metadata"]["uid"]}
    for each in stage.store.read(gvk.REPLICA_SET).values():
        if _owner(each) in uids:
            uids.add(each["metadata"]["uid"])
    for key, pod in stage.store.read(gvk.POD).items():
        if _owner(pod) in uids and pod_attempts.is_pending(pod):
            return key
    return None


def without_pods(stage: Stage, workload: Json) -> PodAttempts:
    """What would become of one more pod of a workload none of whose pods waits."""
    advice = waiting.advise_workload(stage, workload)
    return of_advice(workload, advice, len(stage.store.read(gvk.NODE)))


def of_advice(workload: Json, advice: FitAdvice, nodes: int) -> PodAttempts:
    """An advice on one more pod of a workload, among so many nodes."""
    metadata = workload["metadata"]
    name = f"{workload['kind'].lower()}/{metadata['namespace']}/{metadata['name']}"
    return PodAttempts(
        pod=name,
        uid=metadata["uid"],
        status="no pod of it waits" if advice.fits else "one more pod of it does not fit",
        node=None,
        attempts=[],
        nodes=nodes,
        advice=advice.to_dict(),
    )


def find(stage: Stage, text: str) -> Json | None:
    """The workload of a stage that a text names."""
    named = parse(text)
    return None if named is None else waiting.find_workload(stage, *named)


def _owner(obj: Json) -> str | None:
    for owner in obj["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            return str(owner["uid"])
    return None
