"""Which pods belong to which Service, and which of them changed since its last sync."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.controllers.ownership import labels_of
from kubestage.controllers.selectors import Selectors
from kubestage.objects import labels
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.lister import Lister
    from kubestage.objects.labels import Selector
    from kubestage.store.log import Change


SERVICE: Final = ("v1", "Service")
_WATCHED: Final = ("labels", "annotations", "deletionTimestamp")


@dataclasses.dataclass(slots=True)
class Backing:
    """What is known of the pods behind one Service.

    `listed` are those that had an address, `changed` those to examine again; if
    `is_new` is set, all are.
    """

    selector: Selector
    listed: dict[str, None] = dataclasses.field(default_factory=dict)
    changed: dict[str, None] = dataclasses.field(default_factory=dict)
    is_new: bool = True


class ServicePods:
    """The pods behind all Services that choose their pods by a selector."""

    def __init__(self, lister: Lister) -> None:
        self._lister = lister
        self._selectors = Selectors()
        self._backings: dict[str, Backing] = {}

    def get(self, key: str) -> Backing | None:
        """What is known of a Service's pods; None if it has no use for any."""
        return self._backings.get(key)

    def all(self) -> Iterable[Backing]:
        """What is known of the pods of all Services."""
        return self._backings.values()

    def on_service(self, change: Change) -> bool:
        """Record a change of a Service; whether it needs a sync."""
        key, service, old = change.key, change.new, change.old
        if change.type == DELETED or not _selects(service):
            self._selectors.drop(service["metadata"]["namespace"], key)
            self._backings.pop(key, None)
            return change.type == DELETED
        if old is not None and key in self._backings and _same(old, service):
            return False
        selector = labels.selector_from_set(service["spec"]["selector"])
        self._selectors.set(service["metadata"]["namespace"], key, selector)
        self._backings[key] = Backing(selector)
        return True

    def on_pod(self, change: Change) -> list[str]:
        """Record a change of a pod; the Services that need a sync."""
        if not self._backings:
            return []
        old, new = change.old, change.new
        if old is not None and change.type != DELETED and not _matters(old, new):
            return []
        namespace = new["metadata"]["namespace"]
        now = labels_of(new)
        found = self._selectors.matching(namespace, now)
        if old is not None and labels_of(old) is not now and labels_of(old) != now:
            before = self._selectors.matching(namespace, labels_of(old))
            found += [key for key in before if key not in found]
        return [key for key in found if self._on_change(self._backings[key], change)]

    def _on_change(self, backing: Backing, change: Change) -> bool:
        key, pod = change.key, change.new
        if change.type != DELETED and has_address(pod):
            if backing.selector.matches(labels_of(pod)):
                backing.listed[key] = None
            else:
                backing.listed.pop(key, None)
        elif key in backing.listed:
            del backing.listed[key]
        elif not backing.is_new:
            # It did not count before and does not now.
            return False
        backing.changed[key] = None
        return True

    def take(self, backing: Backing, namespace: str) -> dict[str, Json | None]:
        """The pods to examine: those that changed, or all; None for those that are gone."""
        changed, backing.changed = backing.changed, {}
        if backing.is_new:
            backing.is_new = False
            found = self._lister.selected(pods.POD, namespace, backing.selector)
            keyed = {f"{namespace}/{pod['metadata']['name']}": pod for pod in found}
            backing.listed = {key: None for key, pod in keyed.items() if has_address(pod)}
            return dict(keyed)
        objects = self._lister.collection(pods.POD).objects
        taken: dict[str, Json | None] = {}
        for key in changed:
            pod = objects.get(key)
            selected = pod is not None and backing.selector.matches(labels_of(pod))
            taken[key] = pod if selected else None
        return taken


def has_address(pod: Json) -> bool:
    """Whether a pod can be reached: it has an address and has not ended."""
    status = pod.get("status") or {}
    return bool(status.get("podIPs") or status.get("podIP")) and not pods.is_terminal(pod)


def is_headless(service: Json) -> bool:
    """Whether a Service has no address of its own, so that its pods are found one by one."""
    return bool(service["spec"].get("clusterIP") == "None")


def sets_hostname(pod: Json, service: Json) -> bool:
    """Whether a pod can be found by its own name behind a Service."""
    spec = pod["spec"]
    named = spec.get("hostname") and spec.get("subdomain") == service["metadata"]["name"]
    return bool(named)


def _selects(service: Json) -> bool:
    spec = service["spec"]
    return bool(spec.get("selector")) and spec.get("type") != "ExternalName"


def _same(old: Json, new: Json) -> bool:
    before, after = old["metadata"], new["metadata"]
    return (
        old["spec"] == new["spec"]
        and before["uid"] == after["uid"]
        and all(before.get(field) == after.get(field) for field in _WATCHED)
    )


def _matters(old: Json, new: Json) -> bool:
    """Whether a pod changed in a way that shows in endpoints."""
    if "deletionTimestamp" in new["metadata"]:
        return True
    before, after = old.get("status"), new.get("status")
    if before is not after:
        if pods.is_ready(old) != pods.is_ready(new):
            return True
        if (before or {}).get("podIPs") != (after or {}).get("podIPs"):
            return True
    if old["spec"] is not new["spec"]:
        for field in ("hostname", "subdomain"):
            if old["spec"].get(field) != new["spec"].get(field):
                return True
    return labels_of(old) is not labels_of(new) and labels_of(old) != labels_of(new)
