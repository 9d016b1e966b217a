"""A definition as the API server works with it: what all versions share stands above them."""

from __future__ import annotations

from typing import Any

import msgspec

from kubestage.aliases import Json


class VersionParts(msgspec.Struct, frozen=True):
    """What a version, or all of them together, define for objects; None where nothing is set."""

    schema: Json | None = None
    subresources: Json | None = None
    columns: list[Json] | None = None
    selectable: list[Json] | None = None


class DefinitionView(msgspec.Struct, frozen=True):
    """The versions of a definition: what they share, and what each sets for itself."""

    shared: VersionParts
    versions: list[tuple[Json, VersionParts]]

    @property
    def rendered(self) -> list[Json]:
        """The versions as messages show them: without what they share."""
        return [
            {
                **{name: version.get(name) for name in ("name", "served", "storage")},
                "deprecated": version.get("deprecated") or False,
                "deprecationWarning": version.get("deprecationWarning"),
                "schema": parts.schema,
                "subresources": parts.subresources,
                "additionalPrinterColumns": parts.columns,
                "selectableFields": parts.selectable,
            }
            for version, parts in self.versions
        ]


_KEYS = (
    ("schema", "schema"),
    ("subresources", "subresources"),
    ("additionalPrinterColumns", "columns"),
    ("selectableFields", "selectable"),
)


def view_of(spec: Json) -> DefinitionView:
    """The versions of a definition, with what all have in common moved to the top."""
    versions: list[Json] = spec.get("versions") or []
    shared: dict[str, Any] = {}
    parts_by_version: list[dict[str, Any]] = [{} for _ in versions]
    for key, name in _KEYS:
        values = [version.get(key) for version in versions]
        if values and all(value == values[0] for value in values):
            shared[name] = values[0]
        else:
            for parts, value in zip(parts_by_version, values, strict=True):
                parts[name] = value
    return DefinitionView(
        VersionParts(**shared),
        [
            (version, VersionParts(**parts))
            for version, parts in zip(versions, parts_by_version, strict=True)
        ],
    )
