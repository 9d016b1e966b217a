"""What can be done to a world: verbs with plain arguments, so that a failure reads as a story."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.store.deletion import DeleteOptions
from tests.controllers.worlds import manifests

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.stage import Stage


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
_SCALABLE: Final = ("deployment", "replica_set", "replication_controller", "stateful_set")
_TEMPLATED: Final = (*_SCALABLE, "daemon_set")
_DELETABLE: Final = tuple(each for each in KINDS if each not in ("node", "pod"))
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


def scale(stage: Stage, number: int, replicas: int) -> None:
    """Scale one of what can be scaled."""
    found = _one_of(stage, _SCALABLE, number)
    if found is not None:
        kind, name = found
        patch = {"spec": {"replicas": replicas}}
        stage.store.patch(kind, name, patch, subresource="scale")


def update(stage: Stage, number: int, version: int) -> None:
    """Give one of the workloads another template."""
    found = _one_of(stage, _TEMPLATED, number)
    if found is not None:
        kind, name = found
        obj = stage.store.get(kind, name)
        template = obj["spec"]["template"]
        containers = [{**template["spec"]["containers"][0], "image": f"app:v{version}"}]
        renewed = {**template, "spec": {**template["spec"], "containers": containers}}
        stage.store.update({**obj, "spec": {**obj["spec"], "template": renewed}})


def patch_spec(stage: Stage, kind: str, number: int, **fields: Any) -> None:
    found = _one_of(stage, (kind,), number)
    if found is not None:
        stage.store.patch(*found, {"spec": fields})


def delete(stage: Stage, number: int, policy: str | None = None) -> None:
    """Delete anything but pods and nodes, its dependents with it or not."""
    found = _one_of(stage, _DELETABLE, number)
    if found is not None:
        stage.store.delete(*found, options=DeleteOptions(propagation_policy=policy))


def drop(stage: Stage, kind: str, name: str, policy: str | None = None) -> None:
    """Delete this very object."""
    options = DeleteOptions(propagation_policy=policy)
    stage.store.delete(KINDS[kind], name, options=options)


def undo(stage: Stage, number: int) -> None:
    """Go back to the template before the newest, as ``kubectl rollout undo`` does."""
    found = _one_of(stage, ("deployment",), number)
    if found is None:
        return
    owner = stage.store.get(*found)
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


def delete_node(stage: Stage, number: int) -> None:
    name = _node(stage, number)
    if name is not None:
        stage.store.delete(NODE, name)


def cordon(stage: Stage, number: int, unschedulable: bool) -> None:
    name = _node(stage, number)
    if name is not None:
        stage.store.patch(NODE, name, {"spec": {"unschedulable": unschedulable or None}})


def silence(stage: Stage, number: int, silent: bool) -> None:
    """A node's heartbeat stops, or is heard again."""
    name = _node(stage, number)
    if name is not None:
        notes = {HEARTBEAT: "stopped" if silent else None}
        stage.store.patch(NODE, name, {"metadata": {"annotations": notes}})


def taint(stage: Stage, number: int, effect: str | None) -> None:
    """Put a taint on a node that no pod tolerates, or take it off."""
    name = _node(stage, number)
    if name is not None:
        found = stage.store.get(NODE, name)["spec"].get("taints") or ()
        others = [each for each in found if each["key"] != "test"]
        own = [{"key": "test", "effect": effect}] if effect else []
        stage.store.patch(NODE, name, {"spec": {"taints": [*others, *own] or None}})


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
        apply, scale, update, patch_spec, delete, drop, undo, delete_pod, evict_pod, relabel_pod,
        delete_node, cordon, silence, taint, settle_namespace, delete_namespace, wait,
    )
}  # fmt: skip


def _one_of(
    stage: Stage, kinds: tuple[str, ...], number: int
) -> tuple[tuple[str, str], str] | None:
    """One of the objects that are there by these kinds and that nobody controls."""
    found = [
        (KINDS[kind], obj["metadata"]["name"])
        for kind in kinds
        for obj in stage.store.list(KINDS[kind], "default").items
        if not obj["metadata"].get("ownerReferences")
    ]
    return found[number % len(found)] if found else None


def _node(stage: Stage, number: int) -> str | None:
    names = sorted(stage.store.read(NODE))
    return names[number % len(names)] if names else None


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
