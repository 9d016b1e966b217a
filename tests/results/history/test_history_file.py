"""A history that was written is the history that is read, to the last object and attempt."""

from __future__ import annotations

import gzip
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage import Stage
from kubestage.errors import InputError
from kubestage.results.history import differences, history_directory, history_file, history_recorder
from kubestage.results.history.cluster_history import ClusterHistory, HistoryStart
from kubestage.results.history.history_recorder import HistoryRecorder
from kubestage.testing import make_deployment, make_node
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    import pathlib

    from kubestage.results.history.history_file import HistoryBytes, RecordedHistory

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(0, 1) | st.text(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from("abcd"), VALUES, max_size=4)


def lived(**limits: int) -> tuple[Stage, ClusterHistory, HistoryBytes]:
    """A stage that lived for a while, recorded in memory and for a file."""
    stage = Stage()
    stage.add_scheduler(recording="none")
    stage.add_controllers()
    stage.apply([make_node("a"), make_node("b"), make_deployment("old", replicas=2)])
    stage.run("1m")
    start_state = history_recorder.beginning(stage.store, stage.clock, stage.scheduler, stage.seed)
    recorder = HistoryRecorder(stage.store, stage.clock, stage.scheduler, start_state, **limits)
    recorder.start()
    history = ClusterHistory(stage.store, stage.clock)
    history.start()
    stage.apply([make_deployment("web", replicas=3)])
    stage.run(20 * SECOND_NS)
    stage.store.delete(("v1", "Node"), "b")
    stage.store.delete(("apps/v1", "Deployment"), "old", "default")
    stage.run("2m")
    return stage, history, recorder.end()


def written(packed: HistoryBytes, tmp_path: pathlib.Path) -> RecordedHistory:
    for name, content in history_directory.files(packed).items():
        (tmp_path / name).write_bytes(content)
    found = history_directory.read(tmp_path)
    assert found is not None
    return found


def restored(recorded: RecordedHistory, stage: Stage) -> ClusterHistory:
    history = ClusterHistory(stage.store, stage.clock)
    start = HistoryStart(recorded.header.begin_ns, recorded.header.revision, recorded.first)
    history.restore(start, recorded.times, recorded.changes)
    return history


def without_old_events(objects: dict[tuple[str, str], dict[str, Any]], begin: int) -> Any:
    """Objects that a file knows: Events from before its beginning are left out."""
    found = {}
    for place, there in objects.items():
        kept = {
            key: obj
            for key, obj in there.items()
            if place != ("", "events") or int(obj["metadata"]["resourceVersion"]) > begin
        }
        if kept:
            found[place] = kept
    return found


def test_every_moment_of_a_file_is_as_it_was(tmp_path: pathlib.Path) -> None:
    stage, history, packed = lived()
    recorded = written(packed, tmp_path)
    again = restored(recorded, stage)
    begin = recorded.header.revision
    assert (again.begin_ns, again.end_ns) == (history.begin_ns, history.end_ns)
    assert len(again.changes) == recorded.end.changes > 20
    for unix_ns in sorted({*history.times, history.begin_ns, history.end_ns}):
        there = without_old_events(again.objects_at(unix_ns), begin)
        assert there == without_old_events(history.objects_at(unix_ns), begin)
    assert recorded.last == again.objects_at(again.end_ns)


def test_changes_know_what_was_before_them(tmp_path: pathlib.Path) -> None:
    _, history, packed = lived()
    recorded = written(packed, tmp_path)
    known = {(each.revision, each.key): each for each in history.changes}
    for each in recorded.changes:
        original = known[each.revision, each.key]
        assert (each.type, each.kind, each.new) == (original.type, original.kind, original.new)
        if each.kind.kind != "Event":
            assert each.old == original.old


def test_attempts_come_with_what_was_found_out(tmp_path: pathlib.Path) -> None:
    stage, _, packed = lived()
    rows = written(packed, tmp_path).attempts.rows
    scheduled = [row for row in rows if row.decision.result == "scheduled"]
    assert len(scheduled) >= 3
    web = next(row for row in scheduled if row.decision.pod.startswith("default/web-"))
    assert web.explanation is not None
    assert web.explanation["selected"] == web.decision.node
    assert web.unix_ns == stage.clock.unix_ns - 140 * SECOND_NS + (web.unix_ns % SECOND_NS)


def test_the_same_run_gives_the_same_bytes() -> None:
    assert lived()[2] == lived()[2]


def test_beyond_a_number_of_changes_only_what_is_shown_is_kept(tmp_path: pathlib.Path) -> None:
    _, history, packed = lived(most_changes=5)
    recorded = written(packed, tmp_path)
    later = recorded.changes[5:]
    places = {(each.kind.group, each.kind.plural) for each in later}
    assert places <= history_recorder.SHOWN
    assert recorded.end.reduced_ns is not None
    pods = [each for each in history.changes if each.kind.kind == "Pod"]
    assert len([each for each in recorded.changes if each.kind.kind == "Pod"]) == len(pods)


