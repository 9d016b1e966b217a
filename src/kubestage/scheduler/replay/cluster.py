"""The cluster of one case: plain objects, and the controllers' part that recordings rely on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import defaulting, strategy, timestamps
from kubestage.objects.views import pod as pod_views
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.cache import Cache

Key = tuple[str, str]

FIRST_START_NS = timestamps.parse_time("2026-06-01T00:00:00Z")
SYSTEM_CLASSES = {
    "system-cluster-critical": 2_000_000_000,
    "system-node-critical": 2_000_001_000,
}
NODE_FINISHED_PHASES = ("Succeeded", "Failed")


def prepared(obj: Json, priority_classes: Iterable[Json] = ()) -> Json:
    """An object as the API server would have stored it, its status kept."""
    stored = defaulting.stored(obj)
    metadata = stored["metadata"]
    if "uid" not in metadata:
        namespace, name = metadata.get("namespace", ""), metadata["name"]
        stored["metadata"] = metadata = {
            **metadata,
            "uid": f"{stored['kind']}-{namespace}-{name}".lower(),
        }
    if stored["kind"] == "Pod":
        created = strategy.prepare_for_create(stored)
        stored = {**stored, "spec": _with_priority(created["spec"], priority_classes)}
    return stored


def _with_priority(spec: Json, priority_classes: Iterable[Json]) -> Json:
    if "priority" in spec:
        return spec
    name = spec.get("priorityClassName")
    if name in SYSTEM_CLASSES:
        return {**spec, "priority": SYSTEM_CLASSES[name]}
    for each in sorted(priority_classes, key=lambda each: each.get("value", 0)):
        if each["metadata"]["name"] == name or (not name and each.get("globalDefault")):
            policy = spec.get("preemptionPolicy") or each.get("preemptionPolicy")
            resolved = {**spec, "priority": each.get("value", 0)}
            return {**resolved, "preemptionPolicy": policy} if policy else resolved
    return spec


class ReplayCluster:
    """Lister and client of the scheduler under replay."""

    def __init__(self, objects: Iterable[Json], cache: Cache) -> None:
        listed = list(objects)
        classes = [each for each in listed if each["kind"] == "PriorityClass"]
        self.cache = cache
        self.bound_count = 0
        self.created_count = 0
        self.deleted: list[str] = []
        self._objects: dict[tuple[str, str], dict[Key, Json]] = {}
        for obj in listed:
            self._put(prepared(obj, classes))

    def get(self, api_version: str, kind: str, name: str, namespace: str = "") -> Json | None:
        """One object, or None."""
        return self._of(api_version, kind).get((namespace, name))

    def list(
        self, api_version: str, kind: str, namespace: str | None = None
    ) -> list[Json]:  # fmt: skip
        """All objects of a kind, in listing order."""
        return [
            obj
            for (where, _), obj in self._of(api_version, kind).items()
            if namespace in (None, where)
        ]

    def pod(self, key: str) -> PodView:
        """The newest view of a pod."""
        namespace, _, name = key.partition("/")
        return pod_views.of(self._of("v1", "Pod")[namespace, name])

    def bind(self, pod: PodView, node_name: str) -> None:
        """Assign a pod; it runs at once, each a second after the one before."""
        started = timestamps.format_time(FIRST_START_NS + self.bound_count * SECOND_NS)
        self.bound_count += 1
        status = {**(pod.raw.get("status") or {}), "phase": "Running", "startTime": started}
        status.pop("nominatedNodeName", None)
        spec = {**pod.raw["spec"], "nodeName": node_name}
        bound = {**pod.raw, "spec": spec, "status": status}
        self._put(bound)
        self.cache.add_pod(pod_views.of(bound))

    def delete_pod(self, pod: PodView) -> None:
        """Remove a preempted pod."""
        del self._of("v1", "Pod")[pod.namespace, pod.name]
        self.cache.remove_pod(pod.uid)
        self.deleted.append(pod.key)

    def patch_status(self, pod: PodView, status: Json) -> None:
        """Merge into a pod's status."""
        current = self._of("v1", "Pod")[pod.namespace, pod.name]
        self._put({**current, "status": {**(current.get("status") or {}), **status}})

    def update(self, obj: Json, subresource: str = "") -> Json:
        """Replace an object."""
        del subresource
        self._put(obj)
        return obj

    def create(self, obj: Json) -> Json:
        """Add an object; generated names are numbered."""
        metadata = obj["metadata"]
        name = metadata.get("name") or f"{metadata['generateName']}{self.created_count}"
        self.created_count += 1
        created = prepared({**obj, "metadata": {**metadata, "name": name}})
        self._put(created)
        return created

    def delete(self, obj: Json) -> None:
        """Remove an object."""
        metadata = obj["metadata"]
        objects = self._of(obj["apiVersion"], obj["kind"])
        del objects[metadata.get("namespace", ""), metadata["name"]]

    def event(
        self, regarding: Json, kind: str, reason: str, action: str, note: str, by: str
    ) -> None:
        """Events are not part of a case."""

    def _of(self, api_version: str, kind: str) -> dict[Key, Json]:
        return self._objects.setdefault((api_version, kind), {})

    def _put(self, obj: Json) -> None:
        metadata = obj["metadata"]
        key = metadata.get("namespace", ""), metadata["name"]
        self._of(obj["apiVersion"], obj["kind"])[key] = obj
