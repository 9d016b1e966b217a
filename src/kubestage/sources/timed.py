"""Whether a source has time: changes that can be replayed, and not one state alone."""

from __future__ import annotations

import pathlib
from typing import Final

from kubestage.errors import InputError
from kubestage.sources import cluster_file, recording
from kubestage.sources.entries import STDIN
from kubestage.sources.formats import k8shark, kubereplay, simkube
from kubestage.sources.formats.audit import log as audit_log
from kubestage.sources.tree import Tree

_FILES: Final = (audit_log.is_one, k8shark.is_stream, kubereplay.is_one, simkube.is_one)


def is_one(name: str) -> bool:
    """Whether a source has changes; what is not there, or is read once alone, has none.

    Only files and folders as `kubestage import` and `record` write them are looked into.
    """
    path = pathlib.Path(name)
    if name == STDIN or not path.exists():
        return False
    if path.is_dir():
        folder = path / recording.FOLDER
        return (path / cluster_file.FILE).is_file() and folder.is_dir() and any(folder.iterdir())
    try:
        for entry in Tree(name).entries():
            return any(check(entry) for check in _FILES)
    except InputError:
        # Who reads it as a whole says what is wrong with it.
        pass
    return False
