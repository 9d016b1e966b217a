"""Views of kinds, as requests to them have."""

from __future__ import annotations

from typing import Any

from kubestage.objects import schema, shape
from kubestage.objects.kinds import loader
from kubestage.objects.ownership import api_types, filters
from kubestage.objects.ownership.updating import Other, OwnershipView


def no_other(_api_version: str) -> Other | None:
    return None


def view(api_version: str, kind: str, subresource: str = "") -> OwnershipView:
    struct = schema.kind_struct(api_version, kind)
    assert struct is not None
    found = filters.of_request(
        loader.behavior(api_version, kind),
        subresource,
        has_status="status" in struct.by_json,
        is_custom=False,
    )
    return OwnershipView(api_version, api_types.of_struct(struct.name), found, no_other)


def empty(api_version: str, kind: str) -> dict[str, Any]:
    struct = schema.kind_struct(api_version, kind)
    assert struct is not None
    return {**shape.normalize({}, struct), "apiVersion": api_version, "kind": kind}
