"""Writes the manifests of a recording: the cluster as it is now, and ``cluster.yaml`` with it."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.objects import yaml_documents
from kubestage.sources import cluster_file, folder
from kubestage.sources.anonymising import anonymiser
from kubestage.sources.cluster_file import RecordingEntry, Spec
from kubestage.sources.imported import Imported, Origin, format_ns

if TYPE_CHECKING:
    import pathlib

    from kubestage.files.claiming import Claim
    from kubestage.sources.change_log import ChangeLog

FORMAT: Final = "recording of a live cluster"


class Snapshots:
    """What the manifests of one recording say, besides the objects."""

    def __init__(self, claim: Claim, log: ChangeLog, version: str, context: str) -> None:
        self._claim = claim
        self._log = log
        self._version = version
        self._context = context
        before = _earlier(claim.path)
        self._earlier_left_out: collections.Counter[tuple[str, str]] = collections.Counter(
            {(each.kind, each.reason): each.count for each in before.left_out} if before else {}
        )

    def write(self, left_out: collections.Counter[tuple[str, str]], notes: list[str]) -> Spec:
        """Write the objects as they are now."""
        log = self._log
        anonymised = log.identity.anonymised
        if anonymised:
            left_out = anonymiser.left_out(left_out)
            notes = []
        origin = Origin(
            source=FORMAT, format=FORMAT, captured_ns=log.end_ns,
            kubernetes_version=self._version, cluster=self._context,
        )  # fmt: skip
        imported = Imported(
            objects=log.states.objects(),
            origins=[origin],
            left_out=self._in_all(left_out),
            notes=[*notes, *(each.text() for each in log.gaps)],
        )
        entry = RecordingEntry(
            file="recording", begin=log.began, end=format_ns(log.end_ns), changes=log.changes
        )
        beside = self._claim.beside / "manifests"
        beside.mkdir()
        spec = folder.replace(imported, self._claim.path, beside, entry, anonymised=anonymised)
        for each in (beside / folder.NAMESPACES, beside):
            if each.exists():
                each.rmdir()
        return spec

    def _in_all(
        self, now: collections.Counter[tuple[str, str]]
    ) -> collections.Counter[tuple[str, str]]:
        """A kind that is not listed again when a recording continues is not counted again."""
        before = self._earlier_left_out
        both = {key: max(before[key], now[key]) for key in (*before, *now)}
        return collections.Counter(both)


def _earlier(out: pathlib.Path) -> Spec | None:
    """What an earlier run has written; nothing if that cannot be read."""
    path = out / cluster_file.FILE
    if not path.is_file():
        return None
    try:
        (found,) = yaml_documents.values(path.read_bytes(), str(path))
        return cluster_file.load(found)
    except (InputError, ValueError, KeyError, TypeError):
        return None
