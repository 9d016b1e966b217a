"""Objects that are answered and never kept: reviews, token requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.objects import schema, shape, timestamps
from kubestage.objects.ownership import api_types, comparing, field_set, managers
from kubestage.objects.validation import status
from kubestage.server import negotiation
from kubestage.server.response import JSON, YAML, Response

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.server.live import Live
    from kubestage.server.negotiation import ResponseForm

# Fields that a client may send of an object that is not there yet, and that are ignored.
_IGNORED: Final = (
    "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "managedFields",
    "selfLink", "uid",
)  # fmt: skip
# What belongs to no manager.
_UNOWNED: Final = ("generation", "name", "namespace", "resourceVersion", "uid")


def prepared(obj: Json, namespace: str, *, ignored: Iterable[str] = _IGNORED) -> Json:
    """An object from a body in the shape of its kind, in the namespace of its path."""
    shaped = shape.normalize(obj)
    metadata = {
        name: value for name, value in shaped["metadata"].items() if name not in set(ignored)
    }
    body_namespace = metadata.pop("namespace", "")
    if body_namespace and namespace and body_namespace != namespace:
        raise status.namespace_mismatch()
    if namespace:
        metadata["namespace"] = namespace
    return {**shaped, "metadata": metadata}


def tracked(live: Live, obj: Json, manager: str, subresource: str = "") -> Json:
    """The object with the fields that its sender set, as those of a manager."""
    api_version, kind = obj["apiVersion"], obj["kind"]
    struct = schema.kind_struct(api_version, kind)
    assert struct is not None, "kinds that are answered are in the type table"
    blank = shape.normalize({"apiVersion": api_version, "kind": kind})
    atom = api_types.of_struct(struct.name)
    found = comparing.compare(atom, _owned(blank), _owned(obj))
    fields = field_set.union(found.modified, found.added)
    if not fields:
        return obj
    who = managers.identify(manager, managers.UPDATE, api_version, subresource)
    now = timestamps.format_time(live.stage.clock.unix_ns)
    entries = managers.encode({who: managers.Owned(fields, api_version, now)})
    return {**obj, "metadata": {**obj["metadata"], "managedFields": entries}}


def _owned(obj: Json) -> Json:
    parts = {name: part for name, part in obj.items() if name not in ("apiVersion", "kind")}
    metadata = obj["metadata"]
    parts["metadata"] = {name: metadata[name] for name in metadata if name not in _UNOWNED}
    return parts


def respond(obj: Json, form: ResponseForm, headers: Iterable[tuple[bytes, bytes]] = ()) -> Response:
    """The answer to a POST that made nothing."""
    shown = shape.normalize(obj)
    if form.media_type == negotiation.YAML:
        return Response(201, msgspec.yaml.encode(shown, order="sorted"), YAML, headers)
    return Response(201, msgspec.json.encode(shown), JSON, headers)
