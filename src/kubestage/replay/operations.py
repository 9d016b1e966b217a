"""The operations of a scenario, done on its cluster."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import ApiError, InputError, NotFound
from kubestage.objects import gvk, labels, timestamps
from kubestage.objects.patches import PatchType
from kubestage.replay import lab_pods
from kubestage.replay.cluster import LabCluster, ready_condition
from kubestage.store.deletion import DeleteOptions
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind


_PATCH_TYPES: Final = {
    "merge": PatchType.MERGE,
    "strategic": PatchType.STRATEGIC,
    "json": PatchType.JSON,
}
_UID_OF: Final = re.compile(r"<uid:(\w+)/([^>]+)>")
_NO_UID: Final = "00000000-0000-4000-8000-000000000000"
_REVISION: Final = "deployment.kubernetes.io/revision"
# The recorder learnt of deletions by a watch, a little later than it got its answers.
_WATCH_LAG_NS: Final = 7_000_000


class Operator:
    """Does what a user, a kubelet or a node is recorded to have done."""

    def __init__(self, cluster: LabCluster) -> None:
        self._cluster = cluster
        self._store = cluster.store

    def do(self, operation: Json) -> Json | None:
        """Do one operation; the refusal, if it is refused."""
        name = operation.get("op")
        if name not in _ACTS:
            raise InputError(f"no such operation: {name}", fix=f"one of {', '.join(_ACTS)}")
        act, needed = _ACTS[name]
        missing = [each for each in needed if each not in operation]
        if missing:
            raise InputError(f"operation {name} lacks {missing[0]}")
        try:
            act(self, self._filled(operation))
        except ApiError as error:
            return self._refusal(error)
        return None

    def _refusal(self, error: ApiError) -> Json:
        causes = [
            {key: each.get(key) for key in ("field", "reason", "message")}
            for each in error.details.get("causes") or ()
        ]
        refusal = {
            "code": error.code,
            "reason": error.status.get("reason", ""),
            "message": error.message,
            "causes": causes,
        }
        answer: Json = self._cluster.record.naming.value(refusal)
        return answer

    def _filled(self, value: Any) -> Any:
        """A value with this cluster's namespace and uids for those of the recording."""
        if isinstance(value, str):
            if value == "<uid>":
                return _NO_UID
            value = _UID_OF.sub(self._uid, value)
            return value.replace("$NS", self._cluster.namespace)
        if isinstance(value, dict):
            return {key: self._filled(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self._filled(each) for each in value]
        return value

    def _uid(self, found: re.Match[str]) -> str:
        kind, name = found.groups()
        obj = self._store.get(self._kind(kind), name, self._cluster.namespace)
        uid: str = obj["metadata"]["uid"]
        return uid

    def _kind(self, name: str) -> Kind:
        return self._store.kinds.find(name)[0]

    def _target(self, operation: Json) -> tuple[Kind, str]:
        kind = self._kind(operation.get("kind") or "Pod")
        if "pick" in operation:
            return kind, self._picked(operation["pick"])
        if "pick-job" in operation:
            jobs = self._store.list(kind, self._cluster.namespace).items
            return kind, _nth([each["metadata"]["name"] for each in jobs], 0)
        if "name" not in operation:
            raise InputError(f"operation {operation['op']} names no object")
        return kind, operation["name"]

    def _picked(self, pick: Json) -> str:
        selector = labels.selector_from_set(pick["labels"])
        record, now_ns = self._cluster.record, self._cluster.clock.now_ns
        found = [
            (record.created_order[each["metadata"]["uid"]], each["metadata"]["name"])
            for each in self._store.list(gvk.POD, self._cluster.namespace).items
            if selector.matches(each["metadata"].get("labels") or {})
            and now_ns - record.terminating_ns.get(each["metadata"]["uid"], now_ns) < _WATCH_LAG_NS
        ]
        return _nth([name for _, name in sorted(found)], pick.get("index") or 0)

    def create(self, operation: Json) -> None:
        """Create the object of a manifest."""
        self._store.create(operation["manifest"], namespace=self._cluster.namespace)

    def patch(self, operation: Json) -> None:
        """Patch an object or its subresource."""
        kind, name = self._target(operation)
        self._store.patch(
            kind,
            name,
            operation["patch"],
            self._cluster.namespace,
            patch_type=_PATCH_TYPES[operation.get("type") or "merge"],
            subresource=operation.get("subresource") or "",
        )

    def scale(self, operation: Json) -> None:
        """Scale through the scale subresource."""
        kind, name = self._target(operation)
        patch = {"spec": {"replicas": operation["replicas"]}}
        self._store.patch(kind, name, patch, self._cluster.namespace, subresource="scale")

    def delete(self, operation: Json) -> None:
        """Delete an object."""
        kind, name = self._target(operation)
        options = DeleteOptions(
            grace_period_seconds=operation.get("grace"),
            propagation_policy=operation.get("propagation"),
        )
        self._store.delete(kind, name, self._cluster.namespace, options)

    def evict(self, operation: Json) -> None:
        """Ask for a pod's eviction."""
        _, name = self._target(operation)
        self._store.evict(name, self._cluster.namespace)

    def undo(self, operation: Json) -> None:
        """What ``kubectl rollout undo`` does."""
        kind, name = self._kind("Deployment"), operation["name"]
        deployment = self._store.get(kind, name, self._cluster.namespace)
        uid = deployment["metadata"]["uid"]
        revisions = {}
        for each in self._store.list(self._kind("ReplicaSet"), self._cluster.namespace).items:
            metadata = each["metadata"]
            if any(ref["uid"] == uid for ref in metadata.get("ownerReferences") or ()):
                revisions[int((metadata.get("annotations") or {}).get(_REVISION, 0))] = each
        revision = operation.get("to_revision") or next(iter(sorted(revisions)[-2:-1]), 0)
        if revision not in revisions:
            raise NotFound(f"no revision {revision} of {name} to go back to")
        template = revisions[revision]["spec"]["template"]
        metadata = dict(template["metadata"])
        metadata["labels"] = {
            key: value for key, value in metadata["labels"].items() if key != "pod-template-hash"
        }
        patch = [
            {
                "op": "replace",
                "path": "/spec/template",
                "value": {**template, "metadata": metadata},
            }
        ]
        namespace = self._cluster.namespace
        self._store.patch(kind, name, patch, namespace, patch_type=PatchType.JSON)

    def wait(self, operation: Json) -> None:
        """Let time pass."""
        until_ns = self._cluster.clock.now_ns + round(operation["seconds"] * SECOND_NS)
        self._cluster.run_until(until_ns)

    def node(self, operation: Json) -> None:
        """A node joins."""
        self._cluster.add_node(operation["name"])

    def node_notready(self, operation: Json) -> None:
        """The kubelet reports that its node is not ready, and does nothing else."""
        self._set_ready(operation["name"], "False")

    def node_ready(self, operation: Json) -> None:
        """The kubelet reports that its node is ready, and goes on."""
        self._cluster.speak_again(operation["name"])
        self._set_ready(operation["name"], "True")

    def node_silent(self, operation: Json) -> None:
        """The kubelet of a node stops to report."""
        self._cluster.fall_silent(operation["name"])
        self._cluster.kubelet.asleep.add(operation["name"])
        self._cluster.kubelet.wake()

    def _set_ready(self, name: str, status: str) -> None:
        asleep = self._cluster.kubelet.asleep
        (asleep.discard if status == "True" else asleep.add)(name)
        before = self._store.get(("v1", "Node"), name).get("status") or {}
        fresh = ready_condition(status, self._cluster.now)
        self._store.record_status(
            ("v1", "Node"), name, lab_pods.with_conditions(before, fresh)
        )  # fmt: skip
        self._cluster.kubelet.wake()

    def pod_ready(self, operation: Json) -> None:
        """A pod's readiness flips."""
        _, name = self._target(operation)
        key = f"{self._cluster.namespace}/{name}"
        pod = self._store.get(gvk.POD, name, self._cluster.namespace)
        status = lab_pods.flipped(pod, self._cluster.now, operation["ready"])
        self._store.record_status(gvk.POD, key, status)

    def pod_finish(self, operation: Json) -> None:
        """A pod's container ends."""
        _, name = self._target(operation)
        pod = self._store.get(gvk.POD, name, self._cluster.namespace)
        self._cluster.kubelet.end(pod, operation["exit_code"])

    def backdate_cronjob(self, operation: Json) -> None:
        """A CronJob seems to have run last some time ago."""
        kind, key = self._kind("CronJob"), f"{self._cluster.namespace}/{operation['name']}"
        last_ns = self._cluster.clock.unix_ns - operation["seconds"] * SECOND_NS
        before = self._store.get(kind, operation["name"], self._cluster.namespace)
        status = {
            **(before.get("status") or {}),
            "lastScheduleTime": timestamps.format_time(last_ns),
        }
        self._store.record_status(kind, key, status)


# What each operation is done by, and what it has to say.
_ACTS: Final[dict[str, tuple[Callable[[Operator, Json], None], tuple[str, ...]]]] = {
    "create": (Operator.create, ("manifest",)),
    "patch": (Operator.patch, ("patch",)),
    "scale": (Operator.scale, ("replicas",)),
    "delete": (Operator.delete, ()),
    "evict": (Operator.evict, ()),
    "undo": (Operator.undo, ("name",)),
    "wait": (Operator.wait, ("seconds",)),
    "node": (Operator.node, ("name",)),
    "node-notready": (Operator.node_notready, ("name",)),
    "node-ready": (Operator.node_ready, ("name",)),
    "node-silent": (Operator.node_silent, ("name",)),
    "pod-ready": (Operator.pod_ready, ("ready",)),
    "pod-finish": (Operator.pod_finish, ("exit_code",)),
    "backdate-cronjob": (Operator.backdate_cronjob, ("name", "seconds")),
}


def _nth(names: list[str], index: int) -> str:
    if index >= len(names):
        raise NotFound(f"there are {len(names)} to pick number {index} from")
    return names[index]
