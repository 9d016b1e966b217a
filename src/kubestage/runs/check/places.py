"""Where objects are written: file and line, also of those that a program has rendered."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.objects import locator, manifest
from kubestage.runs.inputs import manifests

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable, Sequence

    from kubestage.objects.manifest import Document
    from kubestage.runs.check.rendering import RenderedTexts
    from kubestage.runs.inputs.manifests import LoadedManifests


class Place(NamedTuple):
    """A file and a line of it, each as far as it is known."""

    file: str | None = None
    line: int | None = None


class Places:
    """Finds where an object is written, by a name such as ``deployment/shop/web``."""

    def __init__(
        self,
        loaded: LoadedManifests,
        texts: RenderedTexts,
        shown: Callable[[pathlib.Path], str],
    ) -> None:
        self._loaded = loaded
        self._texts = texts
        self._shown = shown
        self._documents: dict[str, Document] = {}
        for each in loaded.documents:
            self._documents.setdefault(_name(each), each)
        self._origins: dict[str, list[tuple[str, str, Place]]] = {}

    def of(self, subject: str, path: str | None = None) -> Place:
        """The place of an object, or of a field of it; nothing if no file of the side has it."""
        document = self._documents.get(subject)
        if document is None:
            return Place()
        source = document.source
        if source in self._texts.kustomized:
            return self._origin(document)
        if source in self._texts.rendered:
            return Place(self._texts.rendered[source])
        return Place(source, self._loaded.locators[source].line(document, path))

    def _origin(self, document: Document) -> Place:
        """The file that kustomize read an object from; it may have added to the name."""
        source = document.source
        if source not in self._origins:
            files = self._texts.kustomized[source]
            self._origins[source] = list(_named_objects(files, self._shown))
        kind = str(document.object.get("kind"))
        _, name = manifests.named(document.object)
        alike = [each for each in self._origins[source] if each[0] == kind and each[1] in name]
        exact = [each for each in alike if each[1] == name]
        found = exact or sorted(alike, key=lambda each: -len(each[1]))[:1]
        return found[0][2] if found else Place(self._texts.rendered[source])


def _name(document: Document) -> str:
    namespace, name = manifests.named(document.object)
    kind = str(document.object.get("kind")).lower()
    return f"{kind}/{namespace or 'default'}/{name}"


def _named_objects(
    files: Sequence[pathlib.Path], shown: Callable[[pathlib.Path], str]
) -> list[tuple[str, str, Place]]:
    found = []
    for file in files:
        try:
            text = reading.read(file)
            documents = manifest.read_text(text, str(file)).documents
        except (InputError, OSError):
            continue
        lines = locator.Locator(text)
        for each in documents:
            _, name = manifests.named(each.object)
            place = Place(shown(file), lines.line(each))
            if name:
                found.append((str(each.object.get("kind")), name, place))
    return found
