"""A recording that grows: however it is cut, it is read as far as it goes, and continued there."""

from __future__ import annotations

import copy
import gzip
import json
import pathlib
import tempfile
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.errors import InputError
from kubestage.sources import change_log, continuing, folding, reading, segments
from kubestage.sources.change_log import ChangeLog, LogIdentity
from kubestage.sources.imported import Imported, reference_of
from tests.sources import samples

if TYPE_CHECKING:
    from kubestage.aliases import Json

SECOND = 10**9
START = 1_772_359_200 * SECOND
POD = change_log.resource_name("v1", "Pod")
CLUSTER = """\
apiVersion: kubestage.dev/v1alpha1
kind: ImportedCluster
metadata: {name: cluster}
spec: {sources: [], objects: {}}
"""


def _folder(place: pathlib.Path) -> pathlib.Path:
    place.mkdir(parents=True, exist_ok=True)
    (place / "cluster.yaml").write_text(CLUSTER)
    return place / "recording"


def _log(place: pathlib.Path, most_bytes: int = segments.MOST_BYTES) -> ChangeLog:
    return ChangeLog(_folder(place), LogIdentity(cluster="c"), most_bytes)


def _pod(name: str = "web-1", version: int = 1, namespace: str = "shop", **more: Any) -> Json:
    obj = samples.pod(name, namespace=namespace)
    obj["metadata"] |= {"resourceVersion": str(version), **more}
    return obj


def _put(log: ChangeLog, obj: Json, at: int = 0, *, listed: bool = False) -> None:
    version = None if listed else obj["metadata"]["resourceVersion"]
    log.put(reference_of(obj), obj, START + at * SECOND, version=version)


def _read(place: pathlib.Path) -> Imported:
    return reading.read([str(place)])


def _end(place: pathlib.Path) -> dict[Any, Json]:
    read = _read(place)
    state = folding.state_at(read.objects, read.changes, None)
    return {reference_of(each): each for each in state}


def _lines(place: pathlib.Path, number: int = 1) -> list[Json]:
    data = (place / "recording" / segments.name("changes", number)).read_bytes()
    return [json.loads(line) for line in gzip.decompress(data).splitlines()]


def test_the_state_comes_first_and_changes_are_small(tmp_path: pathlib.Path) -> None:
    log = _log(tmp_path)
    before = _pod()
    _put(log, before, listed=True)
    log.mark(POD, "5", START)
    log.start(START)
    after = copy.deepcopy(before)
    after["metadata"]["resourceVersion"] = "6"
    after["status"]["phase"] = "Failed"
    _put(log, after, 3)
    log.remove(reference_of(after), START + 4 * SECOND, version="7")
    log.close()
    header, state, patch, delete = _lines(tmp_path)
    assert header["versions"] == {"v1/Pod": "5"}
    assert (header["objects"], header["segment"], header["cluster"]) == (1, 1, "c")
    assert (state["verb"], state["object"]) == ("state", before)
    assert patch == {
        "at": "2026-03-01T10:00:03Z", "verb": "patch", "apiVersion": "v1", "kind": "Pod",
        "namespace": "shop", "name": "web-1",
        "object": {"metadata": {"resourceVersion": "6"}, "status": {"phase": "Failed"}},
    }  # fmt: skip
    assert (delete["verb"], delete["version"]) == ("delete", "7")
    read = _read(tmp_path)
    assert [each["metadata"]["name"] for each in read.objects] == ["web-1"]
    assert [each.verb for each in read.changes] == ["patch", "delete"]


def test_a_field_that_becomes_null_is_an_update_of_the_whole(tmp_path: pathlib.Path) -> None:
    log = _log(tmp_path)
    _put(log, _pod(), listed=True)
    log.start(START)
    nulled = _pod(version=2)
    nulled["status"]["startTime"] = None
    _put(log, nulled, 1)
    log.close()
    assert _lines(tmp_path)[-1]["verb"] == "update"


