"""What workloads have to say of themselves once all is quiet, counted again from their pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.controllers.worlds import reading, surroundings
from tests.controllers.worlds.operations import KINDS, NODE, POD, REPLICA_SET

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.stage import Stage
    from kubestage.store.store import Store


_TOLERATED: Final = {
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
}
_TRACKED: Final = "batch.kubernetes.io/job-tracking"


def problems(stage: Stage) -> list[str]:
    """All that is not as it is said to be."""
    store, now = stage.store, stage.now
    return [
        *_dangling(store),
        *_places(store),
        *_replicas(store, now, "replica_set"),
        *_replicas(store, now, "replication_controller"),
        *_deployments(store),
        *_stateful_sets(store),
        *_jobs(store),
        *surroundings.problems(stage),
    ]


def _dangling(store: Store) -> Iterator[str]:
    """No object that stays has an owner that is gone."""
    collections = list(store.collections())
    present = {obj["metadata"]["uid"] for each in collections for obj in each.objects.values()}
    for collection in collections:
        for key, obj in collection.objects.items():
            for reference in obj["metadata"].get("ownerReferences") or ():
                if reference["uid"] not in present and not reading.is_going(obj):
                    yield f"{obj['kind']} {key}: {reference['kind']} {reference['name']} is gone"
    for key, pod in store.read(POD).items():
        if pod["spec"].get("nodeName") not in {None, *store.read(NODE)}:
            yield f"Pod {key} is on a node that is gone"
        owner = reading.controller(pod)
        tracked = _TRACKED in pod["metadata"].get("finalizers", ())
        if tracked and (owner is None or reading.is_over(pod)):
            yield f"Pod {key} is held by a job that does not need it"


def _places(store: Store) -> Iterator[str]:
    """No pod stays on a node from which a taint drives it, now or after a while."""
    driving: dict[str, set[str]] = {}
    for name, node in store.read(NODE).items():
        taints = node["spec"].get("taints") or ()
        driving[name] = {each["key"] for each in taints if each["effect"] == "NoExecute"}
    for key, pod in store.read(POD).items():
        tolerations = pod["spec"].get("tolerations") or ()
        borne = {each["key"] for each in tolerations if "tolerationSeconds" not in each}
        unbearable = driving.get(pod["spec"].get("nodeName"), set()) - borne
        if unbearable and reading.is_active(pod):
            yield f"Pod {key} stays in spite of {unbearable}"


def _replicas(store: Store, now: str, kind: str) -> Iterator[str]:
    for owner in store.list(KINDS[kind]).items:
        own = reading.owned(store, POD, owner)
        active = [pod for pod in own if reading.is_active(pod)]
        wanted, least = reading.labels(owner["spec"]["template"]), _least_ready(owner)
        expected = {
            "observedGeneration": owner["metadata"]["generation"],
            "replicas": len(active),
            "fullyLabeledReplicas": reading.count(reading.has_labels(p, wanted) for p in active),
            "readyReplicas": reading.count(map(reading.is_ready, active)),
            "availableReplicas": reading.count(
                reading.is_available(pod, least, now) for pod in active
            ),
        }
        yield from reading.differences(owner, expected)


def _least_ready(owner: Json) -> int:
    found: int = owner["spec"].get("minReadySeconds") or 0
    return found


def _deployments(store: Store) -> Iterator[str]:
    for deployment in store.list(KINDS["deployment"]).items:
        sets = reading.owned(store, REPLICA_SET, deployment)
        sums = {
            name: sum(each.get("status", {}).get(name, 0) for each in sets)
            for name in ("replicas", "readyReplicas", "availableReplicas")
        }
        wanted = sum(each["spec"]["replicas"] for each in sets)
        newest = [each for each in sets if is_newest(deployment, each)]
        updated = sum(each["status"]["replicas"] for each in newest)
        missing = max(0, wanted - sums["availableReplicas"])
        generation = deployment["metadata"]["generation"]
        expected = {**sums, "updatedReplicas": updated, "unavailableReplicas": missing}
        yield from reading.differences(deployment, {**expected, "observedGeneration": generation})


def is_newest(deployment: Json, replica_set: Json) -> bool:
    """Whether a ReplicaSet is of the template that its Deployment has now."""
    mine, its = deployment["spec"]["template"], replica_set["spec"]["template"]
    kept = {k: v for k, v in reading.labels(its).items() if k != "pod-template-hash"}
    same_notes = mine["metadata"].get("annotations") == its["metadata"].get("annotations")
    return kept == reading.labels(mine) and same_notes and mine["spec"] == its["spec"]


def _stateful_sets(store: Store) -> Iterator[str]:
    for owner in store.list(KINDS["stateful_set"]).items:
        own = reading.owned(store, POD, owner)
        staying = [pod for pod in own if not reading.is_going(pod)]
        revisions = [reading.labels(pod)["controller-revision-hash"] for pod in staying]
        status: Json = owner.get("status") or {}
        expected = {
            "observedGeneration": owner["metadata"]["generation"],
            "replicas": len(own),
            "readyReplicas": reading.count(map(reading.is_ready, own)),
            "availableReplicas": reading.count(map(reading.is_ready, own)),
            "currentReplicas": revisions.count(status.get("currentRevision", "")),
            "updatedReplicas": revisions.count(status.get("updateRevision", "")),
        }
        yield from reading.differences(owner, expected)


def welcomes_daemons(node: Json) -> bool:
    """Whether a node has no taint that daemons do not tolerate by themselves."""
    found = {(each["key"], each["effect"]) for each in node["spec"].get("taints") or ()}
    return not found - _TOLERATED


def daemon_sets(store: Store) -> Iterator[str]:
    """What DaemonSets say, once something made them look at all nodes: changes of one do not."""
    nodes = store.list(NODE).items
    eligible = {each["metadata"]["name"] for each in nodes if welcomes_daemons(each)}
    for owner in store.list(KINDS["daemon_set"]).items:
        own = reading.owned(store, POD, owner)
        by_node: dict[str | None, list[Json]] = {}
        for pod in own:
            by_node.setdefault(reading.target_node(pod), []).append(pod)
        here = {each["metadata"]["name"] for each in nodes} & set(by_node)
        oldest = [min(by_node[each], key=_age) for each in sorted(here & eligible)]
        ready = reading.count(map(reading.is_ready, oldest))
        expected = {
            "observedGeneration": owner["metadata"]["generation"],
            "desiredNumberScheduled": len(eligible),
            "currentNumberScheduled": len(here & eligible),
            "numberMisscheduled": len(here - eligible),
            "numberReady": ready,
            "numberAvailable": ready,
            "numberUnavailable": len(eligible) - ready,
        }
        yield from reading.differences(owner, expected)


def _age(pod: Json) -> tuple[str, str]:
    return pod["metadata"]["creationTimestamp"], pod["metadata"]["name"]


def _jobs(store: Store) -> Iterator[str]:
    for job in store.list(KINDS["job"]).items:
        own = reading.owned(store, POD, job)
        active = [pod for pod in own if reading.is_active(pod)]
        ready = reading.count(map(reading.is_ready, active))
        yield from reading.differences(job, {"active": len(active), "ready": ready})
        if any((job["status"].get("uncountedTerminatedPods") or {}).values()):
            yield f"Job {job['metadata']['name']} has not counted all of its pods"
