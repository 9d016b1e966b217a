"""Trace files that manifests name: their rows are put where the name was.

So an object has all that it means, wherever it goes. A path is relative to the manifest.
"""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.objects import gvk
from kubestage.scenario import resource

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.manifest import Document
    from kubestage.runs.inputs.manifests import LoadedManifests

    Change = Callable[[Any, str], Any]


def put_in(loaded: LoadedManifests) -> None:
    """Replace the files that Traffic names, in manifests and in Scenarios, by their rows."""
    documents = []
    for document in loaded.documents:
        try:
            documents.append(_completed(document))
        except InputError as error:
            problem = error if error.file else loaded.place(document, error)
            loaded.problems.append(problem)
            loaded.bad.add((document.source, document.index, document.path))
    loaded.documents = documents


def _completed(document: Document) -> Document:
    obj, files = document.object, _Files(pathlib.Path(document.source).parent)
    if _is_traffic(obj):
        changed = files.traffic(obj, "")
    elif resource.is_scenario(obj):
        changed = files.scenario(obj)
    else:
        return document
    return document if changed is obj else msgspec.structs.replace(document, object=changed)


def _is_traffic(obj: Any) -> bool:
    return isinstance(obj, dict) and (obj.get("apiVersion"), obj.get("kind")) == gvk.TRAFFIC


class _Files:
    """Reads the files of one manifest; what names none is handed back as it is."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder

    def scenario(self, obj: Any) -> Any:
        """The Scenario with the rows of each Traffic that it creates."""
        for name in ("events", "operations"):
            obj = _at(obj, ("spec", name), self._events, "")
        return obj

    def _events(self, events: Any, path: str) -> Any:
        return _each(events, lambda event, where: _at(event, _CREATED, self.traffic, where), path)

    def traffic(self, obj: Any, path: str) -> Any:
        """The Traffic with its rows."""
        if not _is_traffic(obj):
            return obj
        summed = _at(obj, ("spec", "pattern", "sum"), self._parts, path)
        return _at(summed, ("spec", "pattern", "trace"), self._trace, path)

    def _parts(self, parts: Any, path: str) -> Any:
        return _each(parts, lambda part, where: _at(part, ("trace",), self._trace, where), path)

    def _trace(self, trace: Any, path: str) -> Any:
        if not isinstance(trace, dict) or "csv" in trace or not isinstance(trace.get("file"), str):
            return trace
        rest = {key: value for key, value in trace.items() if key != "file"}
        return {"csv": self._rows(trace["file"], f"{path}.file"), **rest}

    def _rows(self, name: str, path: str) -> str:
        from kubestage.objects import request_traces

        file = self._folder / name
        if reading.inside(self._folder, name) is None:
            problem = f"leads out of the manifest's folder: {name}"
            fix = "keep the trace beside the manifest, or below its folder"
            raise InputError(problem, path=path, fix=fix)
        try:
            data = reading.read(file)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            fix = "name a CSV file, its path relative to the manifest"
            raise InputError(f"no such file: {file}", path=path, fix=fix) from None
        text = text_of(data, str(file))
        try:
            request_traces.read(text)
        except InputError as error:
            raise InputError(
                error.problem, file=str(file), line=error.line, fix=error.fix
            ) from None
        return text


def text_of(data: bytes, file: str) -> str:
    """The rows of a trace, plain or compressed."""
    fix = "a trace is CSV, plain or compressed by gzip"
    no_text = InputError("is no text", file=file, fix=fix)
    try:
        return reading.unpacked(data, file, no_text).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise no_text from None


_CREATED: Final = ("createOperation", "object")


def _at(value: Any, keys: tuple[str, ...], change: Change, path: str) -> Any:
    """The value with the part under these keys changed; the same one if it has no such part."""
    if not keys:
        return change(value, path)
    if not isinstance(value, dict) or keys[0] not in value:
        return value
    inner = value[keys[0]]
    changed = _at(inner, keys[1:], change, f"{path}.{keys[0]}".lstrip("."))
    return value if changed is inner else {**value, keys[0]: changed}


def _each(values: Any, change: Change, path: str) -> Any:
    if not isinstance(values, list):
        return values
    changed = [change(value, f"{path}[{index}]") for index, value in enumerate(values)]
    same = all(new is old for new, old in zip(changed, values, strict=True))
    return values if same else changed
