"""The kind table: one row a kind, and everything that depends on kinds derives from it.

A `KindTable` starts with the built-in rows; a CustomResourceDefinition adds a row while a stage
runs, so each store holds its own table.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib.resources
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.objects.kinds.kind import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json


def _parse_row(line: str) -> tuple[str, Kind]:
    """A line of the index: a dash stands for none, and the first word names the module."""
    module, api_version, kind, plural, scope, *lists = line.split()
    short_names, categories, subresources, old_versions, stored_as = (
        () if text == "-" else tuple(text.split(",")) for text in lists
    )
    group, _, version = api_version.rpartition("/")
    row = Kind(
        group=group,
        version=version,
        kind=kind,
        plural=plural,
        namespaced=scope == "namespaced",
        short_names=short_names,
        categories=categories,
        subresources=frozenset(subresources),
        old_versions=old_versions,
        stored_as=(stored_as[0], kind) if stored_as else None,
    )
    return module, row


_INDEX: Final = importlib.resources.files(__package__ or "").joinpath("index.txt").read_text()
_ROWS: Final = tuple(map(_parse_row, _INDEX.splitlines()))
BUILT_IN: Final = tuple(row for _, row in _ROWS)
"""The built-in kinds, exact to Kubernetes v1.36; ours come last."""
MODULES: Final = {(row.api_version, row.kind): module for module, row in _ROWS}
"""The module that declares each built-in kind, by apiVersion and kind."""
_BY_TYPE: Final = {(row.api_version, row.kind): row for row in BUILT_IN}


def built_in(api_version: str, kind: str) -> Kind | None:
    """The built-in row of a type, or None."""
    return _BY_TYPE.get((api_version, kind))


def stored(row: Kind) -> Kind:
    """The row under which the objects of a row are stored: mostly itself."""
    if row.stored_as is None:
        return row
    if row.definition is None:
        return _BY_TYPE[row.stored_as]
    # Another version of the same definition, which need not be served.
    version = row.stored_as[0].rpartition("/")[2]
    return dataclasses.replace(row, version=version, stored_as=None, declared=None)


class KindTable:
    """All kinds a cluster serves, found by type, by plural, or by what a person types."""

    def __init__(self) -> None:
        self._by_type = {(kind.api_version, kind.kind): kind for kind in BUILT_IN}
        self._by_plural = {(kind.group, kind.version, kind.plural): kind for kind in BUILT_IN}

    def __iter__(self) -> Iterator[Kind]:
        return iter(self._by_type.values())

    def get(self, api_version: str, kind: str) -> Kind | None:
        """The row of a type, or None."""
        return self._by_type.get((api_version, kind))

    def of(self, obj: Json) -> Kind:
        """The row of an object; InputError names the nearest kind when there is none."""
        api_version, kind = obj.get("apiVersion"), obj.get("kind")
        try:
            row = self._by_type.get((api_version, kind))  # type: ignore[arg-type] # a miss if not str
        except TypeError:
            # A list or an object cannot even be looked up.
            row = None
        if row is not None:
            return row
        for name, value in (("apiVersion", api_version), ("kind", kind)):
            if not isinstance(value, str) or not value:
                raise InputError(f"{name} is missing", path=name, fix=f"add {name}: to the object")
        same_kind = [row.api_version for row in self if row.kind == kind]
        if same_kind:
            raise InputError(
                f'no kind "{kind}" in apiVersion "{api_version}"',
                path="apiVersion",
                fix=f"did you mean {' or '.join(same_kind)}?",
            )
        near = difflib.get_close_matches(str(kind), {row.kind for row in self}, n=1)
        fix = f"did you mean {near[0]}?" if near else "is its CustomResourceDefinition loaded?"
        raise InputError(f'unknown kind "{kind}" in "{api_version}"', path="kind", fix=fix)

    def by_plural(self, group: str, version: str, plural: str) -> Kind | None:
        """The row behind an API path."""
        return self._by_plural.get((group, version, plural))

    def find(self, name: str) -> tuple[Kind, ...]:
        """Kinds by a name that a person types: ``po``, ``pod``, ``deployments.apps``, ``all``."""
        typed = name.lower()
        found = tuple(
            row
            for row in self
            if typed in (row.plural, row.singular, row.kind.lower(), *row.short_names)
            or typed in (row.resource, f"{row.singular}.{row.group}", _qualified_name(row))
        )
        if not found:
            found = tuple(row for row in self if typed in row.categories)
        if found:
            # A second view of a kind is found by its full name only.
            return tuple(row for row in found if row.stored_as is None) or found
        names = [each for row in self for each in (row.plural, row.singular, *row.short_names)]
        near = difflib.get_close_matches(typed, names, n=1)
        raise InputError(
            f'the cluster has no kind "{name}"',
            fix=f"did you mean {near[0]}?" if near else "see `kubestage get --help` for kinds",
        )

    def copy(self) -> KindTable:
        """A table with the same rows, which can then be changed."""
        table = KindTable()
        for row in self:
            table._add(row)
        return table

    def register(self, definition: Json) -> tuple[Kind, ...]:
        """Add the rows of a CustomResourceDefinition, one a served version."""
        spec = definition["spec"]
        names = spec["names"]
        stored_as = [
            (f"{spec['group']}/{each['name']}", names["kind"])
            for each in spec["versions"]
            if each.get("storage")
        ]
        conversion = spec.get("conversion") or {}
        webhook = conversion.get("webhook") if conversion.get("strategy") == "Webhook" else None
        added = []
        for version in spec["versions"]:
            if not version.get("served"):
                continue
            row = Kind(
                group=spec["group"],
                version=version["name"],
                kind=names["kind"],
                plural=names["plural"],
                singular=names.get("singular") or names["kind"].lower(),
                namespaced=spec.get("scope") == "Namespaced",
                short_names=tuple(names.get("shortNames") or ()),
                categories=tuple(names.get("categories") or ()),
                subresources=frozenset(version.get("subresources") or ()),
                definition=version,
                stored_as=None if version.get("storage") or not stored_as else stored_as[0],
                conversion_webhook=webhook,
            )
            self._add(row)
            added.append(row)
        return tuple(added)

    def unregister(self, definition: Json) -> None:
        """Take the rows of a CustomResourceDefinition away again; built-in kinds stay."""
        spec = definition["spec"]
        for version in spec["versions"]:
            row = self._by_type.pop(
                (f"{spec['group']}/{version['name']}", spec["names"]["kind"]), None
            )
            if row is None:
                continue
            del self._by_plural[row.group, row.version, row.plural]
            shadowed = built_in(row.api_version, row.kind)
            if shadowed is not None:
                self._add(shadowed)

    def _add(self, row: Kind) -> None:
        self._by_type[row.api_version, row.kind] = row
        self._by_plural[row.group, row.version, row.plural] = row


def _qualified_name(row: Kind) -> str:
    """``deployments.v1.apps``: the fully qualified name that kubectl takes."""
    return f"{row.plural}.{row.version}.{row.group}"
