"""From named files to objects of known kinds, each with the place it was written."""

from __future__ import annotations

import dataclasses
import pathlib
import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.objects import gvk, kinds, locator, manifest
from kubestage.runs.inputs import file_kinds, sources, traffic_files
from kubestage.runs.inputs.arrivals import node_lists
from kubestage.runs.observer import SILENT
from kubestage.scenario import kss_input
from kubestage.sources import cluster_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.runs.observer import Observer

_DNS: Final = re.compile(r"[^a-z0-9]+")


@dataclasses.dataclass(slots=True)
class LoadedManifests:
    """All that was read: documents, texts by name (for line numbers), the kinds they may use.

    `notes` are what a person should know about it. `sequence` are pods that come after all else,
    one after another. `start` is when time begins, if not with the newest moment in the objects.
    """

    documents: list[manifest.Document] = dataclasses.field(default_factory=list)
    problems: list[InputError] = dataclasses.field(default_factory=list)
    bad: set[tuple[str, int, str]] = dataclasses.field(default_factory=set)
    locators: dict[str, locator.Locator] = dataclasses.field(default_factory=dict)
    table: kinds.KindTable = dataclasses.field(default_factory=kinds.KindTable)
    imported: list[kss_input.Imported] = dataclasses.field(default_factory=list)
    notes: list[str] = dataclasses.field(default_factory=list)
    sequence: list[manifest.Document] = dataclasses.field(default_factory=list)
    start: str | None = None

    def place(self, document: manifest.Document, error: InputError) -> InputError:
        """The error with file and line, found by its path in the document."""
        error.file = document.source
        error.line = self.locators[document.source].line(document, error.path)
        if document.path:
            error.path = ".".join(part for part in (document.path, error.path) if part)
        return error


def load(
    names: Sequence[str], *, imports: bool = False, observer: Observer = SILENT
) -> LoadedManifests:
    """Read files, directories and stdin (``-``) and add the kinds that they define. The rows of
    trace files that they name are put in.

    With `imports`, files of kube-scheduler-simulator are read as the Scenarios that they mean.
    """
    if not names:
        raise InputError(
            "no manifests named", fix="add -f FILE, -f DIRECTORY or -f - for standard input"
        )
    return load_sources(sources.read(names, observer), imports=imports)


def load_sources(found: Iterable[sources.Source], *, imports: bool = False) -> LoadedManifests:
    """The same of texts that are read already. A file that is for another command is a problem
    which names that command.
    """
    loaded = LoadedManifests()
    refused: list[tuple[file_kinds.FileKind, str]] = []
    for source in found:
        if imports and kss_input.sniff(source.text) is not None:
            name = _DNS.sub("-", pathlib.Path(source.name).stem.lower()).strip("-") or "imported"
            loaded.imported.append(kss_input.load(source.text, source.name, name))
            continue
        if node_lists.is_one(source.text):
            text = node_lists.read(source.text, source.name)
            loaded.documents += manifest.load_text(text, source.name)
            loaded.locators[source.name] = locator.Locator(text)
            continue
        kind = file_kinds.recognise(source.name, source.text)
        if file_kinds.is_elsewhere(kind):
            refused.append((kind, source.name))
            loaded.bad.add((source.name, 0, ""))
            loaded.locators[source.name] = locator.Locator(b"")
            continue
        reading = manifest.read_text(source.text, source.name)
        loaded.documents += reading.documents
        loaded.problems += reading.problems
        loaded.bad |= {(source.name, index, path) for index, path in reading.bad}
        loaded.locators[source.name] = locator.Locator(source.text)
    # What belongs to another file says less than that one.
    refused.sort(key=lambda each: file_kinds.is_part(each[0]))
    loaded.problems[:0] = [file_kinds.refusal(kind, name) for kind, name in refused]
    _skip_imports(loaded)
    traffic_files.put_in(loaded)
    for document in loaded.documents:
        _register(loaded, document)
    return loaded


def load_sound(
    names: Sequence[str], *, imports: bool = False, observer: Observer = SILENT
) -> LoadedManifests:
    """Like `load`, but the first problem is raised."""
    return _sound(load(names, imports=imports, observer=observer))


def load_sound_sources(found: Iterable[sources.Source]) -> LoadedManifests:
    """Like `load_sources`, but the first problem is raised."""
    return _sound(load_sources(found))


def _sound(loaded: LoadedManifests) -> LoadedManifests:
    if loaded.problems:
        raise _first(loaded.problems)
    return loaded


def kind_of(loaded: LoadedManifests, document: manifest.Document) -> kinds.Kind:
    """The row of a document's kind; InputError with its place if there is none."""
    try:
        return loaded.table.of(document.object)
    except InputError as error:
        if document.object.get("kind") == "Kustomization":
            error.fix = "build it first: kubectl kustomize DIRECTORY | kubestage ... -f -"
        raise loaded.place(document, error) from None


def _skip_imports(loaded: LoadedManifests) -> None:
    """Leave out what describes an import: it is checked, and is no object of a cluster."""
    documents = []
    for document in loaded.documents:
        if not cluster_file.is_one(document.object):
            documents.append(document)
            continue
        try:
            cluster_file.load(document.object)
        except InputError as error:
            loaded.problems.append(loaded.place(document, error))
    loaded.documents = documents


def _register(loaded: LoadedManifests, document: manifest.Document) -> None:
    obj = document.object
    if (obj.get("apiVersion"), obj.get("kind")) != gvk.CUSTOM_RESOURCE_DEFINITION:
        return
    try:
        loaded.table.register(obj)
    except (KeyError, TypeError, AttributeError):
        error = InputError(
            "the definition lacks group, names or versions",
            path="spec",
            fix="a CustomResourceDefinition needs spec.group, spec.names and spec.versions",
        )
        loaded.problems.append(loaded.place(document, error))


def _first(problems: Iterable[InputError]) -> InputError:
    first, *others = problems
    if others:
        more = f"{len(others)} more: `kubestage validate` lists all"
        first.fix = f"{first.fix} ({more})" if first.fix else more
    return first


def named(obj: dict[str, Any]) -> tuple[str, str]:
    """Namespace and name as far as they are text; empty where they are not given."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        return "", ""
    namespace, name = metadata.get("namespace"), metadata.get("name")
    return (
        namespace if isinstance(namespace, str) else "",
        name if isinstance(name, str) else "",
    )
