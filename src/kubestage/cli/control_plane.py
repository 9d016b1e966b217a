"""A control plane that a person names: one of the profiles that have a name, or a file."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING

from kubestage.cli import file_kinds, load_choices
from kubestage.cli.file_kinds import FileKind
from kubestage.cluster import profile_files, profiles

if TYPE_CHECKING:
    from kubestage.cluster.profile import Profile

_SUFFIXES = (".yaml", ".yml", ".json")


def named(text: str, option: str = "--profile") -> Profile:
    """The profile of a name or of a file."""
    if pathlib.Path(text).suffix in _SUFFIXES or pathlib.Path(text).is_file():
        read = load_choices.text_of(text, option)
        file_kinds.expect(FileKind.CONTROL_PLANE, text, read.encode())
        return profile_files.load(read, text)
    return profiles.named(text)
