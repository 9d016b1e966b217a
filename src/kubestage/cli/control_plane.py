"""A control plane that a person names: one of the profiles that have a name, or a file."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING

from kubestage.cli import load_choices
from kubestage.cluster import profile_files, profiles

if TYPE_CHECKING:
    from kubestage.cluster.profile import Profile

_SUFFIXES = (".yaml", ".yml", ".json")


def named(text: str, option: str = "--profile") -> Profile:
    """The profile of a name or of a file."""
    if pathlib.Path(text).suffix in _SUFFIXES or pathlib.Path(text).is_file():
        return profile_files.load(load_choices.text_of(text, option), text)
    return profiles.named(text)
