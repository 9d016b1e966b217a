"""Rows for a map: applied up to any moment, they are the rows of the objects of that moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.results.history.cluster_history import HistoryLimits
from kubestage.results.history.map_rows import MapRows, node_row
from kubestage.results.history.marks import HistoryMarks
from kubestage.units import SECOND_NS
from tests.results.history import lives

if TYPE_CHECKING:
    from kubestage.results.history.cluster_history import ClusterHistory
    from kubestage.results.history.map_rows import MapPart


def read(rows: MapRows, after: int | None = None) -> MapPart:
    for _ in rows.catch_up():
        pass
    return rows.part(after)


class Shown:
    """What a client that has read rows shows."""

    def __init__(self) -> None:
        self.templates: list[Any] = []
        self.nodes: dict[str, Any] = {}
        self.pods: dict[str, Any] = {}
        self.sequence: int | None = None

    def read(self, rows: MapRows, until_ns: int | None = None) -> None:
        """Apply what is new, up to a moment."""
        part = read(rows, self.sequence)
        self.templates += part.templates
        if part.nodes is not None and part.pods is not None:
            self.nodes, self.pods = dict(part.nodes), dict(part.pods)
        for change in part.changes:
            if until_ns is not None and change.unix_ns > until_ns:
                break
            there = self.pods if change.is_pod else self.nodes
            if change.row is None:
                del there[change.key]
            else:
                assert there.get(change.key) != change.row
                there[change.key] = change.row
        self.sequence = rows.end

    @property
    def state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Nodes, and pods with their templates."""
        pods = {
            key: (self.templates[row.template], row.node, row.phase)
            for key, row in self.pods.items()
        }
        return self.nodes, pods


def expected(history: ClusterHistory, unix_ns: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The same from the objects of a moment, written once more and slowly."""
    objects = history.objects_at(unix_ns)
    nodes = {name: node_row(node) for name, node in objects.get(("", "nodes"), {}).items()}
    pods = {}
    for key, pod in objects.get(("", "pods"), {}).items():
        metadata, spec = pod["metadata"], pod["spec"]
        owners = [each for each in metadata.get("ownerReferences", ()) if each.get("controller")]
        cpu = spec["containers"][0].get("resources", {}).get("requests", {}).get("cpu", "0")
        cores = float(cpu[:-1]) / 1000 if cpu.endswith("m") else float(cpu)
        template = {
            "namespace": metadata["namespace"],
            "owner": f"{owners[0]['kind']}/{owners[0]['name']}" if owners else "",
            "priority": spec["priority"],
            "profile": "default-scheduler",
            "labels": metadata.get("labels", {}),
            "requests": {"cpu": cores, "memory": 0},
        }
        is_ending = "deletionTimestamp" in metadata
        phase = "Terminating" if is_ending else pod["status"]["phase"]
        pods[key] = template, spec.get("nodeName", ""), phase
    return nodes, pods


@settings(max_examples=25, deadline=None)
@given(
    steps=st.lists(st.sampled_from(lives.STEPS), max_size=14),
    more=st.lists(st.sampled_from(lives.STEPS), max_size=6),
    most=st.sampled_from([None, 8, 40]),
)
def test_rows_applied_up_to_a_moment_are_those_of_its_objects(
    steps: list[str], more: list[str], most: int | None
) -> None:
    stage, history = lives.recorded(HistoryLimits(most_changes=most))
    rows, live = MapRows(history), Shown()
    lives.live(stage, [*steps, "wait"])
    live.read(rows)
    assert live.state == expected(history, history.end_ns)
    lives.live(stage, [*more, "wait"])
    if live.sequence is not None and live.sequence >= history.forgotten:
        live.read(rows)
        assert live.state == expected(history, history.end_ns)
    for unix_ns in sorted({history.begin_ns, *history.times[::7]}):
        then = Shown()
        then.read(rows, unix_ns)
        assert then.state == expected(history, unix_ns)


def test_a_second_reading_has_only_what_is_new() -> None:
    stage, history = lives.recorded()
    rows = MapRows(history)
    lives.live(stage, ["deploy", "wait"])
    first = read(rows)
    assert first.nodes is not None
    assert first.changes
    assert read(rows, rows.end) == ([], None, None, [])
    before = rows.end
    stage.run(SECOND_NS)
    lives.live(stage, ["pod"])
    part = read(rows, before)
    assert [(each["owner"], each["requests"]["cpu"]) for each in part.templates] == [("", 0.5)]
    assert [change.key for change in part.changes] == ["default/p0"]
    assert part.changes[0].row == (len(first.templates), "", "Pending")


def test_a_reader_that_stops_half_way_begins_again() -> None:
    stage, history = lives.recorded()
    lives.live(stage, ["deploy", "pod", "wait"] * 3)
    rows, whole = MapRows(history), MapRows(history)
    for count in range(4):
        for at, _ in enumerate(rows.catch_up()):
            if at == count:
                break
    assert read(rows) == read(whole)


def test_changes_may_go_on_while_rows_are_read() -> None:
    stage, history = lives.recorded(HistoryLimits(most_changes=60))
    lives.live(stage, ["deploy", *["pod", "wait"] * 5])
    rows, live = MapRows(history), Shown()
    for number, _ in enumerate(rows.catch_up()):
        if number < 20:
            lives.live(stage, ["pod", "drop pod", "wait"])
    live.read(rows)
    assert live.state == expected(history, history.end_ns)


@pytest.mark.parametrize("conditions", [None, [], [{"type": "Ready", "status": "Unknown"}]])
def test_a_node_that_reports_nothing_is_not_ready(conditions: Any) -> None:
    node: Any = {
        "metadata": {"name": "a", "labels": {"agentpool": "small"}},
        "spec": {"unschedulable": True},
        "status": {"allocatable": {"cpu": "1500m", "memory": "1Ki", "pods": "7"}},
    }
    if conditions is not None:
        node["status"]["conditions"] = conditions
    row = node_row(node)
    assert (row["isReady"], row["isCordoned"], row["pool"]) == (False, True, "small")
    assert row["allocatable"] == {"cpu": 1.5, "memory": 1024, "pods": 7}


def test_rows_and_marks_are_read_in_small_pieces() -> None:
    stage, history = lives.recorded()
    lives.live(stage, ["deploy", *["scale", "wait"] * 20])
    for reader in (MapRows(history), HistoryMarks(history)):
        pieces = sum(1 for _ in reader.catch_up())
        assert pieces >= len(history.changes) // 32 > 5
        assert sum(1 for _ in reader.catch_up()) == 0