def test_what_does_not_change_is_not_written(tmp_path: pathlib.Path) -> None:
    log = _log(tmp_path)
    _put(log, _pod(), listed=True)
    log.start(START)
    _put(log, _pod(), 1)
    log.close()
    assert log.changes == 0
    assert len(_lines(tmp_path)) == 2


def test_another_uid_is_another_object(tmp_path: pathlib.Path) -> None:
    log = _log(tmp_path)
    _put(log, _pod(), listed=True)
    log.start(START)
    _put(log, _pod(version=2, uid="other"), 1)
    log.close()
    assert [each["verb"] for each in _lines(tmp_path)[2:]] == ["delete", "create"]


def test_what_is_in_a_namespace_of_the_same_name_stays(tmp_path: pathlib.Path) -> None:
    """The deletion of a namespace may be received after what was created in its successor."""
    log = _log(tmp_path)
    space: Json = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    _put(log, space, listed=True)
    _put(log, _pod("old", creationTimestamp="2026-03-01T09:00:00Z"), listed=True)
    log.start(START)
    _put(log, _pod("new", 2, creationTimestamp="2026-03-01T10:00:05Z"), 5)
    log.remove(reference_of(space), START + 6 * SECOND, version="3", since="2026-03-01T10:00:02Z")
    log.close()
    assert [each.name for each in _end(tmp_path)] == ["new"]
    found = continuing.load(tmp_path / "recording")
    assert found is not None
    assert [each.name for each in found.states.references()] == ["new"]


def test_a_large_segment_ends_and_the_next_one_has_the_state(tmp_path: pathlib.Path) -> None:
    log = _log(tmp_path, most_bytes=1)
    log.start(START)
    for version in range(1, 5):
        _put(log, _pod(version=version), version)
        log.flush(START + version * SECOND)
    log.close()
    assert len(segments.find(tmp_path / "recording", "changes")) == 5
    last = _lines(tmp_path, 5)
    assert [each.get("verb") for each in last] == [None, "state"]
    assert last[0]["changes"] == 4
    read = _read(tmp_path)
    # The state of later segments repeats what is known.
    assert (read.objects, len(read.changes)) == ([], 4)
    # Without the first segments, the recording begins later.
    for number in (1, 2):
        (tmp_path / "recording" / segments.name("changes", number)).unlink()
    read = _read(tmp_path)
    assert (len(read.objects), len(read.changes)) == (1, 2)


def test_a_missing_segment_is_an_error_that_names_it(tmp_path: pathlib.Path) -> None:
    log = _log(tmp_path, most_bytes=1)
    log.start(START)
    for version in range(1, 4):
        _put(log, _pod(version=version), version)
        log.flush(START)
    log.close()
    (tmp_path / "recording" / segments.name("changes", 2)).unlink()
    with pytest.raises(InputError, match="segment 2 is missing"):
        _read(tmp_path)


def test_a_gap_asks_for_a_list_and_becomes_a_note(tmp_path: pathlib.Path) -> None:
    log = _log(tmp_path)
    _put(log, _pod(), listed=True)
    log.mark(POD, "5", START)
    log.start(START)
    _put(log, _pod(version=6), 2)
    log.gap(POD, START + 9 * SECOND)
    _put(log, _pod(version=8), 9, listed=True)
    log.flush(START)
    # Killed before the list was complete: the version of an object in it is not that of the list.
    found = continuing.load(tmp_path / "recording")
    assert found is not None
    assert found.versions == {"v1/Pod": ""}
    log.mark(POD, "20", START + 10 * SECOND)
    log.close()
    found = continuing.load(tmp_path / "recording")
    assert found is not None
    assert found.versions == {"v1/Pod": "20"}
    (note,) = _read(tmp_path).notes
    assert "Pod" in note
    assert "2026-03-01T10:00:02Z to 2026-03-01T10:00:09Z" in note


