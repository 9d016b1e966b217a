"""All that is wrong with files: manifests (syntax, kinds, fields, types, the API's rules,
duplicates), and what else commands read.
"""

from __future__ import annotations

import dataclasses
import pathlib
from typing import TYPE_CHECKING, Final

from kubestage.cli import file_checks
from kubestage.controllers.kwok import stage_check, stage_types
from kubestage.errors import InputError
from kubestage.objects import manifest, object_check
from kubestage.runs.inputs import annotation_check, file_kinds, loading, sources
from kubestage.runs.inputs.file_kinds import FileKind
from kubestage.scenario import resource
from kubestage.scheduler import config

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.objects import kinds
    from kubestage.runs.inputs.sources import Source

    Names = dict[tuple[str, str, str, str], manifest.Document]


_CONFIGURATION: Final = "KubeSchedulerConfiguration"


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


def check(names: Sequence[str], plugins: Sequence[str] = ()) -> Report:
    """Check every object in files, directories and stdin, and every other file that a command
    reads; `plugins` are those of the user's own that scheduler configurations may enable.
    """
    manifests, others, order = _sorted(names)
    report, bad = Report(len(order), 0, 0, [], []), set()
    seen: set[pathlib.Path] = set()
    for kind, file in others:
        checked = file_checks.check(kind, file, plugins)
        report.problems += checked.problems
        report.warnings += checked.warnings
        seen |= checked.seen
        bad |= {(file.name, 0, "")} if checked.problems else set()
    # The templates of a load are checked with it, be they YAML or not.
    own = [each for each in manifests if pathlib.Path(each.name).resolve() not in seen]
    parts = [each.name for each in manifests if each not in own]
    loaded = loading.load_sources(own)
    places = {(name, 0, "") for name in (*parts, *(file.name for _, file in others))}
    places |= {(each.source, each.index, each.path) for each in loaded.documents}
    bad |= _check_objects(loaded, report)
    for told in (report.problems, report.warnings):
        told.sort(key=lambda problem: (order.get(problem.file or "", -1), problem.line or 0))
    report.objects, report.invalid = len(places | bad), len(bad)
    return report


def _check_objects(loaded: loading.Loaded, report: Report) -> set[tuple[str, int, str]]:
    """Check the objects of manifests; the places of those that are invalid."""
    problems, bad = report.problems, set(loaded.bad)
    problems += loaded.problems
    for source, lines in loaded.locators.items():
        for key, line in lines.duplicate_keys():
            problem = f'key "{key}" is set twice'
            problems.append(InputError(problem, file=source, line=line, fix="keep one of them"))
            bad.add((source, 0, ""))
    names_seen: Names = {}
    for document in loaded.documents:
        found = list(_check(loaded, document, names_seen))
        if found:
            bad.add((document.source, document.index, document.path))
            problems += found
        report.warnings += _doubts(loaded, document)
    return bad


def _sorted(
    names: Sequence[str],
) -> tuple[list[Source], list[tuple[FileKind, Source]], dict[str, int]]:
    """Manifests, files of other kinds, and the order of all; of a Helm chart there is one problem
    to tell.
    """
    manifests: list[Source] = []
    others: list[tuple[FileKind, Source]] = []
    charts: set[str | None] = set()
    order: dict[str, int] = {}
    for source in sources.read(names):
        kind = file_kinds.recognise(source.name, source.text)
        order[source.name] = len(order)
        if kind is FileKind.SCHEDULER and len(manifest.read_text(source.text).documents) > 1:
            kind = FileKind.MANIFESTS
        if kind in file_kinds.OBJECTS:
            manifests.append(source)
            continue
        if kind in (FileKind.CHART, FileKind.VALUES):
            fix = file_kinds.refusal(FileKind.CHART, source.name).fix
            if fix in charts:
                continue
            charts.add(fix)
        others.append((kind, source))
    return manifests, others, order


def _doubts(loaded: loading.Loaded, document: manifest.Document) -> list[InputError]:
    if not resource.is_scenario(document.object):
        return []
    return [loaded.place(document, doubt) for doubt in resource.doubts(document.object)]


def _check(
    loaded: loading.Loaded, document: manifest.Document, names_seen: Names
) -> Iterator[InputError]:
    if document.object.get("kind") == _CONFIGURATION:
        yield from _configuration(loaded, document)
        return
    try:
        kind = loading.kind_of(loaded, document)
    except InputError as error:
        yield error
        return
    if resource.is_scenario(document.object):
        problems = resource.problems(document.object, loaded.table)
    else:
        problems = object_check.problems(document.object, kind)
    for problem in (*problems, *annotation_check.misfits(document.object), *_stage(document)):
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


def _stage(document: manifest.Document) -> Iterator[InputError]:
    """What keeps a KWOK Stage from being played."""
    if stage_types.is_stage(document.object):
        try:
            stage_check.load(document.object)
        except InputError as error:
            yield error


def _configuration(loaded: loading.Loaded, document: manifest.Document) -> Iterator[InputError]:
    """A scheduler configuration in one file with objects."""
    try:
        config.complete(config.from_dict(document.object))
    except config.ConfigError as error:
        for each in error.named_errors:
            path, colon, rest = each.partition(": ")
            is_path = bool(colon) and " " not in path
            problem = InputError(rest if is_path else each, path=path if is_path else None)
            problem.fix = error.fix
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
