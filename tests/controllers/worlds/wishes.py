"""What there has to be once nothing is in the way: what the specs ask for, and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.controllers.worlds import reading, recounts, surroundings
from tests.controllers.worlds.operations import KINDS, NODE, POD, REPLICA_SET

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.stage import Stage
    from kubestage.store.store import Store


def problems(stage: Stage) -> list[str]:
    """All that is not as it was asked for."""
    store = stage.store
    return [
        *_life(store),
        *_nodes(store),
        *_deployments(store),
        *_replicas(store, "replica_set"),
        *_replicas(store, "replication_controller"),
        *_stateful_sets(store),
        *recounts.daemon_sets(store),
        *surroundings.budgets(store),
        *_daemon_sets(store),
        *_jobs(store),
    ]


def _life(store: Store) -> Iterator[str]:
    """Nothing is about to go but claims in use, and every pod has run to its end or serves."""
    in_use = _claims_in_use(store)
    for collection in store.collections():
        for key, obj in collection.objects.items():
            if reading.is_going(obj) and (obj["kind"], key) not in in_use:
                finalizers = obj["metadata"].get("finalizers")
                yield f"{obj['kind']} {key} does not go: {finalizers}"
    for key, pod in store.read(POD).items():
        owner = reading.controller(pod) or {}
        if not reading.is_over(pod) and not reading.is_ready(pod) and owner.get("kind") != "Job":
            yield f"Pod {key} is {pod['status']}"


def _claims_in_use(store: Store) -> set[tuple[str, str]]:
    return {
        ("PersistentVolumeClaim", f"{pod['metadata']['namespace']}/{claim['claimName']}")
        for pod in store.read(POD).values()
        if not reading.is_over(pod)
        for volume in pod["spec"].get("volumes") or ()
        if (claim := volume.get("persistentVolumeClaim"))
    }


def _nodes(store: Store) -> Iterator[str]:
    for name, node in store.read(NODE).items():
        taints = node["spec"].get("taints")
        if taints or reading.status_of(node, "Ready") != "True":
            yield f"Node {name} has {taints}"


def _deployments(store: Store) -> Iterator[str]:
    for deployment in store.list(KINDS["deployment"]).items:
        name, spec = deployment["metadata"]["name"], deployment["spec"]
        sets = reading.owned(store, REPLICA_SET, deployment)
        sizes = {each["metadata"]["name"]: each["spec"]["replicas"] for each in sets}
        if spec.get("paused"):
            continue
        newest = [each for each in sets if recounts.is_newest(deployment, each)]
        if len(newest) != 1 or newest[0]["spec"]["replicas"] != spec["replicas"]:
            yield f"Deployment {name} of {spec['replicas']} has {sizes}"
        elif sum(sizes.values()) != spec["replicas"]:
            yield f"Deployment {name} has old pods: {sizes}"
        if len(sets) - 1 > spec["revisionHistoryLimit"]:
            yield f"Deployment {name} keeps too much: {sizes}"


def _replicas(store: Store, kind: str) -> Iterator[str]:
    for owner in store.list(KINDS[kind]).items:
        own = [pod for pod in reading.owned(store, POD, owner) if reading.is_active(pod)]
        if len(own) != owner["spec"]["replicas"]:
            name, wanted = owner["metadata"]["name"], owner["spec"]["replicas"]
            yield f"{owner['kind']} {name} of {wanted} has {len(own)} pods"


def _stateful_sets(store: Store) -> Iterator[str]:
    for owner in store.list(KINDS["stateful_set"]).items:
        name, spec = owner["metadata"]["name"], owner["spec"]
        own = {reading.ordinal(pod): pod for pod in reading.owned(store, POD, owner)}
        start = spec.get("ordinals", {}).get("start", 0)
        wanted = range(start, start + spec["replicas"])
        if sorted(own) != list(wanted):
            yield f"StatefulSet {name} has {sorted(own)} and wants {list(wanted)}"
        partition = spec["updateStrategy"]["rollingUpdate"]["partition"]
        for number, pod in own.items():
            revision = reading.labels(pod)["controller-revision-hash"]
            is_new = revision == owner["status"]["updateRevision"]
            if number >= start + partition and not is_new:
                yield f"Pod {pod['metadata']['name']} is of an old revision"
            for template in spec.get("volumeClaimTemplates") or ():
                key = f"{pod['metadata']['namespace']}/{template['metadata']['name']}"
                claim = store.read(KINDS["claim"]).get(f"{key}-{name}-{number}")
                if claim is None or claim["status"]["phase"] != "Bound":
                    yield f"Pod {pod['metadata']['name']} has no claim: {claim}"


def _daemon_sets(store: Store) -> Iterator[str]:
    for owner in store.list(KINDS["daemon_set"]).items:
        name = owner["metadata"]["name"]
        own = reading.owned(store, POD, owner)
        places = sorted(pod["spec"]["nodeName"] for pod in own)
        if places != sorted(store.read(NODE)):
            yield f"DaemonSet {name} is on {places}"
        is_rolling = owner["spec"]["updateStrategy"]["type"] == "RollingUpdate"
        image = owner["spec"]["template"]["spec"]["containers"][0]["image"]
        if is_rolling and any(pod["spec"]["containers"][0]["image"] != image for pod in own):
            yield f"DaemonSet {name} has old pods"


def _jobs(store: Store) -> Iterator[str]:
    for job in store.list(KINDS["job"]).items:
        name, spec, status = job["metadata"]["name"], job["spec"], job["status"]
        if spec.get("suspend") or not spec["parallelism"]:
            continue
        notes = spec["template"]["metadata"]["annotations"]
        if notes["kubestage.dev/exit-code"] != "0":
            if spec["completions"] and reading.status_of(job, "Failed") != "True":
                yield f"Job {name} has not failed: {status}"
        elif reading.status_of(job, "Complete") == "True":
            # That of an Indexed one may have been changed since.
            fixed = spec["completionMode"] == "NonIndexed"
            if fixed and status.get("succeeded", 0) != spec["completions"]:
                yield f"Job {name} of {spec['completions']} is complete: {status}"
        elif reading.status_of(job, "Failed") != "True":
            yield f"Job {name} is not over: {status}"
