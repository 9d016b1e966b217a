"""The files of both sides of a change: folders, or commits of a git repository."""

from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.runs.check import git_files
from kubestage.runs.check.places import Places
from kubestage.runs.check.rendering import Renderer
from kubestage.runs.inputs import stage_inputs
from kubestage.wording import few

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.runs.check.configuration import ChangeSection
    from kubestage.runs.inputs.manifests import LoadedManifests

BASE: Final = "--base"
HEAD: Final = "--head"
_SHORT: Final = 12


class SideFiles(msgspec.Struct, frozen=True, kw_only=True):
    """What one side of a change consists of, before anything runs."""

    name: str
    loaded: LoadedManifests
    places: Places
    scheduler: str | None = None
    """The configuration of the scheduler, if it is part of the change."""
    notes: list[str] = []


class SideReader:
    """Reads sides; `folder` is what paths and names of commits refer to."""

    def __init__(
        self,
        folder: pathlib.Path,
        change: ChangeSection,
        cluster: Sequence[str],
        temporary: pathlib.Path,
    ) -> None:
        self._folder = folder
        self._change = change
        # The files of the cluster may be in the same folder, and are no change.
        self._cluster = [os.path.relpath(each, folder) for each in cluster]
        self._temporary = temporary

    def read(self, reference: str | None, option: str) -> SideFiles:
        """The side of a folder or commit; without a name, the files as they are now."""
        if reference is None:
            return self._of_folder(self._folder, "the working tree", option)
        place = self._folder / reference
        if place.is_dir():
            return self._of_folder(place, reference, option)
        if place.exists():
            fix = f"name its folder, and add --path {place.name}"
            raise InputError("is a file, not a folder", file=reference, path=option, fix=fix)
        return self._of_commit(reference, option)

    def _of_folder(self, root: pathlib.Path, name: str, option: str) -> SideFiles:
        return self._side(root, name, _from_here, option)

    def _of_commit(self, reference: str, option: str) -> SideFiles:
        repository = git_files.find(self._folder, reference, option)
        commit = git_files.resolve(repository, reference, option)
        target = self._temporary / option.strip("-")
        named = [*self._change.paths, *self._change.helm.values]
        if self._change.scheduler is not None:
            named.append(self._change.scheduler)
        paths = [_normal(f"{repository.prefix}{each}") for each in named]
        if not self._change.paths:
            paths = [repository.prefix] if repository.prefix else []
        git_files.write(repository, commit, paths, target)
        name = reference if reference != commit else commit[:_SHORT]

        def shown(file: pathlib.Path) -> str:
            # As the file is called in the work tree, which is where people and GitHub look.
            return _from_here(repository.top / file.relative_to(target.resolve()))

        root = (target / repository.prefix).resolve()
        root.mkdir(parents=True, exist_ok=True)
        return self._side(root, name, shown, option)

    def _side(
        self, root: pathlib.Path, name: str, shown: Callable[[pathlib.Path], str], option: str
    ) -> SideFiles:
        notes = []
        paths = self._change.paths
        if paths and not any((root / each).exists() for each in paths):
            problem = f"{name} has none of {', '.join(paths)}"
            if option != BASE:
                fix = "check the paths: they are relative to the folder, or to kubestage.toml"
                raise InputError(problem, path=option, fix=fix)
            notes.append(problem)
        texts = Renderer(root, self._change.helm, shown, self._cluster).read(paths)
        try:
            loaded = stage_inputs.load_texts(texts.texts)
        except InputError as error:
            error.problem = f"({name}) {error.problem}"
            raise
        for document in loaded.documents:
            namespace = texts.namespaces.get(document.source)
            metadata = document.object.get("metadata")
            if (
                namespace
                and isinstance(metadata, dict)
                and loaded.table.of(document.object).namespaced
            ):
                metadata.setdefault("namespace", namespace)
        if texts.left_out:
            notes.append(f"{name}: left out, as they are no objects: {few(texts.left_out)}")
        if not loaded.documents:
            notes.append(f"{name}: there are no objects")
        scheduler = None
        if self._change.scheduler is not None:
            place = root / self._change.scheduler
            scheduler = str(place) if place.is_file() else None
        places = Places(loaded, texts, shown)
        return SideFiles(name=name, loaded=loaded, places=places, scheduler=scheduler, notes=notes)


def _normal(path: str) -> str:
    return os.path.normpath(path)


def _from_here(file: pathlib.Path) -> str:
    """A path as the user would type it: relative, if it is below the current folder."""
    relative = os.path.relpath(file.resolve(), pathlib.Path.cwd())
    return str(file) if relative.startswith("..") else relative
