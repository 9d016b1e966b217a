"""A request through the vocabulary, as a server would pass it: decode, default, prepare, judge."""

from __future__ import annotations

from typing import Any

import msgspec

from kubestage.objects import decode, defaulting, kinds, strategy, warnings
from kubestage.objects.validation import capabilities, rules, status

NOW = "2026-01-01T00:00:00Z"
UID = "00000000-0000-0000-0000-000000000001"

_NAMESPACED = {(row.api_version, row.kind): row.namespaced for row in kinds.BUILT_IN}


def create(request: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The stored object and the warnings, or an ApiError."""
    text = request.get("body")
    body = msgspec.json.encode(request["object"]) if text is None else text.encode()
    kind = (request["apiVersion"], request["kind"])
    decoded = decode.decode(body, *kind, field_validation=request["fieldValidation"])
    obj = strategy.wipe_system_fields(defaulting.stored(decoded.object, now=NOW))
    meta = obj["metadata"]
    _set_namespace(meta, request.get("namespace") or "" if _NAMESPACED[kind] else "")
    meta |= {"uid": UID, "creationTimestamp": NOW}
    prepared = strategy.prepare_for_create(obj, now=NOW)
    # As recorded: the server ran without --allow-privileged.
    with capabilities.privileged_pods(allowed=False):
        problems = rules.validate_create(prepared)
    if problems:
        raise status.invalid(prepared, problems)
    found = [*decoded.warnings, *warnings.on_create(prepared, obj)]
    stored = strategy.canonicalize(prepared)
    stored["metadata"].pop("creationTimestamp")
    return stored, found


def _set_namespace(meta: dict[str, Any], namespace: str) -> None:
    given = meta.get("namespace")
    if given and namespace and given != namespace:
        raise status.namespace_mismatch()
    if namespace:
        meta["namespace"] = namespace
    else:
        meta.pop("namespace", None)


def update(request: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """As `create`, for an object that replaces another one."""
    new = defaulting.stored(request["new"], now=NOW)
    old = defaulting.stored(request["old"], now=NOW)
    subresource = request.get("subresource") or ""
    prepared = strategy.prepare_for_update(new, old, subresource, now=NOW)
    with capabilities.privileged_pods(allowed=False):
        problems = rules.validate_update(prepared, old, subresource)
    if problems:
        raise status.invalid(prepared, problems)
    return strategy.canonicalize(prepared), warnings.on_update(prepared, old, subresource)
