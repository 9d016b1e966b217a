"""Nodes of another source in place of the recorded ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.objects import locator, manifest
from kubestage.runs.inputs import node_words, what_if
from kubestage.runs.replaying import pinned_sources
from kubestage.sources import folding
from kubestage.wording import plural

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.runs.inputs.manifests import LoadedManifests

_FLAG: Final = "--nodes-from"
# What belongs to a node, and goes with it.
_OF_NODES: Final = frozenset({"CSINode", "Lease", "ResourceSlice", "VolumeAttachment"})


def put(loaded: LoadedManifests, source: str) -> None:
    """Replace all nodes: pods of the earlier ones are scheduled again, as without these."""
    found = _read(source)
    if any(each.object.get("kind") == "Node" for each in loaded.documents):
        what_if.leave_out(loaded, node_words.ALL)
    kept = [each for each in loaded.documents if each.object.get("kind") not in _OF_NODES]
    loaded.documents = [
        *kept, *(manifest.Document(each, 1, source, index) for index, each in enumerate(found))
    ]  # fmt: skip
    loaded.locators[source] = locator.Locator(b"")
    count = sum(each["kind"] == "Node" for each in found)
    loaded.notes.append(f"{plural(count, 'node')} of {source} instead of the recorded ones")


def _read(source: str) -> list[Json]:
    """The nodes of a source, and what belongs to them: those at its end if it has time."""
    imported = pinned_sources.imported([source])
    state = folding.state_at(imported.objects, imported.changes, None)
    found = [each for each in state if each["kind"] == "Node" or each["kind"] in _OF_NODES]
    if not any(each["kind"] == "Node" for each in found):
        fix = "name a file, folder or dump with nodes in it, or write --nodes N"
        raise InputError("has no nodes", file=source, path=_FLAG, fix=fix)
    return [each for each in found if each["kind"] not in ("Lease", "VolumeAttachment")]
