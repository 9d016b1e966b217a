"""The kind table: one row a kind, and everything that depends on kinds derives from it.

A `KindTable` starts with the built-in rows; a CustomResourceDefinition adds a row while a stage
runs, so each store holds its own table.
"""

from __future__ import annotations

import dataclasses
import difflib
from typing import TYPE_CHECKING, Any

from kubestage.errors import InputError
from kubestage.objects import kind_rows

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclasses.dataclass(frozen=True, slots=True)
class Kind:
    """One row: how a kind is named, scoped and addressed.

    `definition` is the version entry of the CustomResourceDefinition that added the row, with
    its schema, subresources and printer columns; None for built-in kinds. `stored_as` is the
    apiVersion and kind of the row whose objects this one shows, if it has none of its own (see
    ``conversion``).
    """

    group: str
    version: str
    kind: str
    plural: str
    singular: str
    namespaced: bool
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: frozenset[str] = frozenset()
    definition: dict[str, Any] | None = dataclasses.field(default=None, compare=False)
    stored_as: tuple[str, str] | None = None

    @property
    def api_version(self) -> str:
        """``apps/v1``, or ``v1`` for the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def resource(self) -> str:
        """``deployments.apps``, as error messages and kubectl name a kind."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def list_kind(self) -> str:
        """The kind of a list of these."""
        return f"{self.kind}List"


def _parse_row(line: str) -> Kind:
    def words(text: str) -> tuple[str, ...]:
        return () if text == "-" else tuple(text.split(","))

    api_version, kind, plural, scope, short_names, categories, subresources = line.split()
    group, _, version = api_version.rpartition("/")
    return Kind(
        group=group,
        version=version,
        kind=kind,
        plural=plural,
        singular=kind.lower(),
        namespaced=scope == "namespaced",
        short_names=words(short_names),
        categories=words(categories),
        subresources=frozenset(words(subresources)),
        stored_as=kind_rows.STORED_AS.get((api_version, kind)),
    )


BUILT_IN: tuple[Kind, ...] = tuple(
    _parse_row(line) for line in kind_rows.BUILT_IN.split("\n")[1:-1]
)

_BY_TYPE = {(row.api_version, row.kind): row for row in BUILT_IN}


def stored(row: Kind) -> Kind:
    """The row under which the objects of a row are stored: mostly itself."""
    if row.stored_as is None:
        return row
    if row.definition is None:
        return _BY_TYPE[row.stored_as]
    # Another version of the same definition, which need not be served.
    return dataclasses.replace(row, version=row.stored_as[0].rpartition("/")[2], stored_as=None)


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

    def of(self, obj: dict[str, Any]) -> Kind:
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
        """Kinds that a person means by a name: ``po``, ``pod``, ``deployments.apps``, ``all``."""
        wanted = name.lower()
        found = tuple(
            row
            for row in self
            if wanted in (row.plural, row.singular, row.kind.lower(), *row.short_names)
            or wanted in (row.resource, f"{row.singular}.{row.group}", _qualified_name(row))
        )
        if not found:
            found = tuple(row for row in self if wanted in row.categories)
        if found:
            # Two views of one kind are asked for by name.
            return tuple(row for row in found if row.stored_as is None) or found
        names = [each for row in self for each in (row.plural, row.singular, *row.short_names)]
        near = difflib.get_close_matches(wanted, names, n=1)
        raise InputError(
            f'the cluster has no kind "{name}"',
            fix=f"did you mean {near[0]}?" if near else "see `kubestage get --help` for kinds",
        )

    def copy(self) -> KindTable:
        """A table with the same rows, which may then go its own way."""
        table = KindTable()
        for row in self:
            table._add(row)
        return table

    def register(self, definition: dict[str, Any]) -> tuple[Kind, ...]:
        """Add the rows of a CustomResourceDefinition, one a served version."""
        spec = definition["spec"]
        names = spec["names"]
        stored_as = [
            (f"{spec['group']}/{each['name']}", names["kind"])
            for each in spec["versions"]
            if each.get("storage")
        ]
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
            )
            self._add(row)
            added.append(row)
        return tuple(added)

    def unregister(self, definition: dict[str, Any]) -> None:
        """Take the rows of a CustomResourceDefinition away again; built-in kinds stay."""
        spec = definition["spec"]
        for version in spec["versions"]:
            row = self._by_type.pop(
                (f"{spec['group']}/{version['name']}", spec["names"]["kind"]), None
            )
            if row is None:
                continue
            del self._by_plural[row.group, row.version, row.plural]
            for built_in in BUILT_IN:
                if (built_in.api_version, built_in.kind) == (row.api_version, row.kind):
                    self._add(built_in)

    def _add(self, row: Kind) -> None:
        self._by_type[row.api_version, row.kind] = row
        self._by_plural[row.group, row.version, row.plural] = row


def _qualified_name(row: Kind) -> str:
    """``deployments.v1.apps``: the fully qualified name that kubectl takes."""
    return f"{row.plural}.{row.version}.{row.group}"
