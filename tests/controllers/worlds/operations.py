"""What can be done to a world: verbs with plain arguments, so that a failure reads as a story."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.store.deletion import DeleteOptions
from tests.controllers.worlds import manifests

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.stage import Stage

Json = dict[str, Any]

KINDS: Final = {
    "deployment": ("apps/v1", "Deployment"),
    "replica_set": ("apps/v1", "ReplicaSet"),
    "replication_controller": ("v1", "ReplicationController"),
    "stateful_set": ("apps/v1", "StatefulSet"),
    "daemon_set": ("apps/v1", "DaemonSet"),
    "job": ("batch/v1", "Job"),
    "cron_job": ("batch/v1", "CronJob"),
    "claim": ("v1", "PersistentVolumeClaim"),
    "budget": ("policy/v1", "PodDisruptionBudget"),
    "service": ("v1", "Service"),
    "quota": ("v1", "ResourceQuota"),
    "node": ("v1", "Node"),
    "pod": ("v1", "Pod"),
}
POD: Final = KINDS["pod"]
NODE: Final = KINDS["node"]
DEPLOYMENT: Final = KINDS["deployment"]
REPLICA_SET: Final = KINDS["replica_set"]
HEARTBEAT: Final = "kubestage.dev/heartbeat"
_REVISION: Final = "deployment.kubernetes.io/revision"
_ORDINAL: Final = "statefulset.kubernetes.io/pod-name"
_HASH: Final = "pod-template-hash"


def apply(stage: Stage, maker: str, *parts: Any, **fields: Any) -> None:
    """Create an object, or change it into what is made with these parts."""
    stage.apply([getattr(manifests, maker)(*parts, **fields)])


def scale(stage: Stage, kind: str, name: str, replicas: int) -> None:
    patch = {"spec": {"replicas": replicas}}
    stage.store.patch(KINDS[kind], name, patch, subresource="scale")


def patch_spec(stage: Stage, kind: str, name: str, **fields: Any) -> None:
    stage.store.patch(KINDS[kind], name, {"spec": fields})


def delete(stage: Stage, kind: str, name: str, policy: str | None = None) -> None:
    options = DeleteOptions(propagation_policy=policy)
    stage.store.delete(KINDS[kind], name, options=options)


def undo(stage: Stage, name: str) -> None:
    """Go back to the template before the newest, as ``kubectl rollout undo`` does."""
    owner = stage.store.get(DEPLOYMENT, name)
    own = [each for each in stage.store.list(REPLICA_SET).items if _is_owned(each, owner)]
    own.sort(key=_revision)
    if len(own) > 1:
        template = own[-2]["spec"]["template"]
        kept = {key: text for key, text in template["metadata"]["labels"].items() if key != _HASH}
        metadata = {**template["metadata"], "labels": kept}
        spec = {**owner["spec"], "template": {**template, "metadata": metadata}}
        stage.store.update({**owner, "spec": spec})


def delete_pod(stage: Stage, number: int, grace: int | None = None) -> None:
    pod = _pod(stage, number)
    if pod is not None:
        options = DeleteOptions(grace_period_seconds=grace)
        stage.store.delete(POD, pod["name"], options=options)


def evict_pod(stage: Stage, number: int) -> None:
    pod = _pod(stage, number)
    if pod is not None:
        stage.store.evict(pod["name"])


def relabel_pod(stage: Stage, number: int, app: str) -> None:
    """Have a pod leave its owner, and perhaps find another, unless its name is its own.

    Budgets are touched, for the real controller does not hear of pods that leave them either.
    """
    pod = _pod(stage, number)
    if pod is not None and "generateName" in pod and _ORDINAL not in pod["labels"]:
        stage.store.patch(POD, pod["name"], {"metadata": {"labels": {"app": app}}})
        for budget in stage.store.list(KINDS["budget"], "default").items:
            notes = {"touched": stage.store.resource_version}
            name = budget["metadata"]["name"]
            stage.store.patch(KINDS["budget"], name, {"metadata": {"annotations": notes}})


def cordon(stage: Stage, number: int, unschedulable: bool) -> None:
    stage.store.patch(NODE, f"n{number}", {"spec": {"unschedulable": unschedulable or None}})


def silence(stage: Stage, number: int, silent: bool) -> None:
    """A node's heartbeat stops, or is heard again."""
    notes = {HEARTBEAT: "stopped" if silent else None}
    stage.store.patch(NODE, f"n{number}", {"metadata": {"annotations": notes}})


def taint(stage: Stage, number: int, effect: str | None) -> None:
    """Put a taint on a node that no pod tolerates, or take it off."""
    node = stage.store.get(NODE, f"n{number}")
    others = [each for each in node["spec"].get("taints") or () if each["key"] != "test"]
    own = [{"key": "test", "effect": effect}] if effect else []
    stage.store.patch(NODE, f"n{number}", {"spec": {"taints": [*others, *own] or None}})


def settle_namespace(stage: Stage, name: str) -> None:
    """Have something of everything in a namespace of its own."""
    made = [
        manifests.deployment("tenant", 2),
        manifests.stateful_set("tenant-db", 2, storage=manifests.FAST),
        manifests.job("tenant-job", exit_code=1),
        manifests.cron_job("tenant-cron", suspend=True),
        manifests.service("tenant"),
        manifests.budget("tenant", "minAvailable", 2),
    ]
    stage.apply([{**each, "metadata": {**each["metadata"], "namespace": name}} for each in made])


def delete_namespace(stage: Stage, name: str) -> None:
    stage.store.delete(("v1", "Namespace"), name)


def wait(stage: Stage, duration: str | int) -> None:
    stage.run(duration)


VERBS: Final[dict[str, Callable[..., None]]] = {
    each.__name__: each
    for each in (
        apply, scale, patch_spec, delete, undo, delete_pod, evict_pod, relabel_pod, cordon,
        silence, taint, settle_namespace, delete_namespace, wait,
    )
}  # fmt: skip


def _pod(stage: Stage, number: int) -> Json | None:
    """The metadata of one of the pods, whichever comes at that place in their order."""
    found = stage.store.list(POD, "default").items
    metadata: Json | None = found[number % len(found)]["metadata"] if found else None
    return metadata


def _is_owned(obj: Json, owner: Json) -> bool:
    references = obj["metadata"].get("ownerReferences") or ()
    return any(each["uid"] == owner["metadata"]["uid"] for each in references)


def _revision(replica_set: Json) -> int:
    return int((replica_set["metadata"].get("annotations") or {}).get(_REVISION, "0"))
