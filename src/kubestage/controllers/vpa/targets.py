"""Which pods a VerticalPodAutoscaler means: those of the workload that it points at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers import ownership
from kubestage.errors import ApiError, KubestageError, NotFound
from kubestage.objects import labels, timestamps
from kubestage.store import refusals

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.objects.labels import Selector
    from kubestage.store.store import Store


_WELL_KNOWN: Final = {
    "DaemonSet": "apps/v1",
    "Deployment": "apps/v1",
    "ReplicaSet": "apps/v1",
    "StatefulSet": "apps/v1",
    "ReplicationController": "v1",
    "Job": "batch/v1",
    "CronJob": "batch/v1",
}


class TargetError(KubestageError):
    """The target of a VerticalPodAutoscaler cannot be read; the text is the reason."""


class _NodeOwner(TargetError):
    """A pod that is owned by its node: no VerticalPodAutoscaler can mean it."""


class Target(NamedTuple):
    """Something that has pods, or has what has pods."""

    namespace: str
    kind: str
    name: str
    api_version: str


def of_vpa(vpa: Json) -> Target:
    """What a VerticalPodAutoscaler points at."""
    ref = vpa["spec"]["targetRef"]
    return Target(
        vpa["metadata"]["namespace"], ref["kind"], ref["name"], ref.get("apiVersion") or ""
    )


class Targets:
    """Reads owners from the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def selector(self, vpa: Json) -> Selector:
        """The selector of what a VerticalPodAutoscaler points at."""
        if not vpa["spec"].get("targetRef"):
            raise TargetError("targetRef not defined. If this is a v1beta1 object, switch to v1")
        target = of_vpa(vpa)
        if target.kind in _WELL_KNOWN:
            return _selector(target.kind, self._well_known(target)["spec"])
        try:
            text = (self._scale(target).get("status") or {}).get("selector")
        except (ApiError, TargetError) as error:
            raise _unhandled(target, str(error)) from None
        if not text:
            where = f"{target.namespace}/{target.name}"
            raise _unhandled(
                target, f"resource {where} has an empty selector for scale sub-resource"
            )
        if not isinstance(text, str):
            raise _unhandled(target, f".status.selector accessor error: {text} is no string")
        try:
            return labels.parse(text)
        except labels.SelectorError as error:
            raise _unhandled(target, str(error)) from None

    def topmost(self, target: Target) -> Target | None:
        """The highest owner that is well known or can be scaled."""
        found = target if self._is_known_or_scalable(target) else None
        visited = {target}
        while True:
            owner = self._owner(target)
            if owner is None:
                return found
            if self._is_known_or_scalable(owner):
                found = owner
            if owner in visited:
                raise TargetError("cycle detected in ownership chain")
            visited.add(owner)
            target = owner

    def parent(self, pod: Json, namespace: str) -> Target | None:
        """The topmost owner of a pod; None if it has none, or if that is not known."""
        reference = ownership.controller_of(pod)
        if reference is None:
            return None
        try:
            return self.topmost(_from_reference(reference, namespace))
        except TargetError:
            return None

    def problem(self, vpa: Json) -> str:
        """Why a VerticalPodAutoscaler may not point where it does; nothing if it may."""
        target = of_vpa(vpa)
        named = f"{target.api_version}.{target.kind}/{target.name}"
        try:
            top = self.topmost(target)
        except TargetError as error:
            return (
                f"Error checking if target {named} is a topmost well-known or scalable controller: "
                f"{error}"
            )
        if top is None:
            return (
                f"Unknown error during checking if target {named} is a topmost well-known or "
                "scalable controller"
            )
        if top != target:
            return (
                f"The target {named} has a parent controller but it should point to a topmost "
                "well-known or scalable controller"
            )
        return ""

    def _well_known(self, target: Target) -> Json:
        kind = (_WELL_KNOWN[target.kind], target.kind)
        found = self._store.read(kind).get(f"{target.namespace}/{target.name}")
        if found is None:
            where = f"{target.namespace}/{target.name}"
            raise TargetError(f"{target.kind} {where} does not exist")
        return found

    def _scale(self, target: Target) -> Json:
        row = self._row(target)
        if not row.namespaced:
            raise refusals.no_such_resource()
        return self._store.get(row, target.name, target.namespace, subresource="scale")

    def _row(self, target: Target) -> Kind:
        """The kind of a target: the version counts only if it is served."""
        found = self._store.kinds.get(target.api_version, target.kind)
        if found is not None:
            return found
        group = target.api_version.rpartition("/")[0]
        for row in self._store.kinds:
            if (row.group, row.kind) == (group, target.kind):
                return row
        raise TargetError(f'no matches for kind "{target.kind}" in group "{group}"')

    def _is_known_or_scalable(self, target: Target) -> bool:
        if target.kind in _WELL_KNOWN:
            return True
        if target.kind == "Node":
            return False
        try:
            self._scale(target)
        except (ApiError, TargetError):
            return False
        return True

    def _owner(self, target: Target) -> Target | None:
        if target.kind in _WELL_KNOWN:
            reference = ownership.controller_of(self._well_known(target))
        elif target.kind == "Node":
            raise _NodeOwner("node is not a valid owner")
        else:
            try:
                reference = ownership.controller_of(self._scale(target))
            except NotFound:
                return None
            except (ApiError, TargetError) as error:
                raise _unhandled(target, str(error)) from None
        return None if reference is None else _from_reference(reference, target.namespace)


def strongest(vpas: Iterable[Json]) -> Json | None:
    """The one that counts if several mean a pod: the oldest, then the first by name."""
    return min(vpas, key=_seniority, default=None)


def _seniority(vpa: Json) -> tuple[int, str]:
    created = vpa["metadata"].get("creationTimestamp")
    return timestamps.parse_time(created) if created else 0, vpa["metadata"]["name"]


def _from_reference(reference: Json, namespace: str) -> Target:
    return Target(namespace, reference["kind"], reference["name"], reference["apiVersion"])


def _unhandled(target: Target, why: str) -> TargetError:
    named = f"{target.api_version} / {target.kind} / {target.name}"
    return TargetError(f"unhandled targetRef {named}, last error {why}")


def _selector(kind: str, spec: Json) -> Selector:
    if kind == "CronJob":
        template = spec["jobTemplate"]["spec"]["template"]
        found = (template.get("metadata") or {}).get("labels")
        return labels.selector_from_set(found) if found else labels.NOTHING
    if kind == "ReplicationController":
        return labels.selector_from_set(spec.get("selector") or {})
    return labels.from_label_selector(spec.get("selector"))
