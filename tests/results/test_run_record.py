from __future__ import annotations

import contextlib
import os
import pathlib
import pickle
import re
import sqlite3
import subprocess
import sys

import pytest

from kubestage.errors import InputError
from kubestage.results import run_record, trace, trace_file
from kubestage.results.run_record import BATCH_ROWS, NoRecord, RunRecord
from kubestage.scheduler.record import Decision
from kubestage.testing import make_pod
from tests.results import samples

ROOT = pathlib.Path(__file__).parents[2]
WRITE_ONE = """
import pathlib, sys
from kubestage.results.run_record import RunRecord
from tests.results.test_run_record import fill
with RunRecord(pathlib.Path(sys.argv[1]) / "record.sqlite", {"seed": "7"}) as record:
    fill(record, 2_500)
"""


def decision(number: int, pod: str = "", result: str = "unschedulable", node: str = "") -> Decision:
    name = pod or f"default/web-{number}"
    return Decision(number, number * 5, name, "default-scheduler", result, node, 9, 3, "no room")


def fill(record: RunRecord, attempts: int, nodes: int = 20) -> None:
    """Attempts with explanations, and an event after each."""
    names = [f"n{index}" for index in range(nodes)]
    for number in range(1, attempts + 1):
        verdicts = {node: {"NodeName": "passed", "Fit": str(number)} for node in names}
        told = {"feasible": names, "filter": verdicts}
        record.attempt(number // 100, decision(number), f"uid-{number}", told)
        pod = make_pod(f"web-{number}")
        record.event(number // 100, samples.created(number // 100, pod))
    record.step_finished(attempts // 100, attempts)


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "a record?.sqlite"


def test_what_was_recorded_is_read_back(path: pathlib.Path) -> None:
    samples.write_record(path, samples.rivalry())
    with run_record.open(path) as record:
        assert record.about == {"scenario": "story"}
        rows = list(record.decisions())
        assert [(row.number, row.step, row.pod, row.node) for row in rows] == [
            (1, 0, "default/weak", "n1"),
            (2, 1, "default/strong", ""),
            (3, 1, "default/strong", "n1"),
            (4, 1, "default/late", ""),
        ]
        assert rows[3].message == samples.NO_ROOM
        assert rows[3].uid == "uid-late"
        assert [row.number for row in record.decisions(pod="default/strong")] == [2, 3]
        assert record.explanation(3) == samples.story(3)
        assert record.explanation(5) is None


def test_pods_are_told_with_their_attempts_and_their_last_fate(path: pathlib.Path) -> None:
    samples.write_record(path, samples.rivalry())
    with run_record.open(path) as record:
        assert [(row.pod, row.attempts, row.result, row.node) for row in record.pods()] == [
            ("default/weak", 1, "scheduled", "n1"),
            ("default/strong", 2, "scheduled", "n1"),
            ("default/late", 1, "unschedulable", ""),
        ]


def test_a_pod_that_was_made_again_under_its_name_is_another_pod(path: pathlib.Path) -> None:
    with RunRecord(path) as writer:
        writer.attempt(0, decision(1, "default/web"), "old", None)
        writer.attempt(1, decision(2, "default/web", "scheduled", "n1"), "new", None)
    with run_record.open(path) as record:
        told = [(row.uid, row.number, row.node) for row in record.pods()]
    assert told == [("old", 1, ""), ("new", 2, "n1")]


def test_an_attempt_that_waited_has_two_rows_and_counts_once(path: pathlib.Path) -> None:
    with RunRecord(path) as writer:
        writer.attempt(0, decision(1, "default/web", "waiting", "n1"), "u", {"first": 1})
        writer.attempt(0, decision(1, "default/web", "scheduled", "n1"), "u", {"first": 1})
    with run_record.open(path) as record:
        assert [row.result for row in record.decisions()] == ["waiting", "scheduled"]
        assert [(row.attempts, row.result) for row in record.pods()] == [(1, "scheduled")]
        assert record.explanation(1) == {"first": 1}


def test_the_timeline_tells_who_each_event_is_about(path: pathlib.Path) -> None:
    samples.write_record(path, samples.rivalry())
    with run_record.open(path) as record:
        rows = list(record.timeline())
        assert [(row.step, row.position, row.operation, row.kind, row.name) for row in rows] == [
            (0, 0, "Create", "Node", "n1"),
            (0, 1, "Create", "Pod", "weak"),
            (0, 2, "PodScheduled", "Pod", "weak"),
            (1, 0, "Create", "Pod", "strong"),
            (1, 1, "Create", "Pod", "late"),
            (1, 2, "PodPreempted", "Pod", "weak"),
            (1, 3, "PodScheduled", "Pod", "strong"),
            (1, 4, "PodUnscheduled", "Pod", "late"),
            (2, 0, "Done", "", ""),
        ]
        [evicted] = record.timeline(operation="PodPreempted")
        assert (evicted.node, evicted.preempted_by) == ("n1", "default/strong")
        assert [row.position for row in record.timeline(step=1, node="n1")] == [2, 3]
        assert [row.step for row in record.timeline(kind="Pod", name="weak")] == [0, 0, 1]
        assert list(record.timeline(namespace="elsewhere")) == []


def test_an_event_that_only_names_its_object_is_about_that_object(path: pathlib.Path) -> None:
    event = samples.deleted(3, "Pod", "web", "shop")
    patch = {**event, "operation": "Patch", "patch": event["delete"]}
    del patch["delete"]
    bound = make_pod("there", node_name="n7")
    with RunRecord(path) as writer:
        writer.event(3, event)
        writer.event(3, patch)
        writer.event(3, samples.created(3, bound))
    with run_record.open(path) as record:
        rows = [(row.operation, row.kind, row.namespace, row.name) for row in record.timeline()]
        assert rows[:2] == [("Delete", "Pod", "shop", "web"), ("Patch", "Pod", "shop", "web")]
        assert [row.name for row in record.timeline(node="n7")] == ["there"]


def test_a_query_counts_what_happened_in_each_step(path: pathlib.Path) -> None:
    samples.write_record(path, samples.rivalry())
    connection = sqlite3.connect(path)
    rows = connection.execute(
        "SELECT step, at_ns, (SELECT count(*) FROM decisions WHERE decisions.step = steps.step)"
        " FROM steps"
    ).fetchall()
    connection.close()
    assert rows == [(0, 0, 1), (1, 1_000, 3), (2, 2_000, 0)]


def test_the_same_run_gives_the_same_bytes_in_another_process(tmp_path: pathlib.Path) -> None:
    written = []
    # Memory that nobody has written to yet must not find its way into the file.
    for place, perturbed in (("one", "85"), ("a place of another length", "170")):
        folder = tmp_path / place
        folder.mkdir()
        environment = os.environ | {"MALLOC_PERTURB_": perturbed, "PYTHONHASHSEED": perturbed}
        command = [sys.executable, "-c", WRITE_ONE, str(folder)]
        subprocess.run(command, cwd=ROOT, check=True, env=environment)
        written.append((folder / "record.sqlite").read_bytes())
    assert len(written[0]) > 100_000
    assert written[0] == written[1]


@pytest.mark.parametrize("what", ["attempts", "events"])
def test_what_is_kept_in_memory_does_not_grow_with_the_run(path: pathlib.Path, what: str) -> None:
    most = 0
    with RunRecord(path) as record:
        for number in range(1, 3 * BATCH_ROWS):
            if what == "attempts":
                record.attempt(0, decision(number), "uid", {"filter": {"n1": {"Fit": "passed"}}})
            else:
                record.event(0, samples.done(0))
            most = max(most, len(record._decisions), len(record._timeline))
    assert 0 < most < BATCH_ROWS


def test_an_explanation_goes_to_the_file_with_the_next_batch(path: pathlib.Path) -> None:
    with RunRecord(path) as record:
        empty = record._partial.stat().st_size
        fill(record, BATCH_ROWS)
        assert record._partial.stat().st_size > empty + 100 * BATCH_ROWS


def test_the_file_appears_when_it_is_whole(path: pathlib.Path) -> None:
    record = RunRecord(path)
    fill(record, 10)
    assert not path.exists()
    record.close()
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_an_error_leaves_nothing_behind_and_spares_an_earlier_record(path: pathlib.Path) -> None:
    samples.write_record(path, samples.rivalry())
    before = path.read_bytes()
    with contextlib.suppress(RuntimeError), RunRecord(path) as record:
        fill(record, 10)
        raise RuntimeError
    assert path.read_bytes() == before
    assert len(list(path.parent.iterdir())) == 1


def test_a_record_that_was_cut_off_is_begun_anew(path: pathlib.Path) -> None:
    cut_off = RunRecord(path)
    fill(cut_off, 10)
    samples.write_record(path, samples.rivalry())
    with run_record.open(path) as record:
        assert len(list(record.decisions())) == 4
    cut_off._connection.close()


def test_a_place_that_cannot_be_written_to_is_an_input_error(tmp_path: pathlib.Path) -> None:
    with pytest.raises(InputError, match="missing"):
        RunRecord(tmp_path / "missing" / "record.sqlite")


def test_a_copy_keeps_nothing(path: pathlib.Path) -> None:
    with RunRecord(path) as record:
        copy = pickle.loads(pickle.dumps(record))
        assert isinstance(copy, NoRecord)
        copy.attempt(0, decision(1), "uid", {})
        copy.event(0, samples.done(0))
        copy.step_finished(0, 0)
        copy.close()
    with run_record.open(path) as read:
        assert list(read.decisions()) == []


def test_what_is_no_record_is_refused_by_name(tmp_path: pathlib.Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("not a database, but longer than the hundred bytes of a header " * 3)
    with pytest.raises(InputError, match=r"notes\.txt: file is not a database"):
        run_record.open(text)
    with pytest.raises(InputError, match="no such file"):
        run_record.open(tmp_path / "nothing.sqlite")
    other = tmp_path / "trace.sqlite"
    with trace.SqliteRecorder(other):
        pass
    with pytest.raises(InputError, match="is not the record of a run") as refusal:
        run_record.open(other)
    assert refusal.value.fix


def test_a_record_of_another_layout_is_refused(path: pathlib.Path) -> None:
    samples.write_record(path, samples.rivalry())
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(InputError, match="layout 99, not 1"):
        run_record.open(path)


def test_a_damaged_explanation_is_an_input_error(path: pathlib.Path) -> None:
    samples.write_record(path, samples.rivalry())
    connection = sqlite3.connect(path)
    connection.execute("UPDATE details SET told = x'00' WHERE number = 1")
    connection.commit()
    connection.close()
    with run_record.open(path) as record, pytest.raises(InputError, match="attempt 1 is damaged"):
        record.explanation(1)


def test_the_queries_of_the_page_give_answers(path: pathlib.Path) -> None:
    samples.write_record(path, samples.rivalry())
    queries = re.findall(r"```sql\n(.*?)```", (ROOT / "docs" / "runs.md").read_text(), re.DOTALL)
    connection = sqlite3.connect(path)
    answers = [connection.execute(query).fetchall() for query in queries]
    connection.close()
    assert len(answers) == 4
    assert answers[0][0] == ("default/strong", 2)
    assert answers[2] == [(1, "default/weak", "n1", "default/strong")]
    assert all(answers)


def test_a_disk_that_is_full_is_said_to_be_full(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "record.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA max_page_count = 1")
        with pytest.raises(InputError, match="free some space"), trace_file.error_context(path):
            connection.execute("CREATE TABLE t (x)")
