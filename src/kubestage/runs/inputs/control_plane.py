"""A modelled control plane, by the name of a profile or from a file."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING

from kubestage.cluster import profile_files, profiles
from kubestage.errors import InputError
from kubestage.files import pinned, reading
from kubestage.runs.inputs import file_kinds, text_files
from kubestage.runs.inputs.file_kinds import FileKind

if TYPE_CHECKING:
    from kubestage.cluster.profile import Profile

_SUFFIXES = (".yaml", ".yml", ".json")


def read(text: str | None, *, is_measured: bool) -> Profile | None:
    """The control plane that was named, if any; durations are measured or modelled, not both."""
    if text is None:
        return None
    if is_measured:
        raise InputError(
            "times are measured or modelled, not both",
            path="--timings",
            fix="leave out --timings or --profile",
        )
    return named(text)


def named(text: str, option: str = "--profile") -> Profile:
    """The profile of a name or of a file."""
    return pinned.once(("control plane", text), lambda: _named(text, option))


def _named(text: str, option: str) -> Profile:
    if pathlib.Path(text).suffix in _SUFFIXES or reading.is_file(text):
        read = text_files.read(text, option)
        file_kinds.expect(FileKind.CONTROL_PLANE, text, read.encode())
        return profile_files.load(read, text)
    return profiles.named(text)
