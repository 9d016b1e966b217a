"""A change that may make a pod fit: of the pod itself, and of other objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects.patches import merge_patch

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json

    PodChange = Callable[[Json], Json]


class Edit(NamedTuple):
    """Changes that are made together.

    `pod_changes` return a changed copy of the pod; `put` are objects as they are to be, new ones or
    in place of others; `remove` are objects that go. `beside` are new objects that come by
    themselves with those, such as the pods of daemons with a node.
    """

    pod_changes: tuple[PodChange, ...] = ()
    put: tuple[Json, ...] = ()
    remove: tuple[Json, ...] = ()
    beside: tuple[Json, ...] = ()

    def and_(self, other: Edit) -> Edit:
        """Both."""
        return Edit(
            self.pod_changes + other.pod_changes,
            self.put + other.put,
            self.remove + other.remove,
            self.beside + other.beside,
        )

    def changed(self, pod: Json) -> Json:
        """The pod as it would be."""
        for change in self.pod_changes:
            pod = change(pod)
        return pod

    def describe(self, pod: Json, known: Callable[[Json], Json | None]) -> Json:
        """The edit as JSON; `known` finds the object that one of `put` replaces.

        ``pod`` is a JSON merge patch of the pod, ``add`` are objects, ``change`` are merge patches
        of other objects, and ``remove`` names objects.
        """
        described: Json = {}
        patch = merge_patch.two_way(pod, self.changed(pod))
        if patch:
            described["pod"] = patch
        for obj in self.put:
            before = known(obj)
            if before is None:
                described.setdefault("add", []).append(_plain(obj))
            else:
                patch = merge_patch.two_way(_plain(before), _plain(obj))
                described.setdefault("change", []).append({**_reference(obj), "patch": patch})
        if self.remove:
            described["remove"] = [_reference(obj) for obj in self.remove]
        return described


NOTHING: Final = Edit()

_OWN: Final = ("creationTimestamp", "managedFields", "resourceVersion", "uid")


def of_pod(change: PodChange) -> Edit:
    """A change of the pod alone."""
    return Edit(pod_changes=(change,))


def with_spec(pod: Json, **fields: Any) -> Json:
    """A copy of an object with other fields in its spec; None takes a field away."""
    spec = {**pod.get("spec", {}), **fields}
    return {**pod, "spec": {name: value for name, value in spec.items() if value is not None}}


def _plain(obj: Json) -> Json:
    """An object as a person would write it."""
    metadata = {name: value for name, value in obj["metadata"].items() if name not in _OWN}
    return {**obj, "metadata": metadata}


def _reference(obj: Json) -> Json:
    metadata = obj["metadata"]
    found = {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "name": metadata["name"]}
    if metadata.get("namespace"):
        found["namespace"] = metadata["namespace"]
    return found
