"""The manifests of a folder: as they are, or as kustomize and Helm render them."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.objects import yaml_documents
from kubestage.runs.check import kustomizations
from kubestage.runs.inputs import file_kinds
from kubestage.runs.inputs.file_kinds import FileKind
from kubestage.runs.inputs.sources import SUFFIXES, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kubestage.runs.check.configuration import HelmSection

_CHART: Final = "Chart.yaml"
_HELM_SOURCE: Final = re.compile(rb"^# Source: (?P<path>.+?)[ \t\r]*$", re.MULTILINE)
_SKIPPED_FOLDERS: Final = ("node_modules", "__pycache__")


class RenderedTexts(msgspec.Struct, frozen=True, kw_only=True):
    """All texts of a side, and where those that a program rendered come from."""

    texts: list[Source] = []
    rendered: dict[str, str] = {}
    """Names of rendered texts, and the file of the template, or the folder."""
    kustomized: dict[str, list[pathlib.Path]] = {}
    """Names of texts of kustomize, and the files that it read."""
    namespaces: dict[str, str] = {}
    """Names of texts whose objects are of a namespace unless they say otherwise."""
    left_out: list[str] = []
    """Files that are no objects."""

    def add(self, other: RenderedTexts) -> None:
        """Take in the texts of another path."""
        self.texts.extend(other.texts)
        self.rendered.update(other.rendered)
        self.kustomized.update(other.kustomized)
        self.namespaces.update(other.namespaces)
        self.left_out.extend(other.left_out)


class Renderer:
    """Reads the paths of one side; `shown` is how a file of it is called in messages.

    `left_out` are paths that belong to the cluster: no change is looked for in them.
    """

    def __init__(
        self,
        root: pathlib.Path,
        helm: HelmSection,
        shown: Callable[[pathlib.Path], str],
        left_out: Sequence[str] = (),
    ) -> None:
        self._root = root
        self._helm = helm
        self._shown = shown
        self._left_out = {(root / each).resolve() for each in left_out}

    def read(self, paths: Sequence[str]) -> RenderedTexts:
        """The texts of these files and folders, or of all; those that are not there are left out.

        What one side does not have, the change adds or removes.
        """
        found = RenderedTexts()
        for path in paths or ("",):
            place = self._root / path
            if place.is_dir():
                found.add(self._folder(place))
            elif place.exists():
                found.add(self._plain(place))
        return found

    def _folder(self, folder: pathlib.Path) -> RenderedTexts:
        if (folder / _CHART).is_file():
            return self._chart(folder)
        if kustomizations.file_of(folder) is not None:
            return self._kustomization(folder)
        plain, charts, kustomized = [], [], []
        for place, below, names in os.walk(folder):
            here = pathlib.Path(place)
            below[:] = sorted(each for each in below if self._is_searched(here / each))
            if _CHART in names:
                charts.append(here)
                below.clear()
                continue
            if kustomizations.file_of(here) is not None:
                kustomized.append(here)
            files = [here / name for name in sorted(names) if name.endswith(SUFFIXES)]
            plain += [each for each in files if each.resolve() not in self._left_out]
        found = RenderedTexts()
        used = kustomizations.used_by(kustomized)
        tops = [each for each in kustomized if each.resolve() not in used.folders]
        if len(tops) > 1:
            shown = ", ".join(self._shown(each) for each in tops)
            path = os.path.relpath(tops[0], self._root)
            fix = f'name the one that is deployed: paths = ["{path}"]'
            problem = f"has several kustomizations: {shown}"
            raise InputError(problem, file=self._shown(folder), fix=fix)
        for each in tops:
            found.add(self._kustomization(each))
        for each in charts:
            found.add(self._chart(each))
        for each in plain:
            if each.resolve() not in used.files and each.parent not in kustomized:
                found.add(self._plain(each))
        return found

    def _is_searched(self, folder: pathlib.Path) -> bool:
        is_hidden = folder.name.startswith(".") or folder.name in _SKIPPED_FOLDERS
        return not is_hidden and folder.resolve() not in self._left_out

    def _plain(self, file: pathlib.Path) -> RenderedTexts:
        text, name = reading.read(file), self._shown(file)
        kind = file_kinds.recognise(str(file), text)
        if kind is FileKind.SCHEDULER or (kind is FileKind.UNKNOWN and text.strip()):
            return RenderedTexts(left_out=[name])
        return RenderedTexts(texts=[Source(name, text)])

    def _kustomization(self, folder: pathlib.Path) -> RenderedTexts:
        text = _run("kubectl", ["kustomize", str(folder)], self._shown(folder))
        name = f"kubectl kustomize {self._shown(folder)}"
        files = sorted(kustomizations.used_by([folder]).files)
        return RenderedTexts(
            texts=[Source(name, text)],
            rendered={name: self._shown(folder)},
            kustomized={name: files},
        )

    def _chart(self, folder: pathlib.Path) -> RenderedTexts:
        words = ["template", self._helm.release, str(folder)]
        for values in self._helm.values:
            place = self._root / values
            if not place.is_file():
                fix = "name a file within both sides"
                raise InputError("no such file", file=values, path="change.helm.values", fix=fix)
            words += ["--values", str(place)]
        if self._helm.namespace is not None:
            words += ["--namespace", self._helm.namespace]
        text = _run("helm", words, self._shown(folder))
        name = f"helm template {self._shown(folder)}"
        found = RenderedTexts()
        for part, template in _by_template(text):
            where = folder if template is None else _within(folder, template)
            each = name if template is None else f"{name}: {self._shown(where)}"
            found.texts.append(Source(each, part))
            found.rendered[each] = self._shown(where)
            if self._helm.namespace is not None:
                # Helm leaves it to the one that applies the objects.
                found.namespaces[each] = self._helm.namespace
        return found


def _within(folder: pathlib.Path, template: str) -> pathlib.Path:
    """The file of a template, which Helm names by chart: ``web/templates/app.yaml``."""
    return folder.joinpath(*pathlib.PurePosixPath(template).parts[1:])


def _by_template(text: bytes) -> Iterator[tuple[bytes, str | None]]:
    """The documents of each template; Helm says in a comment which one it is."""
    parts: dict[str | None, list[bytes]] = {}
    for part, _ in yaml_documents.split(text):
        source = _HELM_SOURCE.search(part)
        template = source["path"].decode(errors="replace") if source else None
        parts.setdefault(template, []).append(part.removeprefix(b"---"))
    for template, documents in parts.items():
        yield b"\n---\n".join(documents), template


def _run(program: str, words: Sequence[str], shown: str) -> bytes:
    if shutil.which(program) is None:
        fix = f"install {program}, or render it before: {program} {words[0]} ... > manifests.yaml"
        problem = f"needs the program {program}, which is not installed"
        raise InputError(problem, file=shown, fix=fix)
    done = subprocess.run(
        [program, *words], capture_output=True, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        output = done.stderr.decode(errors="replace").strip().splitlines()
        problem = output[-1] if output else f"exit code {done.returncode}"
        fix = f"try it: {program} {words[0]} {shown}"
        raise InputError(f"{program} {words[0]} failed: {problem}", file=shown, fix=fix)
    return done.stdout
