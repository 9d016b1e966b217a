"""Manifests: text in, objects out, and the way back from a field to its line.

Reading keeps no positions beyond each document's first line. They are needed only where an error
is shown, and then a `locator.Locator` parses the text once more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.errors import InputError
from kubestage.objects import json_documents, locator, yaml_documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    _Value = tuple[Any, int, list[InputError]]


class Document(msgspec.Struct, frozen=True):
    """One object and where it was written.

    `index` counts the documents of the text that are not empty. An object from within a List
    has the List's line and index, and its own place there in `path` (``items[3]``).
    """

    object: dict[str, Any]
    line: int
    source: str
    index: int
    path: str = ""


class Reading(msgspec.Struct, frozen=True):
    """All that could be read of a text, and all that is wrong with the rest.

    `bad` holds the places (index and path, as in `Document`) to which the problems belong.
    """

    documents: list[Document] = msgspec.field(default_factory=list)
    problems: list[InputError] = msgspec.field(default_factory=list)
    bad: set[tuple[int, str]] = msgspec.field(default_factory=set)

    def report(self, problem: InputError, document: Document) -> None:
        """Note what is wrong with a document."""
        problem.file = document.source
        self.problems.append(problem)
        self.bad.add((document.index, document.path))


def load_text(text: str | bytes, source: str = "<string>") -> list[Document]:
    """The objects of a YAML or JSON text, Lists flattened; InputError if any of it is broken."""
    reading = read_text(text, source)
    if reading.problems:
        raise reading.problems[0]
    return reading.documents


def read_text(text: str | bytes, source: str = "<string>") -> Reading:
    """Like `load_text`, but a broken document does not hide the others: all is reported."""
    data = yaml_documents.as_bytes(text)
    try:
        values = _values(data)
    except InputError:
        values = list(_values_apart(data))
    reading = Reading()
    for index, (value, line, problems) in enumerate(values):
        document = Document(value, line, source, index)
        for problem in problems:
            reading.report(problem, document)
        if value is not None:
            _flatten(document, reading)
    return reading


def _values(data: bytes) -> list[_Value]:
    """Each document of a sound text."""
    if json_documents.looks_like_json(data):
        try:
            return [(value, line, []) for value, line in json_documents.read(data)]
        except InputError:
            if not json_documents.may_be_yaml(data):
                raise
    try:
        return list(yaml_documents.Reader(data).documents())
    except RecursionError:
        raise InputError("nested too deeply", fix="no Kubernetes object is that deep") from None


def _values_apart(data: bytes) -> Iterator[_Value]:
    """Each document of a broken text, read apart from the others; None stands for a broken one."""
    for part, first_line in yaml_documents.split(data):
        try:
            values = _values(part)
        except InputError as error:
            values = [(None, 1, [error])]
        for value, line, problems in values:
            for problem in problems:
                problem.line = (problem.line or 1) + first_line - 1
            yield value, line + first_line - 1, problems


def _flatten(document: Document, reading: Reading) -> None:
    value: Any = document.object
    if not isinstance(value, dict):
        problem = InputError(
            f"expected an object with apiVersion and kind, found {_called(value)}",
            line=document.line,
            path=document.path or None,
            fix="each document is one Kubernetes object",
        )
        reading.report(problem, document)
        return
    kind, items = value.get("kind"), value.get("items")
    if not isinstance(kind, str) or not kind.endswith("List") or not isinstance(items, list):
        reading.documents.append(document)
        return
    typed = {"apiVersion": value.get("apiVersion"), "kind": kind[:-4]} if kind != "List" else {}
    prefix = f"{document.path}.items" if document.path else "items"
    line, source, index = document.line, document.source, document.index
    for position, item in enumerate(items):
        lacks_kind = typed and isinstance(item, dict) and "kind" not in item
        whole = typed | item if lacks_kind else item
        _flatten(Document(whole, line, source, index, f"{prefix}[{position}]"), reading)


def _called(value: Any) -> str:
    names = {str: "text", list: "a list", bool: "a boolean", type(None): "nothing"}
    return names.get(type(value), "a number")


def locate(text: str | bytes, document_index: int, path: str) -> int | None:
    """The line of a field such as ``spec.containers[0].image`` in one document of a text."""
    return locator.Locator(text).line_at(document_index, path)
