"""The folder of an import."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.runs.inputs import manifests
from kubestage.sources import cluster_file, folder, reading
from kubestage.sources.imported import Change
from tests.sources import samples

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable

    from kubestage.sources.imported import Imported


def _files(place: pathlib.Path) -> dict[str, bytes]:
    return {
        each.relative_to(place).as_posix(): each.read_bytes()
        for each in sorted(place.rglob("*"))
        if each.is_file()
    }


def _audit() -> bytes:
    return samples.lines(
        samples.audit("create", "pods", "a", 1, response=samples.pod("a"), code=201),
        samples.audit("delete", "pods", "a", 9),
        samples.audit("create", "pods", "b", 5, response=samples.pod("b"), code=201),
    )


def test_the_same_source_gives_the_same_bytes(tmp_path: pathlib.Path) -> None:
    source = tmp_path / "sources"
    source.mkdir()
    (source / "audit.log").write_bytes(_audit())
    (source / "dump.yaml").write_bytes(samples.text(samples.node()))
    written = []
    for name in ("first", "second"):
        folder.write(reading.read([str(source)]), str(tmp_path / name))
        written.append(_files(tmp_path / name))
    assert written[0] == written[1]
    assert set(written[0]) == {
        "cluster.yaml", "cluster-scoped.yaml", "namespaces/shop.yaml",
        "recording/changes.jsonl.gz",
    }  # fmt: skip


def test_the_folder_can_be_imported_again(
    tmp_path: pathlib.Path, imported: Callable[..., Imported]
) -> None:
    first = imported({"audit.log": _audit(), "n.yaml": samples.text(samples.node())}, "in")
    folder.write(first, str(tmp_path / "out"))
    again = reading.read([str(tmp_path / "out")])
    assert again.changes == first.changes
    assert again.objects == first.objects
    assert isinstance(again.changes[0], Change)
    assert again.captured_ns == first.captured_ns


def test_manifests_are_the_end_or_a_moment(
    tmp_path: pathlib.Path, imported: Callable[..., Imported]
) -> None:
    found = imported(_audit(), "audit.log")
    end = folder.write(found, str(tmp_path / "end"))
    # The node of the pods is not in the log: it is rebuilt.
    assert end.objects == {"Node": 1, "Pod": 1}
    assert "name: b\n" in (tmp_path / "end/namespaces/shop.yaml").read_text()
    middle = folder.write(found, str(tmp_path / "middle"), at_ns=found.changes[1].at_ns)
    assert middle.objects == {"Node": 1, "Pod": 2}
    assert middle.captured_at == "2026-03-01T10:00:05.500000000Z"
    assert middle.recording is not None
    assert middle.recording.changes == 3


def test_many_objects_are_json_and_read_as_any_manifests(
    tmp_path: pathlib.Path, imported: Callable[..., Imported]
) -> None:
    pods: list[Any] = [samples.pod(f"p-{number}", on="") for number in range(600)]
    found = imported(samples.text({"apiVersion": "v1", "kind": "List", "items": pods}), "many.json")
    folder.write(found, str(tmp_path / "out"))
    text = (tmp_path / "out/namespaces/shop.json").read_text()
    assert len(text.splitlines()) == 602
    assert len(json.loads(text)["items"]) == 600
    loaded = manifests.load([str(tmp_path / "out")])
    assert not loaded.problems
    assert len(loaded.documents) == 600


@pytest.mark.parametrize("namespace", ["../../etc", "a/b", "", ".", "A", "x" * 70])
def test_no_name_leads_out_of_the_folder(
    namespace: str, tmp_path: pathlib.Path, imported: Callable[..., Imported]
) -> None:
    found = imported(samples.text(samples.pod(on="", namespace=namespace)), "pod.json")
    folder.write(found, str(tmp_path / "deep/out"))
    expected = {"cluster.yaml", "namespaces/default.yaml"} if not namespace else {"cluster.yaml"}
    assert set(_files(tmp_path / "deep/out")) == expected
    assert bool(namespace) == bool(found.left_out)


def test_an_owner_that_the_source_lacks_is_rebuilt(
    tmp_path: pathlib.Path, imported: Callable[..., Imported]
) -> None:
    pods = [samples.pod(f"web-77-{number}") for number in range(2)]
    for pod in pods:
        pod["metadata"]["labels"] = {"app": "web", "pod-template-hash": "77"}
        pod["metadata"]["ownerReferences"] = [
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-77", "uid": "rs",
             "controller": True}
        ]  # fmt: skip
    content = {"apiVersion": "v1", "kind": "List", "items": [samples.node(), *pods]}
    spec = folder.write(imported(samples.text(content), "dump.json"), str(tmp_path / "out"))
    assert spec.rebuilt["ReplicaSet"] == 1
    assert spec.objects["ReplicaSet"] == 1
    assert spec.notes


def test_a_folder_with_something_in_it_is_refused(
    tmp_path: pathlib.Path, imported: Callable[..., Imported]
) -> None:
    found = imported(samples.text(samples.node()), "node.json")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("x")
    with pytest.raises(InputError, match="not empty"):
        folder.write(found, str(tmp_path / "full"))
    assert (tmp_path / "full" / "mine").read_text() == "x"
    with pytest.raises(InputError, match="is a file"):
        folder.write(found, str(tmp_path / "full" / "mine"))


def test_readers_of_manifests_check_what_describes_an_import(
    tmp_path: pathlib.Path, imported: Callable[..., Imported]
) -> None:
    found = imported(samples.text(samples.node()), "node.json")
    folder.write(found, str(tmp_path / "out"))
    file = tmp_path / "out" / cluster_file.FILE
    assert [each.object["kind"] for each in manifests.load([str(tmp_path / "out")]).documents] == [
        "Node"
    ]
    file.write_text(file.read_text().replace("format:", "form:"))
    (problem,) = manifests.load([str(tmp_path / "out")]).problems
    assert (problem.file, problem.path) == (str(file), "spec.sources[0]")
    file.write_text(file.read_text().replace("v1alpha1", "v9"))
    (problem,) = manifests.load([str(tmp_path / "out")]).problems
    assert problem.path == "apiVersion"
