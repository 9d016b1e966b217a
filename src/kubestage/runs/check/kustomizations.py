"""Which files and folders kustomizations read, as far as they are local."""

from __future__ import annotations

import pathlib
from typing import Any, Final, NamedTuple

import yaml

NAMES: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_LISTS: Final = ("resources", "bases", "components", "crds", "patchesStrategicMerge")


class UsedPaths(NamedTuple):
    """What kustomizations refer to: other kustomizations, and files; paths are resolved."""

    folders: set[pathlib.Path]
    files: set[pathlib.Path]


def file_of(folder: pathlib.Path) -> pathlib.Path | None:
    """The kustomization of a folder; None if it has none."""
    return next((folder / name for name in NAMES if (folder / name).is_file()), None)


def used_by(folders: list[pathlib.Path]) -> UsedPaths:
    """What these kustomizations refer to, and those that they refer to, and so on."""
    used = UsedPaths(set(), set())
    waiting, seen = [each.resolve() for each in folders], set[pathlib.Path]()
    while waiting:
        folder = waiting.pop()
        if folder in seen:
            continue
        seen.add(folder)
        for reference in _references(folder):
            place = (folder / reference).resolve()
            if place.is_dir():
                used.folders.add(place)
                waiting.append(place)
            elif place.is_file():
                used.files.add(place)
    return used


def _references(folder: pathlib.Path) -> list[str]:
    """The paths that a kustomization names; none if it cannot be read: kubectl reports why."""
    file = file_of(folder)
    try:
        found: Any = None if file is None else yaml.safe_load(file.read_bytes())
    except (yaml.YAMLError, OSError):
        return []
    if not isinstance(found, dict):
        return []
    lists = [found.get(name) for name in _LISTS]
    names = [each for part in lists if isinstance(part, list) for each in part]
    for part in ("patches", "patchesJson6902", "replacements"):
        entries = found.get(part)
        names += [
            each.get("path")
            for each in (entries if isinstance(entries, list) else ())
            if isinstance(each, dict)
        ]
    return [each for each in names if isinstance(each, str) and "\n" not in each]
