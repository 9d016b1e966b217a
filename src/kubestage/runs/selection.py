"""Which objects are meant: kinds, names, namespace, selectors."""

from __future__ import annotations

import difflib
import pathlib
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.errors import BadRequest, InputError
from kubestage.objects import fields, labels
from kubestage.runs.inputs import sources
from kubestage.store import selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.objects import kinds


class ObjectRequest(msgspec.Struct, frozen=True):
    """One kind and the names of its objects; no names means all."""

    kind: kinds.Kind
    names: tuple[str, ...] = ()


def files_among(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names, and what is a manifest: a shell turns ``-f *.yaml`` into one file and many names."""
    files = [name for name in names if name.endswith(sources.SUFFIXES) and _is_file(name)]
    return [name for name in names if name not in files], files


def _is_file(name: str) -> bool:
    return pathlib.Path(name).is_file()


def requests(words: Sequence[str], table: kinds.KindTable) -> list[ObjectRequest]:
    """What ``pods,svc``, ``all``, ``pod web-1 web-2`` or ``pod/web-1 svc/web`` select."""
    if any("/" in word for word in words):
        return [_slashed(word, table) for word in words]
    found: list[ObjectRequest] = []
    for name in words[0].split(","):
        if name:
            rows = _rows(name, table)
            found += [ObjectRequest(row, tuple(words[1:])) for row in rows]
    if not found:
        raise InputError("no kind named", fix="name one, as in `kubestage get pods`")
    unique = {(request.kind.group, request.kind.kind): request for request in found}
    return list(unique.values())


def _slashed(word: str, table: kinds.KindTable) -> ObjectRequest:
    kind, slash, name = word.partition("/")
    if not slash or not kind or not name:
        raise InputError(
            f'"{word}" stands beside names of the form KIND/NAME',
            fix="write every object as KIND/NAME, or one kind and then names",
        )
    return ObjectRequest(_rows(kind, table)[0], (name,))


def _rows(name: str, table: kinds.KindTable) -> list[kinds.Kind]:
    """One row, or all of a category in the order of the API's groups."""
    rows = table.find(name)
    if name.lower() not in rows[0].categories or len(rows) == 1:
        return [rows[0]]
    return sorted(rows, key=lambda row: (row.group, row.plural))


class Filters(msgspec.Struct, frozen=True):
    """What an object must have: a namespace (None means any), labels, fields."""

    namespace: str | None
    label_selector: str = ""
    field_selector: str = ""

    def keep(self, kind: kinds.Kind, objects: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """The objects of a kind that pass."""
        namespace = self.namespace if kind.namespaced else None
        selector = selection.parse(
            kind, namespace, self._checked_labels(), self._checked_fields(kind)
        )
        return [obj for obj in objects if selector.matches(obj)]

    def _checked_labels(self) -> str:
        try:
            labels.parse(self.label_selector)
        except ValueError as error:
            fix = "selectors look like app=web,tier in (a,b),!canary"
            raise InputError(str(error), path="--selector", fix=fix) from None
        return self.label_selector

    def _checked_fields(self, kind: kinds.Kind) -> str:
        try:
            selection.parse(kind, None, "", self.field_selector)
        except BadRequest as error:
            known = ", ".join(sorted(fields.selectable_fields(kind.api_version, kind.kind)))
            fix = f"{kind.plural} can be selected by {known}"
            raise InputError(error.message, path="--field-selector", fix=fix) from None
        return self.field_selector


def _namespace(obj: dict[str, Any]) -> str:
    return str(obj["metadata"].get("namespace", ""))


def pick(request: ObjectRequest, objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The named objects in the order of the names, or all by namespace and name."""
    if not request.names:
        return sorted(objects, key=lambda obj: (_namespace(obj), obj["metadata"].get("name", "")))
    by_name = {obj["metadata"].get("name", ""): obj for obj in objects}
    for name in request.names:
        if name not in by_name:
            near = difflib.get_close_matches(name, by_name, n=1)
            raise InputError(
                f'{request.kind.resource} "{name}" not found',
                fix=f"did you mean {near[0]}?" if near else _elsewhere(request),
            )
    return [by_name[name] for name in request.names]


def _elsewhere(request: ObjectRequest) -> str:
    where = "another namespace (-n)" if request.kind.namespaced else "another file (-f)"
    return f"see `kubestage get {request.kind.plural}`, or look in {where}"
