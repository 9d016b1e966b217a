"""What loaded manifests hold, seen as a cluster: objects by kind, completed, found by request."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.aliases import Json
from kubestage.errors import InputError
from kubestage.objects import defaulting, field_check, schema, shape, timestamps
from kubestage.runs import selection
from kubestage.runs.get_options import GetOptions
from kubestage.runs.inputs import manifests
from kubestage.runs.observer import SILENT, Observer
from kubestage.scenario import recorded_times

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects import kinds, manifest


class Contents:
    """Objects by kind, with the API's defaults."""

    def __init__(self, loaded: manifests.LoadedManifests) -> None:
        self.table = loaded.table
        self._loaded = loaded
        self._documents: dict[tuple[str, str], list[manifest.Document]]
        self._documents = collections.defaultdict(list)
        for document in loaded.documents:
            row = manifests.kind_of(loaded, document)
            self._documents[row.group, row.kind].append(document)

    def select(self, request: selection.ObjectRequest, filters: selection.Filters) -> list[Json]:
        """The objects that a request and its filters mean, in the order of names."""
        return selection.pick(request, filters.keep(request.kind, self.objects(request.kind)))

    def objects(self, kind: kinds.Kind) -> list[Json]:
        """All objects of a kind; of two with one name the later counts, as with kubectl apply."""
        by_name: dict[Any, Json] = {}
        for document in self._documents[kind.group, kind.kind]:
            obj = self._complete(kind, document)
            metadata = obj["metadata"]
            name = metadata.get("name") or id(obj)
            by_name[metadata.get("namespace"), name] = obj
        return list(by_name.values())

    def _complete(self, kind: kinds.Kind, document: manifest.Document) -> Json:
        try:
            obj = defaulting.default(document.object)
            metadata = obj.get("metadata") or {}
            if not isinstance(metadata, dict):
                raise InputError("expected an object", path="metadata")
            metadata = shape.normalize(metadata, schema.struct("meta/v1.ObjectMeta"))
        except InputError as error:
            raise self._loaded.place(document, _plainly(error, document)) from None
        if kind.namespaced and not metadata.get("namespace"):
            metadata["namespace"] = "default"
        return {**obj, "metadata": metadata}

    def now_ns(self, text: str) -> int:
        """The moment of a text, or else the newest that the objects mention."""
        if not text:
            return recorded_times.newest_ns(document.object for document in self._loaded.documents)
        try:
            return timestamps.parse_time(text)
        except ValueError:
            raise InputError(
                f'"{text}" is not a time', path="--now", fix="times look like 2026-01-01T00:00:00Z"
            ) from None

    def nothing_found(
        self, requests: Sequence[selection.ObjectRequest], filters: selection.Filters
    ) -> str:
        """Kubectl's sentence, and where such objects would be found."""
        if filters.namespace is None or not any(each.kind.namespaced for each in requests):
            return "No resources found"
        counts = collections.Counter(
            obj["metadata"]["namespace"]
            for each in requests
            if each.kind.namespaced
            for obj in self.objects(each.kind)
        )
        text = f"No resources found in {filters.namespace} namespace."
        if not counts or set(counts) == {filters.namespace}:
            return text
        others = ", ".join(f"{name} ({count})" for name, count in sorted(counts.items()))
        return f"{text}\n  fix: there are some in {others}: add -n NAMESPACE, or -A for all"


def _plainly(error: InputError, document: manifest.Document) -> InputError:
    """The same error, worded for people and with a fix."""
    for misfit in field_check.misfits(document.object):
        if not misfit.problem.startswith("unknown"):
            return InputError(misfit.problem, path=misfit.path, fix=misfit.fix)
    return error


class GetResult(msgspec.Struct, frozen=True):
    """Objects of manifests, by kind."""

    contents: Contents
    requests: Sequence[selection.ObjectRequest]
    filters: selection.Filters
    found: list[tuple[kinds.Kind, list[Json]]]

    @property
    def objects(self) -> list[Json]:
        """All objects."""
        return [obj for _, objects in self.found for obj in objects]

    @property
    def is_single(self) -> bool:
        """Whether one object was named."""
        return len(self.requests) == 1 and len(self.requests[0].names) == 1


_DEFAULT: Final = GetOptions()


def get(
    words: Sequence[str], options: GetOptions = _DEFAULT, *, observer: Observer = SILENT
) -> GetResult:
    """The objects of manifests that ``pods``, ``po,svc``, ``pod web-1`` or ``pod/web-1`` name."""
    names, more_files = selection.files_among(words)
    contents = load([*options.files, *more_files], observer)
    requests = selection.requests(names, contents.table)
    filters = selection.Filters(
        None if options.all_namespaces else options.namespace,
        options.label_selector,
        options.field_selector,
    )
    found = [(each.kind, contents.select(each, filters)) for each in requests]
    return GetResult(contents, requests, filters, found)


def load(names: Sequence[str], observer: Observer = SILENT) -> Contents:
    """Read manifests; InputError if any is broken, of an unknown kind, or if there are none."""
    loaded = manifests.load_sound(names, observer=observer)
    if not loaded.documents:
        raise InputError(
            "no objects found",
            file=names[0] if len(names) == 1 else None,
            fix="a manifest has at least apiVersion, kind and metadata",
        )
    return Contents(loaded)
