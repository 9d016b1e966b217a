"""All that is wrong with manifests: syntax, kinds, fields, types, the API's rules, duplicates."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.cli import loading
from kubestage.errors import InputError
from kubestage.objects import defaulting, field_check, strategy
from kubestage.objects.validation import rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.objects import kinds, manifest

    Names = dict[tuple[str, str, str, str], manifest.Document]


# The server gives every object one before it judges it, and some rules look at it.
_UID: Final = "00000000-0000-0000-0000-000000000000"


@dataclasses.dataclass(slots=True)
class Report:
    """What a check found: how many objects in how many files, and every problem."""

    files: int
    objects: int
    invalid: int
    problems: list[InputError]


def check(names: Sequence[str]) -> Report:
    """Check every object in files, directories and stdin."""
    loaded = loading.load(names)
    problems = list(loaded.problems)
    bad = set(loaded.bad)
    for source, locator in loaded.locators.items():
        for key, line in locator.duplicate_keys():
            problem = f'key "{key}" is set twice'
            problems.append(InputError(problem, file=source, line=line, fix="keep one of them"))
            bad.add((source, 0, ""))
    names_seen: Names = {}
    for document in loaded.documents:
        found = list(_check(loaded, document, names_seen))
        if found:
            bad.add((document.source, document.index, document.path))
            problems += found
    places = {(each.source, each.index, each.path) for each in loaded.documents} | bad
    order = {source: position for position, source in enumerate(loaded.locators)}
    problems.sort(key=lambda problem: (order.get(problem.file or "", -1), problem.line or 0))
    return Report(len(loaded.locators), len(places), len(bad), problems)


def _check(
    loaded: loading.Loaded, document: manifest.Document, names_seen: Names
) -> Iterator[InputError]:
    try:
        kind = loading.kind_of(loaded, document)
    except InputError as error:
        yield error
        return
    misfits = field_check.misfits(document.object)
    for misfit in misfits:
        problem = InputError(misfit.problem, path=misfit.path, fix=misfit.fix)
        yield loaded.place(document, problem)
    if not misfits:
        yield from _broken_rules(loaded, document, kind)
    twin = _first_of_that_name(document, kind, names_seen)
    if twin is not None:
        first_line = loaded.locators[twin.source].line(twin)
        name = loading.named(document.object)[1]
        problem = InputError(
            f'{kind.singular} "{name}" is defined twice, first at {twin.source}:{first_line}',
            path="metadata.name",
            fix="rename one of them, or delete it",
        )
        yield loaded.place(document, problem)


def _broken_rules(
    loaded: loading.Loaded, document: manifest.Document, kind: kinds.Kind
) -> Iterator[InputError]:
    try:
        obj = defaulting.stored(document.object)
    except InputError as error:
        yield loaded.place(document, error)
        return
    metadata = dict(obj.get("metadata") or {})
    if kind.namespaced:
        metadata.setdefault("namespace", "default")
    else:
        metadata.pop("namespace", None)
    if metadata.get("generateName"):
        metadata.setdefault("name", f"{metadata['generateName']}xxxxx")
    metadata.setdefault("uid", _UID)
    prepared = strategy.prepare_for_create({**obj, "metadata": metadata})
    for broken in rules.validate_create(prepared):
        yield loaded.place(document, InputError(broken.body, path=broken.field))


def _first_of_that_name(
    document: manifest.Document, kind: kinds.Kind, names_seen: Names
) -> manifest.Document | None:
    """The earlier object of the same kind, namespace and name, if there is one."""
    namespace, name = loading.named(document.object)
    if not name:
        return None
    if kind.namespaced:
        namespace = namespace or "default"
    key = (kind.group, kind.kind, namespace, name)
    twin = names_seen.setdefault(key, document)
    return None if twin is document else twin
