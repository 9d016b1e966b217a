"""The folder that `kubestage import` writes: to clean, anonymise or merge it once more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import timestamps
from kubestage.sources import cluster_file, recording, segment_lines, segments
from kubestage.sources.formats import texts
from kubestage.sources.imported import Change, Origin
from kubestage.sources.segment_lines import SegmentReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.sources.intake import Intake
    from kubestage.sources.tree import Tree

NAME: Final = "kubestage import"
_RECORDING: Final = recording.FILE.removesuffix(".gz")


def is_one(paths: Sequence[str]) -> bool:
    """Whether a folder was written by an import."""
    return cluster_file.FILE in paths and any(
        path.startswith(("namespaces/", "cluster-scoped.", recording.FOLDER)) for path in paths
    )


def read(tree: Tree, intake: Intake) -> Origin:
    """Take the recording if there is one, else the manifests."""
    has_recording = any(_is_recording(entry.path) for entry in tree.entries())
    spec = None
    segmented = SegmentReader()
    for entry in tree.entries():
        if entry.path == _RECORDING:
            _take(recording.read(entry.lines(), entry.name), intake)
        elif segments.stem_of(entry.path) == segment_lines.STEM:
            _take(segmented.read(entry.lines(), entry.path, entry.name), intake)
        elif entry.path == cluster_file.FILE:
            (obj,) = texts.documents(entry.read(), entry.name)
            spec = cluster_file.load(obj)
        elif not has_recording and entry.path.endswith((".yaml", ".json")):
            for obj in texts.documents(entry.read(), entry.name):
                intake.add(obj)
    assert spec is not None
    for lacking in spec.left_out:
        intake.leave_out(lacking.kind, lacking.reason, lacking.count)
    for note in (*spec.notes, *(each.text() for each in segmented.gaps)):
        intake.note(note)
    versions = [each.kubernetes_version for each in spec.sources if each.kubernetes_version]
    captured = timestamps.parse_time(spec.captured_at) if spec.captured_at else None
    return Origin(source=tree.name, format=NAME, captured_ns=captured,
                  kubernetes_version=versions[0] if versions else "")  # fmt: skip


def _is_recording(path: str) -> bool:
    return path == _RECORDING or segments.stem_of(path) == segment_lines.STEM


def _take(found: Iterable[Json | Change], intake: Intake) -> None:
    for each in found:
        if isinstance(each, Change):
            intake.change(each.at_ns, each.verb, each.reference, each.object,
                          user=each.user, manager=each.manager)  # fmt: skip
        else:
            intake.add(each)
