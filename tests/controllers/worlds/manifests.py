"""Objects that may come to be in a world, by a few choices each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.testing import (
    make_daemon_set,
    make_deployment,
    make_job,
    make_node,
    make_pod,
    make_pod_disruption_budget,
    make_replica_set,
    make_service,
    make_stateful_set,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json

FAST: Final = "fast"
LATE: Final = "late"
RUN_DURATION: Final = "kubestage.dev/run-duration"
EXIT_CODE: Final = "kubestage.dev/exit-code"


def node(number: int, **parts: Any) -> Json:
    return make_node(f"n{number}", **parts)


def storage_class(name: str, mode: str, reclaims: str = "Delete") -> Json:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": "example.com/disks",
        "volumeBindingMode": mode,
        "reclaimPolicy": reclaims,
    }


def deployment(
    name: str,
    replicas: int = 1,
    version: int = 1,
    surge: int | str = "25%",
    unavailable: int | str = "25%",
    cpu: str = "500m",
    **spec: Any,
) -> Json:
    """A rolling one, unless neither surge nor unavailability is allowed: then it is recreated."""
    strategy: Json = {"type": "Recreate"}
    if surge or unavailable:
        rolling = {"maxSurge": surge, "maxUnavailable": unavailable}
        strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
    pod = _pod(name, version, cpu)
    made = make_deployment(name, replicas=replicas, pod=pod, strategy=strategy)
    made["spec"] |= spec
    return made


def replica_set(name: str, replicas: int = 1, version: int = 1, **spec: Any) -> Json:
    made = make_replica_set(name, replicas=replicas, pod=_pod(name, version))
    made["spec"] |= spec
    return made


def replication_controller(name: str, replicas: int = 1, version: int = 1) -> Json:
    made = make_replica_set(name, replicas=replicas, pod=_pod(name, version))
    spec = {**made["spec"], "selector": made["spec"]["selector"]["matchLabels"]}
    return {**made, "apiVersion": "v1", "kind": "ReplicationController", "spec": spec}


def stateful_set(
    name: str,
    replicas: int = 1,
    version: int = 1,
    policy: str = "OrderedReady",
    storage: str | None = None,
    start: int = 0,
    partition: int = 0,
    retention: tuple[str, str] = ("Retain", "Retain"),
) -> Json:
    made = make_stateful_set(name, replicas=replicas, pod=_pod(name, version))
    made["spec"] |= {
        "podManagementPolicy": policy,
        "ordinals": {"start": start},
        "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": partition}},
        "persistentVolumeClaimRetentionPolicy": {
            "whenDeleted": retention[0],
            "whenScaled": retention[1],
        },
    }
    if storage is not None:
        template = claim("data", storage)
        del template["metadata"]["namespace"]
        made["spec"]["volumeClaimTemplates"] = [template]
    return made


def daemon_set(name: str, version: int = 1, surge: int = 0, on_delete: bool = False) -> Json:
    """One that fits everywhere, for its pods ask for nothing."""
    pod = make_pod(name, labels={"app": name}, image=f"app:v{version}")
    made = make_daemon_set(name, pod=pod)
    rolling = {"maxSurge": surge, "maxUnavailable": 0 if surge else 1}
    strategy: Json = {"type": "RollingUpdate", "rollingUpdate": rolling}
    made["spec"]["updateStrategy"] = {"type": "OnDelete"} if on_delete else strategy
    return made


def job(
    name: str, completions: int = 1, parallelism: int = 1, exit_code: int = 0, **spec: Any
) -> Json:
    notes = {RUN_DURATION: "20s", EXIT_CODE: str(exit_code)}
    pod = make_pod(name, annotations=notes, image="batch:v1", cpu="100m")
    made = make_job(name, completions=completions, parallelism=parallelism, pod=pod)
    made["spec"] |= {"backoffLimit": 2, **spec}
    return made


def cron_job(name: str, schedule: str = "*/10 * * * *", policy: str = "Allow", **spec: Any) -> Json:
    template = {"spec": job(name)["spec"]}
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "schedule": schedule,
            "concurrencyPolicy": policy,
            "jobTemplate": template,
            **spec,
        },
    }


def claim(name: str, storage: str | None = FAST) -> Json:
    spec: Json = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": storage,
    }
    metadata = {"name": name, "namespace": "default"}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": metadata,
        "spec": spec,
    }


def consumer(name: str, claim_name: str) -> Json:
    """A pod of its own that uses a claim."""
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": claim_name}}
    return make_pod(name, labels={"app": name}, volumes=[volume])


def quota(name: str, pods: int) -> Json:
    metadata = {"name": name, "namespace": "default"}
    hard = {"pods": str(pods), "requests.storage": "100Gi", "count/deployments.apps": "9"}
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": metadata,
        "spec": {"hard": hard},
    }


def service(name: str) -> Json:
    return make_service(name)


def budget(name: str, field: str, amount: int | str) -> Json:
    made = make_pod_disruption_budget(name)
    made["spec"][field] = amount
    return made


def _pod(name: str, version: int, cpu: str = "500m") -> Json:
    return make_pod(name, labels={"app": name}, image=f"app:v{version}", cpu=cpu)
