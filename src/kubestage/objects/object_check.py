"""All that is wrong with one object, as the API server would find it, with paths for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.objects import defaulting, field_check, strategy
from kubestage.objects.custom import rows
from kubestage.objects.validation import rules

# NOTE: few files have such kinds.
with lazy.imports():
    from kubestage.objects.custom import file_check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects import kinds


# The server gives every object one before it validates it, and some rules read it.
_UID: Final = "00000000-0000-0000-0000-000000000000"


def problems(obj: Json, kind: kinds.Kind) -> list[InputError]:
    """Fields and types; if those are right, the rules of the kind. Paths begin at the object."""
    misfits = field_check.misfits(obj)
    if misfits:
        return [InputError(each.problem, path=each.path, fix=each.fix) for each in misfits]
    return list(broken_rules(obj, kind))


def broken_rules(obj: Json, kind: kinds.Kind) -> Iterator[InputError]:
    """Rules that an object of the right shape breaks, once it is completed as on create."""
    if kind.definition is None and rows.are_custom(kind):
        yield from file_check.broken_rules(obj, kind)
        return
    try:
        obj = defaulting.stored(obj)
    except InputError as error:
        yield error
        return
    metadata = dict(obj.get("metadata") or {})
    if kind.namespaced:
        metadata.setdefault("namespace", "default")
    else:
        metadata.pop("namespace", None)
    if metadata.get("generateName"):
        metadata.setdefault("name", f"{metadata['generateName']}xxxxx")
    metadata.setdefault("uid", _UID)
    prepared = strategy.prepare_for_create(_with_addresses({**obj, "metadata": metadata}))
    for broken in rules.validate_create(prepared):
        yield InputError(broken.body, path=broken.field)


def _with_addresses(obj: Json) -> Json:
    """A Service with what the allocator makes of its first address: all of its addresses."""
    spec = obj.get("spec") or {}
    if (obj["apiVersion"], obj["kind"]) != ("v1", "Service") or spec.get("clusterIPs"):
        return obj
    first = spec.get("clusterIP")
    return {**obj, "spec": {**spec, "clusterIPs": [first]}} if first else obj
