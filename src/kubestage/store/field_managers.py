"""Field managers: who owns the fields of a write, and how that is recorded.

A write that names no manager is one of the simulation's own. It is not tracked, unless a manager
else's writes of the object are.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import conversion, own_definitions, schema, shape
from kubestage.objects.ownership import api_types, definitions, filters, topology, tracking
from kubestage.objects.ownership.updating import Other, OwnershipView
from kubestage.store import policies, sharing

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.objects.ownership.topology import Atom
    from kubestage.store.core import Core


# The shapes of definitions, by identity: a definition that changes is another object.
_defined: Final[dict[int, tuple[Json, Atom]]] = {}
_MOST_DEFINED: Final = 256
_ENTRIES: Final = "/metadata/managedFields"


def shape_of(kind: Kind) -> Atom:
    """The shape by which objects of a kind are merged."""
    version = own_definitions.version(kind)
    if version is None:
        struct = schema.kind_struct(kind.api_version, kind.kind) or schema.own_struct(
            kind.api_version, kind.kind
        )
        return topology.DEDUCED if struct is None else api_types.of_struct(struct.name)
    known = _defined.get(id(version))
    if known is None or known[0] is not version:
        if len(_defined) >= _MOST_DEFINED:
            _defined.clear()
        known = _defined[id(version)] = (version, definitions.of_version(version))
    return known[1]


def _other(core: Core, kind: Kind, api_version: str) -> Other | None:
    row = core.kinds.get(api_version, kind.kind)
    return None if row is None else Other(shape_of(row), functools.partial(_converted, kind, row))


def _converted(kind: Kind, row: Kind, obj: Json) -> Json:
    """An object of a kind as another row shows it."""
    return conversion.to_served(row, conversion.to_stored(kind, obj))


def view(core: Core, kind: Kind, subresource: str) -> OwnershipView:
    """How a request to a kind, or to a subresource of it, sees its objects."""
    found = filters.of_request(
        kind.behavior,
        subresource,
        has_status="status" in kind.subresources,
        is_custom=policies.is_custom(kind),
    )
    other = functools.partial(_other, core, kind)
    return OwnershipView(
        kind.api_version, shape_of(kind), found, other, stable=kind.definition is None
    )


def empty(kind: Kind) -> Json:
    """An empty object of a kind: a custom resource has no fields then."""
    named: Json = {"apiVersion": kind.api_version, "kind": kind.kind}
    if policies.is_custom(kind):
        return named
    return {**_zero(kind.api_version, kind.kind), **named}


@functools.cache
def _zero(api_version: str, kind: str) -> Json:
    struct = schema.kind_struct(api_version, kind)
    assert struct is not None
    return shape.normalize({}, struct)


def sent(obj: Json) -> Any:
    """The managedFields that a request holds, as it wrote them."""
    metadata = obj.get("metadata")
    return metadata.get("managedFields") if isinstance(metadata, dict) else None


def is_patched(patch: Any) -> bool:
    """Whether a patch may touch the managedFields of an object."""
    if isinstance(patch, dict):
        return sent(patch) is not None
    if not isinstance(patch, list):
        return False
    places = [
        str(operation.get(name, "/"))
        for operation in patch
        if isinstance(operation, dict)
        for name in ("path", "from")
    ]
    return any(at in ("", "/metadata") or at.startswith(_ENTRIES) for at in places)


def with_entries(obj: Json, entries: list[Json]) -> Json:
    """The object with these managedFields, or with none."""
    bare = tracking.without_entries(obj)
    if not entries:
        return bare
    return {**bare, "metadata": {**(bare.get("metadata") or {}), "managedFields": entries}}


def created(core: Core, kind: Kind, obj: Json, sent: Any, manager: str, now: str) -> Json:
    """A new object, defaulted, with all its fields owned by its creator."""
    writer = tracking.Writer(manager, "", now)
    seen = view(core, kind, "")
    return with_entries(
        obj, tracking.updated(seen, empty(kind), obj, writer, sent=sent, fresh=True)
    )


def updated(
    core: Core,
    kind: Kind,
    existing: Json,
    obj: Json,
    sent: Any,
    manager: str,
    subresource: str,
    now: str,
) -> Json:
    """The next version of an object, defaulted, with what it changes owned by who wrote it."""
    if (not manager or sent is None) and "managedFields" not in existing["metadata"]:
        return obj
    writer = tracking.Writer(manager or core.component, subresource, now)
    seen = view(core, kind, subresource)
    return with_entries(obj, tracking.updated(seen, existing, obj, writer, sent=sent))


def settled(new: Json, old: Json) -> Json:
    """A version that differs from the old one by nothing but times of managers differs in nothing.

    Otherwise a write of what is there already would make a new version each time.
    """
    mine, theirs = new["metadata"].get("managedFields"), old["metadata"].get("managedFields")
    if not mine or not theirs or len(mine) != len(theirs) or mine == theirs:
        return new
    if any(_untimed(one) != _untimed(other) for one, other in zip(mine, theirs, strict=True)):
        return new
    version = old["metadata"].get("resourceVersion")
    timed = {**new["metadata"], "managedFields": theirs, "resourceVersion": version}
    candidate = {**new, "metadata": timed}
    return candidate if sharing.same(candidate, old) else new


def _untimed(entry: Json) -> Json:
    return {name: value for name, value in entry.items() if name != "time"}
