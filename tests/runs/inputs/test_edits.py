from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.files.pinned import PinnedFiles
from kubestage.runs.inputs import edits, manifests, sources
from kubestage.runs.inputs.edits import Edits, ObjectEdit, ObjectTarget

if TYPE_CHECKING:
    from kubestage.runs.inputs.manifests import LoadedManifests

TEXT = b"""
apiVersion: v1
kind: Pod
metadata: {name: a-1}
spec: {containers: [{name: x, image: old}]}
---
apiVersion: v1
kind: Pod
metadata: {name: a-2, namespace: other}
spec: {containers: []}
---
apiVersion: v1
kind: Pod
metadata: {name: b, namespace: other}
spec: {containers: [{name: x, image: old}]}
"""
IMAGE = ("spec", "containers", 0, "image")


@pytest.fixture
def loaded() -> LoadedManifests:
    return manifests.load_sources([sources.Source("a.yaml", TEXT)])


def _images(loaded: LoadedManifests) -> list[str | None]:
    containers = [document.object["spec"]["containers"] for document in loaded.documents]
    return [each[0]["image"] if each else None for each in containers]


def _edited(loaded: LoadedManifests, target: ObjectTarget) -> list[str | None]:
    edit = ObjectEdit(target, IMAGE, "new")
    with PinnedFiles().pinned(), edits.applied(Edits((edit,))):
        found = edits.manifests(loaded, "key")
    assert found is not loaded
    assert _images(loaded) == ["old", None, "old"]
    return _images(found)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (ObjectTarget("Pod", "a-1"), ["new", None, "old"]),
        (ObjectTarget("Pod", "a-1", "default"), ["new", None, "old"]),
        (ObjectTarget("Pod", "a-1", "other"), ["old", None, "old"]),
        # An object that has no place for the value stays as it is.
        (ObjectTarget("Pod", "*"), ["new", None, "new"]),
        (ObjectTarget("Pod", "?", "other"), ["old", None, "new"]),
        (ObjectTarget("Node", "*"), ["old", None, "old"]),
    ],
)
def test_objects_are_changed_by_kind_name_and_namespace(
    loaded: LoadedManifests, target: ObjectTarget, expected: list[str | None]
) -> None:
    assert _edited(loaded, target) == expected


def test_without_pinned_files_nothing_is_copied(loaded: LoadedManifests) -> None:
    assert edits.manifests(loaded, "key") is loaded
    assert edits.config_edits() == ()


def test_a_copy_can_be_added_to(loaded: LoadedManifests) -> None:
    with PinnedFiles().pinned():
        found = edits.manifests(loaded, "key")
        found.documents.pop()
        found.locators.clear()
    assert len(loaded.documents) == 3
    assert loaded.locators