def test_a_segment_without_its_whole_state_does_not_count(tmp_path: pathlib.Path) -> None:
    log = _log(tmp_path)
    for number in range(40):
        _put(log, _pod(f"web-{number}", uid=f"{number * 7919}"), listed=True)
    log.start(START)
    _put(log, _pod("more", 3), 1)
    log.close()
    assert continuing.load(tmp_path / "recording") is not None
    path = tmp_path / "recording" / segments.name("changes", 2)
    whole = (tmp_path / "recording" / segments.name("changes", 1)).read_bytes()
    for size in (0, 5, 40, 200, len(whole) // 2):
        path.write_bytes(whole[:size])
        found = continuing.load(tmp_path / "recording")
        assert found is not None
        assert len(found.states) == 41
        assert len(_read(tmp_path).changes) == 1
    path.rename(tmp_path / "recording" / segments.name("changes", 1))
    assert continuing.load(tmp_path / "recording") is None


def test_a_damaged_segment_is_named(tmp_path: pathlib.Path) -> None:
    log = _log(tmp_path)
    _put(log, _pod(), listed=True)
    log.start(START)
    log.close()
    path = tmp_path / "recording" / segments.name("changes", 1)
    path.write_bytes(path.read_bytes()[:20] + b"\xff" * 30)
    with pytest.raises(InputError, match="damaged"):
        _read(tmp_path)
    with pytest.raises(InputError, match="damaged"):
        continuing.load(tmp_path / "recording")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nonsense", "malformed"),
        ('{"at":"soon","verb":"delete","apiVersion":"v1","kind":"Pod","name":"a"}', "soon"),
        ('{"at":"2026-03-01T10:00:00Z","verb":"create","apiVersion":"v1","kind":"Pod"}', "object"),
    ],
)
def test_a_line_that_is_none_is_named(tmp_path: pathlib.Path, line: str, said: str) -> None:
    log = _log(tmp_path)
    log.start(START)
    log.close()
    path = tmp_path / "recording" / segments.name("changes", 1)
    text = gzip.decompress(path.read_bytes()).decode()
    path.write_bytes(gzip.compress(f"{text}{line}\n".encode()))
    for reader in (lambda: _read(tmp_path), lambda: continuing.load(tmp_path / "recording")):
        with pytest.raises(InputError, match=said) as caught:
            reader()
        assert caught.value.line == 2


_EVENT = st.tuples(
    st.sampled_from(["put", "put", "put", "remove", "gap", "flush", "restart"]),
    st.integers(0, 3),
    st.dictionaries(st.sampled_from("abc"), st.sampled_from(["x", "y", ["z", {"q": 1}]])),
)


@settings(max_examples=25)
@given(st.lists(_EVENT, max_size=15), st.integers(0, 400), st.sampled_from([1, 2**20]))
def test_a_recording_that_is_cut_anywhere_is_a_prefix(
    events: list[tuple[str, int, dict[str, Any]]], cut: int, most_bytes: int
) -> None:
    """After each line the state is known; a cut recording has the state after one of them."""
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        log = _log(place, most_bytes)
        log.start(START)
        model: dict[Any, Json] = {}
        states: list[dict[Any, Json]] = [{}]
        for number, (what, which, data) in enumerate(events, 1):
            obj = _pod(f"pod-{which}", number)
            obj["status"] |= data
            if what == "put":
                _put(log, obj, number)
                model = {**model, reference_of(obj): obj}
            elif what == "remove":
                log.remove(reference_of(obj), START + number * SECOND, version=str(number))
                model = {key: each for key, each in model.items() if key != reference_of(obj)}
            elif what == "gap":
                log.gap(POD, START + number * SECOND)
                log.mark(POD, str(number), START + number * SECOND)
            elif what == "flush":
                log.flush(START + number * SECOND)
            else:
                log.close()
                again = continuing.load(place / "recording", most_bytes)
                assert again is not None
                log = again
                log.start(START + number * SECOND)
            states.append(model)
        log.close()
        assert _end(place) == model
        last = segments.find(place / "recording", "changes")[-1]
        written = last.read_bytes()
        last.write_bytes(written[: max(len(written) - cut, 0)])
        assert _end(place) in states
        found = continuing.load(place / "recording")
        if found is not None:
            assert {reference_of(each): each for each in found.states.objects()} == _end(place)
