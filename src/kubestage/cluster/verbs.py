"""What a call does to the store when it is served."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import ApiError, BadRequest, MethodNotAllowed, UnsupportedMediaType
from kubestage.objects import conversion
from kubestage.objects.patches import PatchType
from kubestage.store.deletion import DeleteOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.cluster.access import Call
    from kubestage.objects.kinds import Kind
    from kubestage.store.listing import ObjectList
    from kubestage.store.store import Store

_APPLY: Final = "application/apply-patch+yaml"
_MANAGER: Final = "clusterloader"
_PATCHES: Final = {each.value: each for each in PatchType}
_NO_PATCH: Final = (
    "the body of the request was in an unknown format - accepted media types include: "
    "application/json-patch+json, application/merge-patch+json, "
    "application/strategic-merge-patch+json, application/apply-patch+yaml"
)
_NO_VERB: Final = "the server does not allow this method on the requested resource"


def carry_out(store: Store, call: Call) -> tuple[Json | None, ApiError | None]:
    """The object or list that answers a call, or the error that refuses it."""
    try:
        row = store.kind((call.resource.api_version, call.resource.kind))
        verb = _VERBS.get(call.verb)
        if verb is None:
            raise MethodNotAllowed(_NO_VERB)
        return verb(store, row, call), None
    except ApiError as refusal:
        return None, refusal


def _create(store: Store, row: Kind, call: Call) -> Json:
    body = _object(call)
    created = store.create(body, kind=row, namespace=call.namespace or None)
    return conversion.to_served(row, created)


def _get(store: Store, row: Kind, call: Call) -> Json:
    return conversion.to_served(row, store.get(row, call.name, call.namespace or None))


def _list(store: Store, row: Kind, call: Call) -> Json:
    found = store.list(
        row,
        call.namespace or None,
        label_selector=call.label_selector,
        field_selector=call.field_selector,
    )
    return _listed(row, found)


def _update(store: Store, row: Kind, call: Call) -> Json:
    body = _object(call)
    updated = store.update(body, kind=row, name=call.name or None, namespace=call.namespace or None)
    return conversion.to_served(row, updated)


def _patch(store: Store, row: Kind, call: Call) -> Json:
    namespace = call.namespace or None
    if call.patch_type == _APPLY:
        applied = store.apply(row, call.name, _object(call), namespace, manager=_MANAGER)
        return conversion.to_served(row, applied.object)
    patch_type = _PATCHES.get(call.patch_type)
    if patch_type is None:
        raise UnsupportedMediaType(_NO_PATCH)
    patched = store.patch(row, call.name, call.body, namespace, patch_type=patch_type)
    return conversion.to_served(row, patched)


def _delete(store: Store, row: Kind, call: Call) -> Json:
    done = store.delete(row, call.name, call.namespace or None, _delete_options(call))
    if not done.removed:
        return conversion.to_served(row, done.object)
    details: Json = {"name": call.name}
    if row.group:
        details["group"] = row.group
    details |= {"kind": row.plural, "uid": done.object["metadata"].get("uid", "")}
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": details,
    }


def _delete_collection(store: Store, row: Kind, call: Call) -> Json:
    found = store.delete_collection(
        row,
        call.namespace or None,
        _delete_options(call),
        label_selector=call.label_selector,
        field_selector=call.field_selector,
    )
    return _listed(row, found)


_VERBS: Final[dict[str, Callable[[Store, Kind, Call], Json]]] = {
    "create": _create,
    "get": _get,
    "list": _list,
    "update": _update,
    "patch": _patch,
    "delete": _delete,
    "deletecollection": _delete_collection,
}


def _object(call: Call) -> Json:
    if not isinstance(call.body, dict):
        raise BadRequest(f"the body of a {call.verb} is an object, not {call.body!r}")
    body: Json = call.body
    return body


def _delete_options(call: Call) -> DeleteOptions:
    """The policy of the call, or that of its body, which is DeleteOptions."""
    options = call.body if isinstance(call.body, dict) else {}
    preconditions = options.get("preconditions") or {}
    return DeleteOptions(
        grace_period_seconds=options.get("gracePeriodSeconds"),
        propagation_policy=call.propagation or options.get("propagationPolicy"),
        uid=preconditions.get("uid"),
        resource_version=preconditions.get("resourceVersion"),
    )


def _listed(row: Kind, found: ObjectList) -> Json:
    items = found.items
    if conversion.is_view(row):
        items = [conversion.to_served(row, item) for item in items]
    return {
        "kind": row.list_kind,
        "apiVersion": row.api_version,
        "metadata": {"resourceVersion": found.resource_version},
        "items": items,
    }
