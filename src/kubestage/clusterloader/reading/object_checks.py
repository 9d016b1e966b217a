"""Checks of the objects that templates make: what an API server would refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.cluster.access import Resource
from kubestage.errors import InputError
from kubestage.objects import field_check, object_check
from kubestage.objects.kinds import built_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind


def check_twins(path: str, objects: Sequence[Json]) -> None:
    """Refuse two objects of one kind in a template: a replica has one name."""
    resources = [Resource.of(obj) for obj in objects]
    for resource in resources:
        if resources.count(resource) > 1:
            raise InputError(
                f"two objects of kind {resource.kind} in one template",
                file=path,
                fix="a replica has one name, so each kind can be there once",
            )


def lacks_namespace(obj: Json, namespace: str) -> bool:
    """Whether an object is in a namespace and none is named; custom resources are not known."""
    row = built_in(str(obj["apiVersion"]), str(obj["kind"]))
    return row is not None and row.namespaced and not namespace


def problems(obj: Json, namespace: str, name: str, *, is_new: bool) -> Iterator[str]:
    """What an API server would refuse; only objects that are created have to be complete.

    Nothing is known about custom resources.
    """
    api_version, kind = str(obj["apiVersion"]), str(obj["kind"])
    row = built_in(api_version, kind)
    if row is None:
        return
    misfits = [each for each in field_check.misfits(obj) if not each.is_unknown]
    for each in misfits:
        yield f"{each.path}: {each.problem}"
    if misfits:
        return
    stated = (obj.get("metadata") or {}).get("namespace")
    if lacks_namespace(obj, namespace):
        yield f"{kind} is in a namespace, and its phase names none (add a namespaceRange)"
    elif row.namespaced and stated and stated != namespace:
        yield f"metadata.namespace: {stated!r} is not {namespace!r}, which the phase names"
    elif is_new:
        yield from _broken_rules(obj, row, namespace, name)


def _broken_rules(obj: Json, row: Kind, namespace: str, name: str) -> Iterator[str]:
    metadata = {**(obj.get("metadata") or {}), "name": name, "namespace": namespace}
    for error in object_check.broken_rules({**obj, "metadata": metadata}, row):
        where = f"{error.path}: " if error.path else ""
        yield f"{where}{error.problem}"
