"""A recording of a served cluster: whatever happens meanwhile, it ends as a list of the cluster."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from kubestage.errors import InputError
from kubestage.runs import importing
from kubestage.runs.import_options import ImportOptions
from kubestage.runs.recording import RecordOptions, record
from kubestage.sources import segments
from tests.deadlines import until
from tests.runs.recording.recorded_cluster import Recording, imported, state

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterable

    from kubestage.sources.imported import Reference
    from tests.remote.fault_proxy import FaultProxy
    from tests.runs.recording.recorded_cluster import ServedCluster
    from tests.server.served import Served

PODS = "/api/v1/pods"
COUNTED = ("Pod", "Node", "Deployment", "ReplicaSet")


@pytest.fixture
def out(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "rec"


def _text(out: pathlib.Path) -> str:
    """All that was written."""
    found = [each.read_bytes() for each in out.rglob("*.yaml")]
    for each in out.rglob("*.gz"):
        with each.open("rb") as packed:
            found.append(segments.opened(packed).read())
    return b"".join(found).decode()


def _counts(listed: Iterable[Reference]) -> Counter[str]:
    """How many objects there are of the kinds that all that is recorded belongs to."""
    return Counter(each.kind for each in listed if each.kind in COUNTED)


def test_connections_that_break_are_resumed_without_a_list(
    cluster: ServedCluster, proxy: FaultProxy, served: Served, out: pathlib.Path
) -> None:
    space = cluster.namespace()
    recording = Recording(out, proxy.kubeconfig)
    with recording.running():
        cluster.deploy(space, replicas=3)
        cluster.running(space, 3)
        until(lambda: proxy.watches(PODS))
        proxy.cut()
        proxy.is_down = True
        cluster.scale(space, 1)
        cluster.running(space, 1)
        proxy.is_down = False
        recording.catches_up(cluster, served.kubeconfig)
        proxy.cut()
        cluster.delete(space)
        cluster.running(space, 0)
        recording.catches_up(cluster, served.kubeconfig)
        result = recording.stop()
    # One list of each kind, ever.
    assert len(proxy.lists()) == len(set(proxy.lists()))
    assert len(proxy.lists(PODS)) == 1
    assert len(proxy.watches(PODS)) >= 2
    assert result.spec.notes == []
    assert result.status.changes == len(imported(out).changes) > 10
    # The manifests are those of the end.
    assert state(out) == cluster.listed(served.kubeconfig)
    read = imported(out)
    verbs = [each.verb for each in read.changes if each.reference.kind == "Deployment"]
    assert verbs[0] == "create"
    assert verbs[-1] == "delete"
    assert set(verbs[1:-1]) == {"patch"}
    assert [each.at_ns for each in read.changes] == sorted(each.at_ns for each in read.changes)


def test_what_the_server_has_forgotten_is_listed_and_said(
    cluster: ServedCluster, proxy: FaultProxy, served: Served, out: pathlib.Path
) -> None:
    space = cluster.namespace()
    cluster.deploy(space, "old")
    cluster.running(space, 2)
    recording = Recording(out, proxy.kubeconfig)
    with recording.running():
        recording.catches_up(cluster, served.kubeconfig)
        proxy.is_down = True
        proxy.forget()
        cluster.deploy(space, "new", 3)
        cluster.delete(space, "old")
        cluster.running(space, 3)
        proxy.is_down = False
        recording.catches_up(cluster, served.kubeconfig)
        result = recording.stop()
    assert len(proxy.lists(PODS)) == 2
    assert {note.partition(":")[0] for note in result.spec.notes} >= {"Pod", "Deployment", "Node"}
    assert all("had forgotten" in note for note in result.spec.notes)
    assert state(out) == cluster.listed(served.kubeconfig)


def test_a_slow_server_is_waited_for(
    cluster: ServedCluster, proxy: FaultProxy, served: Served, out: pathlib.Path
) -> None:
    space = cluster.namespace()
    proxy.delay_s = 0.02
    recording = Recording(out, proxy.kubeconfig)
    with recording.running():
        cluster.deploy(space)
        cluster.running(space, 2)
        recording.catches_up(cluster, served.kubeconfig)
        recording.stop()
    assert len(proxy.lists(PODS)) == 1


def test_a_recording_continues_where_it_ended(
    cluster: ServedCluster, proxy: FaultProxy, served: Served, out: pathlib.Path
) -> None:
    space = cluster.namespace()
    first = Recording(out, proxy.kubeconfig)
    with first.running():
        cluster.deploy(space)
        cluster.running(space, 2)
        first.catches_up(cluster, served.kubeconfig)
        before = first.stop()
    cluster.scale(space, 4)
    cluster.running(space, 4)
    proxy.requests.clear()
    second = Recording(out, proxy.kubeconfig)
    with second.running():
        second.catches_up(cluster, served.kubeconfig)
        after = second.stop()
    assert (before.is_continued, after.is_continued) == (False, True)
    assert proxy.lists() == []
    assert after.spec.notes == []
    assert after.spec.recording is not None
    assert before.spec.recording is not None
    assert after.spec.recording.begin == before.spec.recording.begin
    assert after.spec.recording.changes > before.spec.recording.changes
    assert [each.name for each in segments.find(out / "recording", "changes")] == [
        "changes-000001.jsonl.gz", "changes-000002.jsonl.gz",
    ]  # fmt: skip
    assert state(out) == cluster.listed(served.kubeconfig)
    # What was left out is still counted, although nothing was listed again.
    assert after.spec.left_out == before.spec.left_out


def test_names_are_replaced_before_anything_is_written(
    cluster: ServedCluster, proxy: FaultProxy, served: Served, out: pathlib.Path
) -> None:
    space = cluster.namespace()
    cluster.deploy(space, "verysecretname")
    cluster.running(space, 2)
    options: dict[str, Any] = {"anonymise": True, "key": "k"}
    first = Recording(out, proxy.kubeconfig, **options)
    with first.running():
        cluster.deploy(space, "othersecretname", 1, annotations={"private": "yes"})
        cluster.running(space, 3)
        first.stop()
    second = Recording(out, proxy.kubeconfig, **options)
    with second.running():
        cluster.scale(space, 2, "othersecretname")
        cluster.running(space, 4)
        until(lambda: _counts(state(out)) == _counts(cluster.listed(served.kubeconfig)))
        second.stop()
    text = _text(out)
    for word in ("secretname", space, "node-0", "nginx", "private", "127.0.0.1"):
        assert word not in text, word
    read = imported(out)
    assert read.changes
    scaled = [each for each in read.changes if each.reference.kind == "Deployment"]
    assert {each.reference.name for each in scaled} == {scaled[0].reference.name}
    assert _counts(state(out)) == _counts(cluster.listed(served.kubeconfig))
    others: list[tuple[dict[str, Any], str]] = [
        ({}, "is anonymised"),
        ({"anonymise": True, "key": "other"}, "another key"),
        ({"anonymise": True}, "another key"),
    ]
    for other, said in others:
        with pytest.raises(InputError, match=said):
            Recording(out, proxy.kubeconfig, **other).recorder.run()


def test_the_folder_is_a_source_for_other_commands(
    cluster: ServedCluster, served: Served, tmp_path: pathlib.Path, out: pathlib.Path
) -> None:
    space = cluster.namespace()
    recording = Recording(out, served.kubeconfig)
    with recording.running():
        cluster.deploy(space)
        cluster.running(space, 2)
        recording.catches_up(cluster, served.kubeconfig)
        # While it grows.
        importing.import_cluster([str(out)], str(tmp_path / "early"), ImportOptions())
        recording.stop()
    result = importing.import_cluster([str(out)], str(tmp_path / "late"), ImportOptions())
    assert result.spec.recording is not None
    assert state(tmp_path / "early") == state(tmp_path / "late") == state(out)


def test_a_recording_ends_after_its_time(
    served: Served, out: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    stated = yaml.safe_load(served.kubeconfig.read_text())
    stated["users"][0]["user"] = {"token": "secret-of-the-user"}
    kubeconfig = tmp_path / "with-token"
    kubeconfig.write_text(yaml.safe_dump(stated))
    result = record(str(out), RecordOptions(kubeconfig=str(kubeconfig), record_for="1ms"))
    (path,) = segments.find(out / "recording", "changes")
    header = json.loads(gzip.decompress(path.read_bytes()).splitlines()[0])
    assert header["objects"] == sum(result.spec.objects.values()) > 3
    assert result.status.kinds > 30
    assert "secret-of-the-user" not in _text(out)


def test_a_folder_with_something_else_is_refused(served: Served, out: pathlib.Path) -> None:
    options = RecordOptions(kubeconfig=str(served.kubeconfig), record_for="1ms")
    out.mkdir()
    (out / "other.txt").write_text("mine")
    with pytest.raises(InputError, match="is not empty"):
        record(str(out), options)
    with pytest.raises(InputError, match="is a file"):
        record(str(out / "other.txt"), options)
    assert [each.name for each in out.iterdir()] == ["other.txt"]


def test_another_cluster_is_refused(served: Served, out: pathlib.Path) -> None:
    options = RecordOptions(kubeconfig=str(served.kubeconfig), record_for="1ms")
    record(str(out), options)
    (path,) = segments.find(out / "recording", "changes")
    header, *rest = gzip.decompress(path.read_bytes()).splitlines()
    other = json.dumps({**json.loads(header), "cluster": "other"}).encode()
    path.write_bytes(gzip.compress(b"\n".join([other, *rest, b""])))
    with pytest.raises(InputError, match="of another cluster"):
        record(str(out), options)


def test_two_recordings_of_one_folder_do_not_mix(served: Served, out: pathlib.Path) -> None:
    options = RecordOptions(kubeconfig=str(served.kubeconfig), record_for="1ms")
    with (
        Recording(out, served.kubeconfig).running(),
        pytest.raises(InputError, match="is writing here"),
    ):
        record(str(out), options)


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({"record_for": "soon"}, "--for"),
        ({"usage_interval": "-1s"}, "--usage-interval"),
        ({"key": "k"}, "--key"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    served: Served, out: pathlib.Path, options: dict[str, Any], path: str
) -> None:
    with pytest.raises(InputError) as caught:
        record(str(out), RecordOptions(kubeconfig=str(served.kubeconfig), **options))
    assert caught.value.path == path
    assert not out.exists()
