"""The Endpoints controller: the addresses behind a Service in one object, as in older clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import ownership
from kubestage.controllers.controller import Controller
from kubestage.controllers.endpointslice import service_pods, trigger_times
from kubestage.controllers.endpointslice.service_pods import SERVICE, ServicePods
from kubestage.controllers.endpointslice.subsets import Subsets
from kubestage.errors import ApiError, NotFound
from kubestage.store.event_recorder import WARNING
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.store.log import Change


ENDPOINTS: Final = ("v1", "Endpoints")
_OVER_CAPACITY: Final = "endpoints.kubernetes.io/over-capacity"
_LEADER: Final = "control-plane.alpha.kubernetes.io/leader"
_HEADLESS: Final = "service.kubernetes.io/headless"
_MANAGED_BY: Final = "endpoints.kubernetes.io/managed-by"


class EndpointController(Controller):
    """Keys are those of Services."""

    name = "endpoint-controller"
    max_retries = 15

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._pods = ServicePods(self.lister)
        self._subsets: dict[str, Subsets] = {}
        self._kind = self.store.kind(ENDPOINTS)

    def handlers(self) -> Handlers:
        """Services, pods, and Endpoints that are deleted."""
        return {
            ("", "Service"): self._on_service,
            ("", "Pod"): self._on_pod,
            ("", "Endpoints"): self._on_endpoints,
        }

    def start(self) -> None:
        """Queue Endpoints whose Service may be gone."""
        for key, found in self.store.read(ENDPOINTS).items():
            if _LEADER not in (found["metadata"].get("annotations") or {}):
                self.queue.add(key)

    def _on_service(self, change: Change) -> None:
        if self._pods.on_service(change):
            self.queue.add(change.key)

    def _on_pod(self, change: Change) -> None:
        for key in self._pods.on_pod(change):
            self.queue.add(key)

    def _on_endpoints(self, change: Change) -> None:
        if change.type == DELETED:
            self.queue.add(change.key)

    def sync(self, key: str) -> None:
        """Make the Endpoints of a Service match its pods."""
        service, backing = self.lister.get(SERVICE, key), self._pods.get(key)
        if service is None:
            self._subsets.pop(key, None)
            self._delete(key)
            return
        if backing is None:
            self._subsets.pop(key, None)
            return
        subsets = self._subsets.setdefault(key, Subsets())
        if backing.is_new:
            subsets.clear()
        changed = self._pods.take(backing, service["metadata"]["namespace"])
        trigger = subsets.times.take(service, changed)
        subsets.place(service, changed)
        self._write(key, service, subsets, trigger)

    def _delete(self, key: str) -> None:
        namespace, _, name = key.partition("/")
        try:
            self.store.delete(ENDPOINTS, name, namespace)
        except NotFound:
            return

    def _write(self, key: str, service: Json, subsets: Subsets, trigger: str | None) -> None:
        current = self.lister.get(ENDPOINTS, key)
        desired, is_truncated = subsets.write()
        held = {} if current is None else current["metadata"].get("annotations") or {}
        labels = _labels(service)
        if current is not None and not is_truncated and _OVER_CAPACITY not in held:
            same = (current.get("subsets") or []) == desired
            if same and ownership.labels_of(current) == labels:
                return
        annotations = trigger_times.annotated(held, trigger)
        annotations.pop(_OVER_CAPACITY, None)
        if is_truncated:
            annotations[_OVER_CAPACITY] = "truncated"
        if current is None:
            self._create(service, desired, labels, annotations)
            return
        metadata = {**current["metadata"], "labels": labels, "annotations": annotations}
        if not annotations:
            del metadata["annotations"]
        new = {**current, "metadata": metadata, "subsets": desired}
        if not desired:
            del new["subsets"]
        if new != current:
            # NOTE: written as it is stored, for it is right by construction: an update of a
            # thousand addresses costs milliseconds, and every pod that becomes ready is one.
            self.store.put(self._kind, key, new)
            self.store.settle()

    def _create(
        self, service: Json, desired: list[Json], labels: Json, annotations: dict[str, str]
    ) -> None:
        name, namespace = service["metadata"]["name"], service["metadata"]["namespace"]
        fresh = {
            "apiVersion": "v1",
            "kind": "Endpoints",
            "metadata": {
                "name": name,
                "namespace": namespace,
                "labels": labels,
                "annotations": annotations,
            },
            "subsets": desired,
        }
        try:
            self.store.create(fresh)
        except ApiError as error:
            causes = error.details.get("causes") or ()
            if any(cause.get("reason") == "NamespaceTerminating" for cause in causes):
                return
            text = f"Failed to create endpoint for service {namespace}/{name}: {error.message}"
            self.events.event(fresh, WARNING, "FailedToCreateEndpoint", text)
            raise


def _labels(service: Json) -> dict[str, str]:
    """The labels of a Service's Endpoints: its own, and who keeps them."""
    found = dict(ownership.labels_of(service))
    found.pop(_HEADLESS, None)
    if service_pods.is_headless(service):
        found[_HEADLESS] = ""
    return found | {_MANAGED_BY: "endpoint-controller"}
