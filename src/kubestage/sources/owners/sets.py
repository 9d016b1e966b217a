"""DaemonSets and StatefulSets whose pods are there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods as pod_states
from kubestage.controllers.ownership import labels_of
from kubestage.controllers.statefulset import identity
from kubestage.sources.owners import pod_template
from kubestage.sources.owners.replica_sets import REBUILT

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sources.owners.known import Known
    from kubestage.sources.owners.rebuilding import Rebuilt

_SIZE: Final = {"requests": {"storage": "1Gi"}}


def complete(known: Known, rebuilt: Rebuilt) -> None:
    """Rebuild both kinds, with the revision that most pods have as the one that is rolled out."""
    for reference, pods in known.orphans("DaemonSet").values():
        rebuilt.note(REBUILT, f"daemonset/{reference['name']}", len(pods))
        rebuilt.add(known, _daemon_set(reference, pods))
    for reference, pods in known.orphans("StatefulSet").values():
        rebuilt.note(REBUILT, f"statefulset/{reference['name']}", len(pods))
        rebuilt.add(known, _stateful_set(known, reference, pods))


def _daemon_set(reference: Json, pods: list[Json]) -> Json:
    template = pod_template.of_pod(_typical(pods))
    ready = sum(map(pod_states.is_ready, pods))
    return _object(
        reference,
        pods,
        {
            "selector": {"matchLabels": template["metadata"]["labels"]},
            "template": template,
            "updateStrategy": {"type": "RollingUpdate"},
        },
        {
            "currentNumberScheduled": len(pods),
            "desiredNumberScheduled": len(pods),
            "updatedNumberScheduled": len(pods),
            "numberMisscheduled": 0,
            "numberReady": ready,
            "numberAvailable": ready,
        },
    )


def _stateful_set(known: Known, reference: Json, pods: list[Json]) -> Json:
    typical = _typical(pods)
    claims = _claim_templates(known, reference["name"], typical)
    names = [each["metadata"]["name"] for each in claims]
    template = pod_template.of_pod(typical, without_volumes=names)
    template["spec"].pop("subdomain", None)
    revision = labels_of(typical).get(identity.REVISION_LABEL, "")
    replicas = max(_ordinal(each) for each in pods) + 1
    spec: Json = {
        "replicas": replicas,
        "serviceName": typical["spec"].get("subdomain") or reference["name"],
        "selector": {"matchLabels": template["metadata"]["labels"]},
        "template": template,
        "podManagementPolicy": "Parallel",
    }
    if claims:
        spec["volumeClaimTemplates"] = claims
    status: Json = {"replicas": len(pods), "readyReplicas": sum(map(pod_states.is_ready, pods))}
    if revision:
        status |= {"currentRevision": revision, "updateRevision": revision}
    return _object(reference, pods, spec, status)


def _ordinal(pod: Json) -> int:
    tail = pod["metadata"]["name"].rpartition("-")[2]
    return int(tail) if tail.isdigit() else 0


def _typical(pods: list[Json]) -> Json:
    """The newest pod of the revision that most pods have."""
    hashes = [labels_of(each).get(identity.REVISION_LABEL, "") for each in pods]
    common = max(sorted(set(hashes)), key=hashes.count)
    of_it = [each for each, found in zip(pods, hashes, strict=True) if found == common]
    return max(of_it, key=lambda each: str(each["metadata"].get("creationTimestamp") or ""))


def _claim_templates(known: Known, name: str, pod: Json) -> list[Json]:
    """Templates of the claims that have a pod's name behind theirs."""
    ordinal, namespace = _ordinal(pod), pod["metadata"].get("namespace", "default")
    found = []
    for volume in pod["spec"].get("volumes") or ():
        claim_name = (volume.get("persistentVolumeClaim") or {}).get("claimName")
        if claim_name != f"{volume.get('name')}-{name}-{ordinal}":
            continue
        claim = known.find("PersistentVolumeClaim", namespace, claim_name)
        spec = dict((claim or {}).get("spec") or {"accessModes": ["ReadWriteOnce"]})
        spec.pop("volumeName", None)
        spec.setdefault("resources", _SIZE)
        found.append({"metadata": {"name": volume["name"]}, "spec": spec})
    return found


def _object(reference: Json, pods: list[Json], spec: Json, status: Json) -> Json:
    created = min(str(each["metadata"].get("creationTimestamp") or "") for each in pods)
    return {
        "apiVersion": "apps/v1",
        "kind": reference["kind"],
        "metadata": {
            "name": reference["name"],
            "namespace": pods[0]["metadata"].get("namespace", "default"),
            "uid": reference["uid"],
            "creationTimestamp": created,
            "generation": 1,
        },
        "spec": spec,
        "status": {"observedGeneration": 1, **status},
    }