def test_beyond_a_larger_number_nothing_is_kept(tmp_path: pathlib.Path) -> None:
    recorded = written(lived(most_changes=5, most_shown=10)[2], tmp_path)
    assert recorded.end.changes == len(recorded.changes) == 10
    assert recorded.end.stopped_ns is not None


def test_several_histories_share_their_beginning(tmp_path: pathlib.Path) -> None:
    packed = lived()[2]
    files = history_directory.files_of_many([packed, None, packed])
    assert sorted(files) == [
        "histories/001.jsonl.gz", "histories/003.jsonl.gz", "histories/beginning.jsonl.gz",
    ]  # fmt: skip
    (tmp_path / "histories").mkdir()
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    assert history_directory.read_one(tmp_path, 2) is None
    third = history_directory.read_one(tmp_path, 3)
    assert third is not None
    assert len(third.changes) == third.end.changes


def test_a_history_that_begins_otherwise_has_a_beginning_of_its_own(tmp_path: pathlib.Path) -> None:
    packed = lived()[2]
    stage = Stage(seed=7)
    start_state = history_recorder.beginning(stage.store, stage.clock, None, stage.seed)
    other = HistoryRecorder(stage.store, stage.clock, None, start_state)
    other.start()
    stage.apply(make_node("only"))
    (tmp_path / "histories").mkdir()
    for name, content in history_directory.files_of_many([packed, other.end()]).items():
        (tmp_path / name).write_bytes(content)
    second = history_directory.read_one(tmp_path, 2)
    assert second is not None
    assert second.header.seed == 7
    assert list(second.last["", "nodes"]) == ["only"]


def test_a_copy_of_the_stage_is_not_recorded() -> None:
    stage = Stage()
    scheduler = stage.add_scheduler(recording="none")
    start_state = history_recorder.beginning(stage.store, stage.clock, scheduler, stage.seed)
    recorder = HistoryRecorder(stage.store, stage.clock, scheduler, start_state)
    recorder.start()
    copy = pickle.loads(pickle.dumps(stage))
    copy.apply(make_node("a"))
    assert gzip.decompress(recorder.end().changes).count(b"\n") == 1


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"no gzip", "cannot be read"),
        (gzip.compress(b"no json\n"), "cannot be read"),
        (gzip.compress(b'["end",{}]\n'), "missing required field"),
        (gzip.compress(b'["history",{"format":99}]\n'), "format 99 is not 1"),
        (gzip.compress(b'["what"]\n'), "is not a history"),
        (gzip.compress(b""), "no beginning or no end"),
    ],
    ids=["no gzip", "no json", "no end", "format", "unknown line", "empty"],
)
def test_a_damaged_file_is_refused(tmp_path: pathlib.Path, content: bytes, problem: str) -> None:
    path = tmp_path / history_directory.NAME
    path.write_bytes(content)
    with pytest.raises(InputError, match=problem) as error:
        history_file.read(path)
    assert error.value.file == str(path)


def test_a_cut_file_is_refused(tmp_path: pathlib.Path) -> None:
    path = tmp_path / history_directory.NAME
    packed = lived()[2]
    path.write_bytes((packed.beginning + packed.changes)[:-200])
    with pytest.raises(InputError):
        history_file.read(path)


@given(OBJECTS, OBJECTS)
def test_a_difference_makes_the_old_object_the_new_one(old: Any, new: Any) -> None:
    patch = differences.difference(old, new)
    if patch is not None:
        made = differences.apply(old, patch)
        assert made == new
        assert repr(_sorted(made)) == repr(_sorted(new))


def test_only_a_field_that_is_null_has_no_patch() -> None:
    old = {"gone": 1, "kept": 2, "map": {"a": 1}}
    listed = {"kept": 2, "map": {"a": 1}, "list": [None, {"lastProbeTime": None}]}
    assert differences.difference(old, listed) == {"gone": None, "list": listed["list"]}
    assert differences.apply(old, {"gone": None, "list": listed["list"]}) == listed
    assert differences.difference(old, {**old, "map": {"a": None}}) is None
    assert differences.difference(old, {**old, "new": {"inner": {"deep": None}}}) is None


@given(OBJECTS)
def test_there_is_none_to_an_object_itself(obj: Any) -> None:
    assert differences.difference(obj, obj) == {}


def _sorted(value: Any) -> Any:
    """The same with keys in order: 1 and True are equal, but not the same."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(each) for each in value] if isinstance(value, list) else value


def test_a_history_that_is_full_observes_nothing_more() -> None:
    stage = Stage()
    start_state = history_recorder.beginning(stage.store, stage.clock, None, stage.seed)
    recorder = HistoryRecorder(
        stage.store, stage.clock, None, start_state, most_changes=1, most_shown=2
    )
    before = subscribers(stage)
    recorder.start()
    assert subscribers(stage) == before + 1
    stage.apply([make_node(name) for name in "abcd"])
    assert subscribers(stage) == before
    assert gzip.decompress(recorder.end().changes).count(b"\n") == 4


def subscribers(stage: Stage) -> int:
    """How many are notified of changes of nodes."""
    return len(stage.store.collection(("v1", "Node")).subscribers)
