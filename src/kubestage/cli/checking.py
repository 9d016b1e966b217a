"""All that is wrong with manifests: syntax, kinds, fields, types, the API's rules, duplicates."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kubestage.cli import loading
from kubestage.errors import InputError
from kubestage.objects import object_check
from kubestage.scenario import resource

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.objects import kinds, manifest

    Names = dict[tuple[str, str, str, str], manifest.Document]


@dataclasses.dataclass(slots=True)
class Report:
    """What a check found: how many objects in how many files, and every problem.

    `warnings` are about what is allowed, and yet hardly meant.
    """

    files: int
    objects: int
    invalid: int
    problems: list[InputError]
    warnings: list[InputError]


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
    warnings = [each for document in loaded.documents for each in _doubts(loaded, document)]
    for found in (problems, warnings):
        found.sort(key=lambda problem: (order.get(problem.file or "", -1), problem.line or 0))
    return Report(len(loaded.locators), len(places), len(bad), problems, warnings)


def _doubts(loaded: loading.Loaded, document: manifest.Document) -> list[InputError]:
    if not resource.is_scenario(document.object):
        return []
    return [loaded.place(document, doubt) for doubt in resource.doubts(document.object)]


def _check(
    loaded: loading.Loaded, document: manifest.Document, names_seen: Names
) -> Iterator[InputError]:
    try:
        kind = loading.kind_of(loaded, document)
    except InputError as error:
        yield error
        return
    if resource.is_scenario(document.object):
        problems = resource.problems(document.object, loaded.table)
    else:
        problems = object_check.problems(document.object, kind)
    for problem in problems:
        yield loaded.place(document, problem)
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
