"""The admission webhook: pods of a VerticalPodAutoscaler start with what is recommended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import ownership
from kubestage.controllers.vpa import container_resources, policies, providing, targets
from kubestage.controllers.vpa.targets import TargetError
from kubestage.objects import patches

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.vpa.targets import Targets
    from kubestage.objects.kinds import Kind
    from kubestage.store.store import Store


UPDATES: Final = "vpaUpdates"
OBSERVED_CONTAINERS: Final = "vpaObservedContainers"


class PodAdmission:
    """Finds the autoscaler of a new pod, and changes the pod by its recommendation.

    `on_vpa` is called for autoscalers, so that a pod without one costs little.
    """

    def __init__(self, store: Store, found: Targets) -> None:
        self._store = store
        self._targets = found
        self._by_target: dict[tuple[str, str, str], dict[str, None]] = {}

    def on_vpa(self, key: str, new: Json | None, old: Json | None) -> None:
        """An autoscaler came, changed or went."""
        if old is not None:
            self._by_target.get(_pointed_at(old), {}).pop(key, None)
        if new is not None:
            self._by_target.setdefault(_pointed_at(new), {})[key] = None

    def mark(self, kind: Kind, obj: Json, namespace: str) -> bytes:
        """Which state of which autoscaler decides on a pod; nothing if none does."""
        vpa = self._controlling(kind, obj, namespace)
        if vpa is None:
            return b""
        metadata = vpa["metadata"]
        changes = f"|{metadata['namespace']}/{metadata['name']}@{metadata['resourceVersion']}"
        return changes.encode()

    def admit(self, kind: Kind, obj: Json, namespace: str) -> Json:
        """A new pod with the resources that its autoscaler recommends."""
        vpa = self._controlling(kind, obj, namespace)
        if vpa is None:
            return obj
        patch_steps: list[Json] = []
        changes: list[str] = []
        for index, provided in enumerate(providing.for_pod(self._store, vpa, obj, namespace)):
            name = obj["spec"]["containers"][index]["name"]
            steps = providing.patches(index, container_resources.resources_of(obj, name), provided)
            if steps:
                patch_steps += steps
                changes.append(f"container {index}: {', '.join(_remarks(provided))}")
        changed: Json = patches.apply(patches.PatchType.JSON, obj, patch_steps)
        metadata = dict(changed["metadata"])
        names = ", ".join(each["name"] for each in obj["spec"]["containers"])
        annotations = {**(metadata.get("annotations") or {}), OBSERVED_CONTAINERS: names}
        if changes:
            name = vpa["metadata"]["name"]
            annotations[UPDATES] = f"Pod resources updated by {name}: {'; '.join(changes)}"
        metadata["annotations"] = annotations
        return {**changed, "metadata": metadata}

    def _controlling(self, kind: Kind, pod: Json, namespace: str) -> Json | None:
        if kind.kind != "Pod" or kind.group or not self._by_target:
            return None
        parent = self._targets.parent(pod, namespace)
        if parent is None:
            return None
        keys = self._by_target.get((parent.namespace, parent.kind, parent.name))
        if not keys:
            return None
        vpas = self._store.read(policies.VPA)
        pod_labels = ownership.labels_of(pod)
        return targets.strongest(vpas[key] for key in keys if self._means(vpas[key], pod_labels))

    def _means(self, vpa: Json, labels: dict[str, str]) -> bool:
        if policies.update_mode(vpa) == policies.OFF:
            return False
        try:
            return self._targets.selector(vpa).matches(labels)
        except TargetError:
            return False


def _pointed_at(vpa: Json) -> tuple[str, str, str]:
    ref = vpa["spec"].get("targetRef") or {}
    return vpa["metadata"]["namespace"], ref.get("kind") or "", ref.get("name") or ""


def _remarks(provided: providing.Provided) -> list[str]:
    return [
        *provided.remarks,
        *(f"{name} request" for name in sorted(provided.requests)),
        *(f"{name} limit" for name in sorted(provided.limits)),
    ]
