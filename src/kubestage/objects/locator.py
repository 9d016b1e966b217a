"""Lines of fields: the way back from an object to the text it was read from."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import yaml

from kubestage.objects import json_documents, json_positions, yaml_documents, yaml_positions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.objects.manifest import Document


class Locator:
    """Finds the lines of fields in one text, which is parsed at the first use."""

    def __init__(self, text: str | bytes) -> None:
        self._data = yaml_documents.as_bytes(text)
        self._documents: list[Callable[[str], int] | None] | None = None

    def line(self, document: Document, path: str | None = None) -> int:
        """The line of a field of an object, or of the nearest thing around it that is there."""
        whole_path = ".".join(part for part in (document.path, path) if part)
        return self.line_at(document.index, whole_path) or document.line

    def line_at(self, index: int, path: str) -> int | None:
        """The line of a path in the document of that index; None if it cannot be read."""
        if self._documents is None:
            self._documents = list(self._parse())
        find = self._documents[index] if index < len(self._documents) else None
        return None if find is None else find(path)

    def duplicate_keys(self) -> list[tuple[str, int]]:
        """Keys set twice in an object of a JSON text, with lines; YAML reports them on reading."""
        if not self._is_json():
            return []
        return json_positions.duplicate_keys(self._data.decode(errors="replace"))

    def _is_json(self) -> bool:
        is_json_like = json_documents.looks_like_json(self._data)
        return is_json_like and not json_documents.may_be_yaml(self._data)

    def _parse(self) -> Iterator[Callable[[str], int] | None]:
        if self._is_json():
            text = self._data.decode(errors="replace")
            for start, _ in json_documents.extents(text):
                yield functools.partial(json_positions.line, text, start)
            return
        try:
            roots = yaml_positions.roots(self._data)
        except yaml.YAMLError:
            yield from self._parse_apart()
        else:
            yield from (functools.partial(yaml_positions.line, root) for root in roots)

    def _parse_apart(self) -> Iterator[Callable[[str], int] | None]:
        for part, first_line in yaml_documents.split(self._data):
            try:
                roots = yaml_positions.roots(part)
            except yaml.YAMLError:
                yield None
                continue
            for root in roots:
                yield functools.partial(yaml_positions.line, root, first_line=first_line)
