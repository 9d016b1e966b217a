"""A call as HTTP has it: method, path, body."""

from __future__ import annotations

import urllib.parse
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import MethodNotAllowed

if TYPE_CHECKING:
    from kubestage.cluster.access import Call, Selection
    from kubestage.remote.discovery import Place

PAGE: Final = 500
_METHODS: Final = {
    "create": "POST",
    "get": "GET",
    "list": "GET",
    "update": "PUT",
    "patch": "PATCH",
    "delete": "DELETE",
    "deletecollection": "DELETE",
}
_COLLECTIONS: Final = ("create", "list", "deletecollection")
_APPLY: Final = "application/apply-patch+yaml"
_MANAGER: Final = "clusterloader"
_JSON: Final = "application/json"


class Message(msgspec.Struct, frozen=True):
    """One request."""

    method: str
    path: str
    body: bytes | None
    content: str = _JSON


def message(call: Call, place: Place) -> Message:
    """The request that a call is."""
    method = _METHODS.get(call.verb)
    if method is None:
        raise MethodNotAllowed(f"there is no verb {call.verb!r}")
    is_collection = call.verb in _COLLECTIONS
    name = "" if is_collection else call.name or _meta(call.body, "name")
    path = place.path(_namespace(call), urllib.parse.quote(name, safe=""))
    if call.verb == "deletecollection":
        path += query(call)
    content = call.patch_type if call.verb == "patch" else _JSON
    if content == _APPLY and call.verb == "patch":
        path += f"?fieldManager={_MANAGER}"
    return Message(method, path, _body(call), content)


def query(selection: Call | Selection, **more: str | int) -> str:
    """The query of a selection: its selectors, and other parameters."""
    pairs = {
        "labelSelector": selection.label_selector,
        "fieldSelector": selection.field_selector,
        **more,
    }
    text = urllib.parse.urlencode({key: value for key, value in pairs.items() if value != ""})
    return f"?{text}" if text else ""


def _namespace(call: Call) -> str:
    """Where the object is; as with kubectl, an object without a namespace is in ``default``."""
    if call.namespace or call.verb in ("list", "deletecollection"):
        return call.namespace
    return _meta(call.body, "namespace") or "default"


def _meta(body: Any, key: str) -> str:
    meta = body.get("metadata") if isinstance(body, dict) else None
    return str(meta.get(key) or "") if isinstance(meta, dict) else ""


def _body(call: Call) -> bytes | None:
    if call.verb in ("get", "list"):
        return None
    if call.verb not in ("delete", "deletecollection"):
        return call.body if isinstance(call.body, bytes) else msgspec.json.encode(call.body)
    options = dict(call.body) if isinstance(call.body, dict) else {}
    if call.propagation:
        options["propagationPolicy"] = call.propagation
    if not options:
        return None
    return msgspec.json.encode({"kind": "DeleteOptions", "apiVersion": "v1", **options})
