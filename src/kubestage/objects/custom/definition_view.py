"""A definition as the API server works with it: what all versions share stands above them."""

from __future__ import annotations

from typing import Any

import msgspec

from kubestage.aliases import Json


class Parts(msgspec.Struct, frozen=True):
    """What a version, or all of them together, say about objects; None where nothing is said."""

    schema: Json | None = None
    subresources: Json | None = None
    columns: list[Json] | None = None
    selectable: list[Json] | None = None


class View(msgspec.Struct, frozen=True):
    """The versions of a definition: what they share, and what each says for itself."""

    shared: Parts
    versions: list[tuple[Json, Parts]]

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


def of(spec: Json) -> View:
    """The versions of a definition, with what all say alike told once."""
    versions: list[Json] = spec.get("versions") or []
    shared: dict[str, Any] = {}
    own: list[dict[str, Any]] = [{} for _ in versions]
    for key, name in _KEYS:
        values = [version.get(key) for version in versions]
        if values and all(value == values[0] for value in values):
            shared[name] = values[0]
        else:
            for parts, value in zip(own, values, strict=True):
                parts[name] = value
    return View(
        Parts(**shared),
        [(version, Parts(**parts)) for version, parts in zip(versions, own, strict=True)],
    )
