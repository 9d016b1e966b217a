"""What statuses have to say once all is quiet, counted again from what there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.controllers.worlds import reading
from tests.controllers.worlds.operations import KINDS, NODE, POD, REPLICA_SET

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.stage import Stage
    from kubestage.store.store import Store

Json = dict[str, Any]

VOLUME: Final = ("v1", "PersistentVolume")
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
        *_services(store),
        *_quotas(store, now),
        *_claims(store),
        *_volumes(store),
    ]


def _differences(obj: Json, expected: dict[str, Any]) -> Iterator[str]:
    if reading.is_going(obj):
        return
    status = obj.get("status") or {}
    wrong = {
        name: (status.get(name), value)
        for name, value in expected.items()
        if (status.get(name) or 0) != value
    }
    if wrong:
        yield f"{obj['kind']} {obj['metadata']['name']} says, and it is: {wrong}"


def _dangling(store: Store) -> Iterator[str]:
    """No object that stays has an owner that is gone."""
    collections = list(store.ledger.collections())
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
    """No pod stays on a node from which a taint drives it; daemons bear that it is not heard."""
    driving: dict[str, set[str]] = {}
    for name, node in store.read(NODE).items():
        taints = node["spec"].get("taints") or ()
        driving[name] = {each["key"] for each in taints if each["effect"] == "NoExecute"}
    for key, pod in store.read(POD).items():
        taints = driving.get(pod["spec"].get("nodeName"), set())
        if (reading.controller(pod) or {}).get("kind") == "DaemonSet":
            taints &= {"test"}
        if taints and reading.is_active(pod):
            yield f"Pod {key} stays in spite of {taints}"


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
        yield from _differences(owner, expected)


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
        yield from _differences(deployment, {**expected, "observedGeneration": generation})


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
        yield from _differences(owner, expected)


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
        yield from _differences(owner, expected)


def _age(pod: Json) -> tuple[str, str]:
    return pod["metadata"]["creationTimestamp"], pod["metadata"]["name"]


def _jobs(store: Store) -> Iterator[str]:
    for job in store.list(KINDS["job"]).items:
        own = reading.owned(store, POD, job)
        active = [pod for pod in own if reading.is_active(pod)]
        ready = reading.count(map(reading.is_ready, active))
        yield from _differences(job, {"active": len(active), "ready": ready})
        if any((job["status"].get("uncountedTerminatedPods") or {}).values()):
            yield f"Job {job['metadata']['name']} has not counted all of its pods"


def budgets(store: Store) -> Iterator[str]:
    """What budgets say, once a pod made them count: that their owners are scaled does not."""
    for budget in store.list(KINDS["budget"]).items:
        namespace, spec = budget["metadata"]["namespace"], budget["spec"]
        found = store.list(POD, namespace).items
        chosen = [p for p in found if reading.has_labels(p, spec["selector"]["matchLabels"])]
        least, scaled = spec.get("minAvailable"), _scales(store, chosen)
        if isinstance(least, int):
            expected, desired = len(chosen), least
        elif scaled is None:
            if reading.status_of(budget, "DisruptionAllowed") != "False":
                yield f"the budget {budget['metadata']['name']} counts what cannot be scaled"
            continue
        elif least is not None:
            expected, desired = scaled, reading.share(least, scaled, up=True)
        else:
            lost = reading.share(spec["maxUnavailable"], scaled, up=True)
            expected, desired = scaled, max(0, scaled - lost)
        healthy = reading.count(reading.is_ready(p) and not reading.is_going(p) for p in chosen)
        allowed = max(0, healthy - desired) if expected else 0
        counts = {"currentHealthy": healthy, "desiredHealthy": desired, "expectedPods": expected}
        generation = budget["metadata"]["generation"]
        counts |= {"disruptionsAllowed": allowed, "observedGeneration": generation}
        yield from _differences(budget, counts)


def _scales(store: Store, pods: list[Json]) -> int | None:
    """How many pods their owners want, or the owners of these; None if one cannot be scaled."""
    found: dict[str, Any] = {}
    for pod in pods:
        owner = _resolve(store, pod)
        above = None if owner is None else _resolve(store, owner)
        top = owner if above is None else above
        if top is not None:
            found[top["metadata"]["uid"]] = top["spec"].get("replicas")
    return None if None in found.values() else sum(found.values())


def _resolve(store: Store, obj: Json) -> Json | None:
    reference = reading.controller(obj)
    if reference is None:
        return None
    kind = (reference["apiVersion"], reference["kind"])
    return store.get(kind, reference["name"], obj["metadata"]["namespace"])


def _services(store: Store) -> Iterator[str]:
    for service in store.list(KINDS["service"]).items:
        name, namespace = service["metadata"]["name"], service["metadata"]["namespace"]
        serving = {
            pod["status"]["podIP"]
            for pod in store.list(POD, namespace).items
            if reading.has_labels(pod, service["spec"]["selector"])
            and reading.is_ready(pod)
            and not reading.is_going(pod)
        }
        slices = store.list(
            ("discovery.k8s.io/v1", "EndpointSlice"),
            namespace,
            label_selector=f"kubernetes.io/service-name={name}",
        ).items
        entries = [each for one in slices for each in one.get("endpoints") or ()]
        ready = [each["addresses"][0] for each in entries if each["conditions"]["ready"]]
        if sorted(ready) != sorted(serving):
            yield f"the slices of {name} have {ready}: {serving} are ready"
        endpoints = store.get(("v1", "Endpoints"), name, namespace)
        subsets = endpoints.get("subsets") or ()
        listed = [each["ip"] for one in subsets for each in one.get("addresses") or ()]
        if sorted(listed) != sorted(serving):
            yield f"the endpoints of {name} have {listed}: {serving} are ready"


def _quotas(store: Store, now: str) -> Iterator[str]:
    for quota in store.list(KINDS["quota"]).items:
        namespace = quota["metadata"]["namespace"]
        pods = [pod for pod in store.list(POD, namespace).items if not reading.is_over(pod)]
        held = reading.count(pod["metadata"].get("deletionTimestamp", now) >= now for pod in pods)
        claims = store.list(KINDS["claim"], namespace).items
        deployments = store.list(KINDS["deployment"], namespace).items
        used = {
            "pods": str(held),
            "requests.storage": f"{len(claims)}Gi" if claims else "0",
            "count/deployments.apps": str(len(deployments)),
        }
        if quota["status"] != {"hard": quota["spec"]["hard"], "used": used}:
            yield f"the quota says {quota['status']}, and it is {used}"


def _claims(store: Store) -> Iterator[str]:
    for claim in store.list(KINDS["claim"]).items:
        name = claim["metadata"]["name"]
        if claim["status"]["phase"] != "Bound":
            if claim["spec"].get("storageClassName") == "fast" and not reading.is_going(claim):
                yield f"claim {name} is {claim['status']['phase']}"
            continue
        volume = store.read(VOLUME).get(claim["spec"]["volumeName"])
        if volume is None or volume["spec"]["claimRef"]["uid"] != claim["metadata"]["uid"]:
            yield f"claim {name} is bound to what is not its own: {volume}"


def _volumes(store: Store) -> Iterator[str]:
    claims = {each["metadata"]["uid"] for each in store.list(KINDS["claim"]).items}
    for volume in store.list(VOLUME).items:
        phase, holder = volume["status"]["phase"], volume["spec"]["claimRef"]["uid"]
        if phase != "Bound" or holder not in claims:
            yield f"volume {volume['metadata']['name']} is {phase} and nobody's"
