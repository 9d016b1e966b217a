"""Recordings of kube-scheduler-simulator: lines to records, records to the events of a Scenario."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.errors import InputError
from kubestage.scenario import kss_recording, resource
from tests.scenario import kss_samples as samples
from tests.scenario.kss_samples import line

if TYPE_CHECKING:
    from kubestage.aliases import Json

NODE = line(0, "Add", "Node", samples.node("n1"))


def _changed(obj: Json, **parts: Any) -> Json:
    """The object with parts of it merged into what it has."""
    return {**obj, **{key: {**obj[key], **value} for key, value in parts.items()}}


def _events(*lines: str, notes: list[str] | None = None) -> list[Json]:
    """The events of a recording, but for Done."""
    made = kss_recording.scenario(kss_recording.read(lines), notes=notes)
    events: list[Json] = resource.normalized(made)["spec"]["events"]
    assert [each["operation"] for each in events].index("Done") == len(events) - 1
    return events[:-1]


def _told(*lines: str) -> list[tuple[int, str, str]]:
    """The events of a recording as step, operation and id."""
    return [(each["step"], each["operation"], each["id"]) for each in _events(*lines)]


def _notes(*lines: str) -> list[str]:
    notes: list[str] = []
    _events(*lines, notes=notes)
    return notes


def _patch(*lines: str) -> Any:
    """The patch of the last event."""
    return json.loads(_events(*lines)[-1]["patchOperation"]["patch"])


def test_a_line_is_a_record() -> None:
    (record,) = kss_recording.read([NODE])
    assert record.time_ns == 1768460400 * 10**9
    assert (record.event, record.line) == ("Add", 1)
    assert record.resource["metadata"]["name"] == "n1"


def test_times_have_fractions_and_zones() -> None:
    there = NODE.replace(samples.at(0), "2026-01-15T16:00:00.123456789+09:00")
    (record,) = kss_recording.read([there])
    assert record.time_ns == 1768460400 * 10**9 + 123456789


def test_blank_lines_are_passed_over_and_counted() -> None:
    records = list(kss_recording.read(["\n", NODE, "  \r\n", b"\n", NODE.encode()]))
    assert [each.line for each in records] == [2, 5]


def test_a_byte_order_mark_is_passed_over() -> None:
    assert list(kss_recording.read([b"\xef\xbb\xbf" + NODE.encode()]))


def test_a_last_line_without_an_end_is_read() -> None:
    notes: list[str] = []
    assert len(list(kss_recording.read([NODE, NODE.rstrip()], notes))) == 2
    assert notes == []


def test_a_last_line_that_is_cut_off_is_told() -> None:
    notes: list[str] = []
    assert len(list(kss_recording.read([NODE, NODE[:50]], notes))) == 1
    assert notes == ["line 2, the last one, is cut off: it is left out"]


@pytest.mark.parametrize("lines", [[NODE[:50] + "\n"], [NODE[:50], NODE], [NODE[:50] + "\n", "\n"]])
def test_any_other_line_that_is_cut_off_is_an_error(lines: list[str]) -> None:
    with pytest.raises(InputError, match="not JSON") as caught:
        list(kss_recording.read(lines, []))
    assert caught.value.line == 1


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ("{", "not JSON"),
        ("[]", "not a record"),
        ("3", "not a record"),
        ('{"event": "Add", "resource": {}}', "`time`"),
        ('{"time": 3, "event": "Add", "resource": {}}', "`str`"),
        ('{"time": "noon", "event": "Add", "resource": {}}', "time: parsing time"),
        (NODE.replace("Add", "Added"), "event: unknown event 'Added'"),
        (NODE.replace('"apiVersion": "v1", ', ""), "resource.apiVersion"),
        (NODE.replace('"kind": "Node", ', ""), "resource.kind"),
        (NODE.replace('"name": "n1"', '"name": ""'), "resource.metadata.name"),
        (NODE.replace('"metadata"', '"meta"'), "resource.metadata.name"),
        ('{"x": "\udcff"}', "not"),
    ],
)
def test_a_line_that_is_no_record_is_told_with_its_number(wrong: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        list(kss_recording.read([NODE, "\n", wrong, NODE]))
    assert caught.value.line == 3
    assert caught.value.fix


def test_a_step_is_a_second_since_the_first_record() -> None:
    web = samples.pod("web", meta={"creationTimestamp": samples.at(61)})
    made = kss_recording.scenario(
        kss_recording.read([NODE, line(61.9, "Add", "Pod", web), line(3600, "Delete", "Pod", web)]),
        "night",
    )
    assert made["spec"]["stepDuration"] == "1s"
    assert made["metadata"] == {"name": "night", "creationTimestamp": samples.at(0)}
    steps = [(each["step"], each["operation"]) for each in made["spec"]["events"]]
    assert steps == [(0, "Create"), (61, "Create"), (3600, "Delete"), (3600, "Done")]


def test_an_empty_recording_is_done_at_once() -> None:
    made = kss_recording.scenario([])
    assert [each["operation"] for each in made["spec"]["events"]] == ["Done"]


def test_the_order_of_lines_is_kept_within_a_step() -> None:
    pods = [samples.pod(f"p{n}", meta={"creationTimestamp": samples.at(5)}) for n in (3, 1, 2)]
    lines = [line(5 + n / 10, "Add", "Pod", each) for n, each in enumerate(pods)]
    assert [each[2] for each in _told(NODE, *lines)] == ["line-1", "line-2", "line-3", "line-4"]


def test_time_never_goes_back() -> None:
    new = {"creationTimestamp": samples.at(9)}
    lines = (
        NODE,
        line(9, "Add", "Pod", samples.pod("a", meta=new)),
        line(7, "Add", "Pod", samples.pod("b", meta=new)),
    )
    assert [each[0] for each in _told(*lines)] == [0, 9, 9]
    assert _notes(*lines) == [
        "1 record is earlier than the one before: played in the order written"
    ]


def test_a_recording_of_more_than_a_lifetime_is_an_error() -> None:
    first = NODE.replace(samples.at(0), "0001-01-01T00:00:00Z")
    with pytest.raises(InputError, match="68 years") as caught:
        _events(first, NODE)
    assert caught.value.line == 2


def test_what_was_there_when_the_recorder_came_is_there_from_the_start() -> None:
    old, new = samples.pod("old"), samples.pod("new", meta={"creationTimestamp": samples.at(3)})
    lines = (NODE, line(4, "Add", "Pod", old), line(4, "Add", "Pod", new))
    assert [each[0] for each in _told(*lines)] == [0, 0, 4]


def test_what_comes_after_the_list_of_its_kind_was_not_there_before() -> None:
    late = line(9, "Add", "Pod", samples.pod("late"))
    first = samples.pod("first")
    moved = line(8, "Update", "Pod", _changed(first, metadata={"labels": {"a": "b"}}))
    assert _told(NODE, line(1, "Add", "Pod", first), moved, late)[-1][0] == 9


def test_a_bound_pod_stays_where_it_was_first_seen() -> None:
    web = samples.bound(samples.pod("web"), "n1")
    created = _events(NODE, line(1, "Add", "Pod", web))[-1]["createOperation"]
    assert created["asRecorded"] is True
    assert created["object"]["spec"]["nodeName"] == "n1"


def test_where_a_pending_pod_went_is_not_told() -> None:
    web = samples.pod("web", meta={"annotations": {"team": "a"}})
    zone = {"labels": {"topology.kubernetes.io/zone": "z1"}}
    results = {"annotations": {"team": "a", **samples.RESULTS}}
    there = _changed(samples.bound(web, "n1"), metadata={**zone, **results})
    lines = (NODE, line(1, "Add", "Pod", web), line(2, "Update", "Pod", there))
    assert _told(*lines)[-1] == (0, "Create", "line-2")
    assert "nodeName" not in _events(*lines)[-1]["createOperation"]["object"]["spec"]


def test_an_update_is_the_difference_to_the_record_before() -> None:
    web = samples.pod("web", meta={"labels": {"app": "web", "old": "x"}})
    web["spec"]["schedulingGates"] = [{"name": "wait"}]
    after = _changed(samples.bound(web, "n1"), metadata={"labels": {"app": "shop"}})
    del after["spec"]["schedulingGates"]
    lines = (NODE, line(1, "Add", "Pod", web), line(2, "Update", "Pod", after))
    assert _patch(*lines) == {
        "metadata": {"labels": {"app": "shop", "old": None}},
        "spec": {"schedulingGates": None},
    }
    operation = _events(*lines)[-1]["patchOperation"]
    assert operation["patchType"] == "application/merge-patch+json"
    assert operation["typeMeta"] == {"apiVersion": "v1", "kind": "Pod"}
    assert operation["objectMeta"]["name"] == "web"
    assert operation["objectMeta"]["namespace"] == "shop"


def test_heartbeats_and_images_of_a_node_are_no_change() -> None:
    node = samples.node("n1")
    later = samples.heartbeat(node, 300)
    later["status"]["images"] = [{"names": ["app:1.0"], "sizeBytes": 3}]
    later["status"]["volumesInUse"] = ["kubernetes.io/csi/x"]
    assert len(_events(NODE, line(300, "Update", "Node", later))) == 1


def test_what_a_node_offers_and_how_it_is_are_changes() -> None:
    node = samples.heartbeat(samples.node("n1"), 300)
    node["status"]["allocatable"] = {**node["status"]["allocatable"], "example.com/gpu": "2"}
    node["spec"] = {"unschedulable": True}
    assert _patch(NODE, line(300, "Update", "Node", node)) == {
        "spec": {"unschedulable": True},
        "status": {"allocatable": {"example.com/gpu": "2"}},
    }
    node["status"]["conditions"][0]["status"] = "False"
    patch = _patch(NODE, line(300, "Update", "Node", node))
    assert patch["status"]["conditions"] == node["status"]["conditions"]


def test_a_pod_that_is_gone_goes_at_once() -> None:
    web = samples.pod("web")
    gone = _events(NODE, line(1, "Add", "Pod", web), line(9, "Delete", "Pod", web))[-1]
    assert gone["deleteOperation"]["deleteOptions"] == {"gracePeriodSeconds": 0}
    assert gone["deleteOperation"]["objectMeta"]["namespace"] == "shop"


def test_the_beginning_of_an_end_is_not_the_end() -> None:
    web = samples.bound(samples.pod("web"), "n1")
    ending = _changed(web, metadata={"deletionTimestamp": samples.at(40)})
    assert len(_events(NODE, line(1, "Add", "Pod", web), line(10, "Update", "Pod", ending))) == 2
    created = _events(NODE, line(1, "Add", "Pod", ending))[-1]["createOperation"]["object"]
    assert "deletionTimestamp" not in created["metadata"]


def test_an_object_without_a_namespace_is_named_without_one() -> None:
    gone = _events(NODE, line(1, "Delete", "Node", samples.node("n1")))[-1]
    assert "namespace" not in gone["deleteOperation"]["objectMeta"]


def test_the_records_are_left_alone() -> None:
    web = samples.pod("job", restartPolicy="Never")
    lines = [NODE, line(1, "Add", "Pod", web), line(50, "Update", "Pod", samples.ended(web, 5, 45))]
    records = list(kss_recording.read(lines))
    before = copy.deepcopy(records)
    kss_recording.scenario(records)
    assert records == before


_KINDS = st.sampled_from(["Pod", "Node", "PersistentVolume", "PersistentVolumeClaim", "Namespace"])
_NAMES = st.sampled_from(
    ["spec", "status", "claimRef", "name", "uid", "labels", "annotations", "containers",
     "conditions", "phase", "containerStatuses", "state", "terminated", "finalizers", "namespace",
     "ownerReferences", "restartPolicy", "creationTimestamp", "resources", "schedulerName"]
)  # fmt: skip
_TEXTS = st.sampled_from(["", "a", "Failed", "Never", "Bound", "2026-01-15T07:00:00Z"])
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=4),
    max_leaves=12,
)
_OBJECTS = st.dictionaries(_NAMES, _VALUES, max_size=5)


@given(
    st.lists(
        st.tuples(st.sampled_from(["Add", "Update", "Delete"]), _KINDS, _OBJECTS, _OBJECTS),
        max_size=6,
    )
)
def test_whatever_objects_are_recorded_become_a_scenario(
    told: list[tuple[str, str, Json, Json]],
) -> None:
    lines = [
        line(second, event, kind, {**obj, "metadata": {**metadata, "name": "x"}})
        for second, (event, kind, obj, metadata) in enumerate(told)
    ]
    made = kss_recording.scenario(kss_recording.read(lines), notes=[])
    spec = resource.read(resource.normalized(made))
    steps = [event.step for event in spec.events]
    assert steps == sorted(steps)
    assert len({event.id for event in spec.events}) == len(spec.events)
