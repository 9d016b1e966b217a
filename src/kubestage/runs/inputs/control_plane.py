"""A control plane that a person names: one of the profiles that have a name, or a file."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING

from kubestage.cluster import profile_files, profiles
from kubestage.runs.inputs import file_kinds, text_files
from kubestage.runs.inputs.file_kinds import FileKind

if TYPE_CHECKING:
    from kubestage.cluster.profile import Profile

_SUFFIXES = (".yaml", ".yml", ".json")


def named(text: str, option: str = "--profile") -> Profile:
    """The profile of a name or of a file."""
    if pathlib.Path(text).suffix in _SUFFIXES or pathlib.Path(text).is_file():
        read = text_files.read(text, option)
        file_kinds.expect(FileKind.CONTROL_PLANE, text, read.encode())
        return profile_files.load(read, text)
    return profiles.named(text)
