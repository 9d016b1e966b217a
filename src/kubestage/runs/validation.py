"""Every problem in files: in manifests (syntax, kinds, fields, types, the API's rules, duplicates),
and in the other files that commands read.
"""

from __future__ import annotations

import dataclasses
import pathlib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.controllers.kwok import stage_check, stage_types
from kubestage.errors import InputError
from kubestage.objects import manifest, object_check
from kubestage.objects.validation import capabilities
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.runs import file_checks
from kubestage.runs.inputs import actions, annotation_check, file_kinds, manifests, sources
from kubestage.runs.inputs.file_kinds import FileKind
from kubestage.runs.notebook import TableResult
from kubestage.runs.observer import SILENT
from kubestage.scenario import resource
from kubestage.scheduler import config

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.objects import kinds
    from kubestage.runs.inputs.sources import Files, Source
    from kubestage.runs.observer import Observer

    Names = dict[tuple[str, str, str, str], manifest.Document]


_CONFIGURATION: Final = "KubeSchedulerConfiguration"
_COLUMNS: Final = columns(
    level=Kind.TEXT,
    file=Kind.TEXT,
    line=Kind.INT,
    path=Kind.TEXT,
    problem=Kind.TEXT,
    fix=Kind.TEXT,
)


class ValidationResult(TableResult, msgspec.Struct, frozen=True, kw_only=True):
    """What a check found: how many objects in how many files, and every problem."""

    files: int
    objects: int
    invalid: int
    problems: Sequence[InputError]
    warnings: Sequence[InputError]
    """What is allowed, but probably not intended."""

    @property
    def is_valid(self) -> bool:
        """Whether there is no problem."""
        return not self.problems

    def table(self) -> Table:
        """A row for each problem and each warning."""
        rows = [
            (level, each.file, each.line, each.path, each.problem, each.fix)
            for level, found in (("error", self.problems), ("warning", self.warnings))
            for each in found
        ]
        return Table(_COLUMNS, rows)

    def headline(self) -> str:
        """How many objects are valid."""
        return f"{self.objects - self.invalid} valid, {self.invalid} invalid"


@dataclasses.dataclass(slots=True)
class _Findings:
    """Problems and warnings as they are found."""

    problems: list[InputError] = dataclasses.field(default_factory=list)
    warnings: list[InputError] = dataclasses.field(default_factory=list)


def validate(
    files: Files,
    plugins: Sequence[str] = (),
    *,
    allow_privileged: bool = True,
    observer: Observer = SILENT,
) -> ValidationResult:
    """Check every object in files and directories, and every other file that a command reads.

    `plugins` are your own plugins that scheduler configurations may enable, as ``FILE.py:CLASS``.
    Pods may be privileged unless `allow_privileged` is off.
    """
    with capabilities.privileged_pods(allowed=allow_privileged):
        return _validated(files, plugins, observer)


def _validated(files: Files, plugins: Sequence[str], observer: Observer) -> ValidationResult:
    documents, others, order = _sorted(sources.file_names(files), observer)
    report, bad = _Findings(), set()
    seen: set[pathlib.Path] = set()
    for kind, file in others:
        checked = file_checks.check(kind, file, plugins)
        report.problems += checked.problems
        report.warnings += checked.warnings
        seen |= checked.seen
        bad |= {(file.name, 0, "")} if checked.problems else set()
    # The templates of a load are checked with it, be they YAML or not.
    remaining = [each for each in documents if pathlib.Path(each.name).resolve() not in seen]
    parts = [each.name for each in documents if each not in remaining]
    loaded = manifests.load_sources(remaining)
    places = {(name, 0, "") for name in (*parts, *(file.name for _, file in others))}
    places |= {(each.source, each.index, each.path) for each in loaded.documents}
    bad |= _check_objects(loaded, report)
    for found in (report.problems, report.warnings):
        found.sort(key=lambda problem: (order.get(problem.file or "", -1), problem.line or 0))
    return ValidationResult(
        files=len(order),
        objects=len(places | bad),
        invalid=len(bad),
        problems=report.problems,
        warnings=report.warnings,
    )


def _check_objects(
    loaded: manifests.LoadedManifests, report: _Findings
) -> set[tuple[str, int, str]]:
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
        report.warnings += _warnings(loaded, document)
    return bad


def _sorted(
    names: Sequence[str], observer: Observer
) -> tuple[list[Source], list[tuple[FileKind, Source]], dict[str, int]]:
    """Manifests, files of other kinds, and the order of all; a Helm chart is one problem."""
    documents: list[Source] = []
    others: list[tuple[FileKind, Source]] = []
    charts: set[str | None] = set()
    order: dict[str, int] = {}
    for source in sources.read(names, observer):
        kind = file_kinds.recognise(source.name, source.text)
        order[source.name] = len(order)
        if kind is FileKind.SCHEDULER and len(manifest.read_text(source.text).documents) > 1:
            kind = FileKind.MANIFESTS
        if kind in file_kinds.OBJECTS:
            documents.append(source)
            continue
        if kind in (FileKind.CHART, FileKind.VALUES):
            fix = file_kinds.refusal(FileKind.CHART, source.name).fix
            if fix in charts:
                continue
            charts.add(fix)
        others.append((kind, source))
    return documents, others, order


def _warnings(loaded: manifests.LoadedManifests, document: manifest.Document) -> list[InputError]:
    if not resource.is_scenario(document.object):
        return []
    return [
        loaded.place(document, mistake) for mistake in resource.probable_mistakes(document.object)
    ]


def _action(loaded: manifests.LoadedManifests, document: manifest.Document) -> Iterator[InputError]:
    """What is wrong with an action, and with the object that it creates."""
    try:
        action = actions.load(document.object)
        if action.verb == "create" and action.object is not None:
            kind = loaded.table.of(action.object)
            for problem in object_check.problems(action.object, kind):
                problem.path = f"object.{problem.path}" if problem.path else "object"
                yield loaded.place(document, problem)
    except InputError as error:
        yield loaded.place(document, error)


def _check(
    loaded: manifests.LoadedManifests, document: manifest.Document, names_seen: Names
) -> Iterator[InputError]:
    if document.object.get("kind") == _CONFIGURATION:
        yield from _configuration(loaded, document)
        return
    if actions.is_one(document.object):
        yield from _action(loaded, document)
        return
    try:
        kind = manifests.kind_of(loaded, document)
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
        name = manifests.named(document.object)[1]
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


def _configuration(
    loaded: manifests.LoadedManifests, document: manifest.Document
) -> Iterator[InputError]:
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
    namespace, name = manifests.named(document.object)
    if not name:
        return None
    if kind.namespaced:
        namespace = namespace or "default"
    key = (kind.group, kind.kind, namespace, name)
    twin = names_seen.setdefault(key, document)
    return None if twin is document else twin
