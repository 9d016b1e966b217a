"""Imports a cluster: from files of other programs, or from a live one.

::

    from kubestage.runs import importing

    result = importing.import_cluster(["dump.yaml", "audit.log"], "cluster")
    result.table()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.objects import timestamps
from kubestage.results.analysis.table import Column, Kind, Table
from kubestage.runs import naming_key, notebook
from kubestage.runs.import_options import ImportOptions
from kubestage.runs.inputs import sources
from kubestage.runs.observer import SILENT
from kubestage.sources import folder, reading
from kubestage.sources.cleaning import Kept
from kubestage.sources.cluster_file import Spec  # noqa: TC001 - msgspec reads it
from kubestage.sources.intake import Intake
from kubestage.wording import plural

with lazy.imports():
    from kubestage.runs import live_import
    from kubestage.sources.anonymising import anonymiser

if TYPE_CHECKING:
    from kubestage.runs.inputs.sources import Files
    from kubestage.runs.observer import Observer
    from kubestage.sources.imported import Imported

_DEFAULT: Final = ImportOptions()
_COLUMNS: Final = (Column("kind", Kind.TEXT), Column("objects", Kind.INT))


class ImportResult(notebook.TableResult, msgspec.Struct, frozen=True, kw_only=True):
    """A folder that was written; its table has the number of objects of each kind."""

    out: str
    spec: Spec

    def headline(self) -> str:
        """What is in it."""
        count = sum(self.spec.objects.values())
        text = f"{plural(count, 'object')} of {plural(len(self.spec.objects), 'kind')}"
        if self.spec.recording is not None:
            text += f", {plural(self.spec.recording.changes, 'change')}"
        return text

    def table(self) -> Table:
        """The kinds, by name."""
        return Table(_COLUMNS, list(self.spec.objects.items()))


def import_cluster(
    files: Files,
    out: str,
    options: ImportOptions = _DEFAULT,
    *,
    observer: Observer = SILENT,
) -> ImportResult:
    """Read sources and write the folder that `run`, `compare`, `serve` and others take.

    `files` are names of files, archives and folders; with `ImportOptions.kubeconfig` it may be
    empty. InputError names the file and the part of it that cannot be read.
    """
    names = sources.file_names(files)
    if not names and options.kubeconfig is None and not options.context:
        fix = "name a dump, a bundle, a log or a trace, or --kubeconfig FILE"
        raise InputError("no source is named", path="SOURCE", fix=fix)
    folder.check(out)
    at_ns = _moment(options.at)
    imported = _read(names, options, observer)
    if not imported.objects and not imported.changes:
        raise _nothing(imported, names)
    if at_ns is not None and not imported.changes:
        fix = "leave it out: these sources have one state"
        raise InputError("has an effect only for sources with time", path="--at", fix=fix)
    if options.anonymise:
        imported = anonymiser.anonymise(imported, naming_key.read(options.key))
    elif options.key is not None:
        fix = "add --anonymise, or leave it out"
        raise InputError("has an effect only with --anonymise", path="--key", fix=fix)
    with observer.progress("writing", len(imported.objects), noticeable=10_000):
        spec = folder.write(imported, out, anonymised=options.anonymise, at_ns=at_ns)
    return ImportResult(out=out, spec=spec)


def _read(names: list[str], options: ImportOptions, observer: Observer) -> Imported:
    intake = Intake(Kept(secrets=options.with_secrets, config_data=options.with_config_data))
    if options.kubeconfig is not None or options.context:
        live_import.take(options, intake, observer)
    with observer.progress("reading", len(names), noticeable=1) as advance:
        for number, name in enumerate(names):
            advance(number, f"reading {name}")
            reading.take(name, intake)
    return reading.finish(intake)


def _nothing(imported: Imported, names: list[str]) -> InputError:
    """A source that is readable, and has nothing in it."""
    reasons = sorted({reason for _, reason in imported.left_out})
    problem = "has no object that an import keeps"
    if reasons:
        problem += f" ({'; '.join(reasons)})"
    fix = "see `kubestage import --print-kinds` for the kinds that matter"
    return InputError(problem, file=", ".join(names) or None, fix=fix)


def _moment(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return timestamps.parse_time(text)
    except ValueError as error:
        fix = "write it as 2026-01-01T12:00:00Z"
        raise InputError(str(error), path="--at", fix=fix) from None
