from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects import conversion, kinds, shape

ROW = kinds.KindTable().by_plural("events.k8s.io", "v1", "events")
assert ROW is not None
NEW = {
    "apiVersion": "events.k8s.io/v1",
    "kind": "Event",
    "metadata": {"name": "e"},
    "eventTime": "2024-01-01T00:00:00.123456Z",
    "action": "Binding",
    "reason": "Scheduled",
    "note": "assigned",
    "regarding": {"kind": "Pod", "name": "p"},
    "related": {"kind": "Node", "name": "n"},
    "reportingController": "default-scheduler",
    "reportingInstance": "default-scheduler-x",
    "type": "Normal",
}


def test_both_groups_say_the_same_under_other_names() -> None:
    assert ROW is not None
    stored = conversion.to_stored(ROW, NEW)
    assert (stored["apiVersion"], stored["kind"]) == ("v1", "Event")
    assert stored["message"] == "assigned"
    assert stored["involvedObject"] == {"kind": "Pod", "name": "p"}
    assert stored["reportingComponent"] == "default-scheduler"
    assert stored["source"] == {}
    assert stored["firstTimestamp"] is None
    assert not {"note", "regarding", "reportingController"} & stored.keys()


def test_what_only_the_core_group_has_is_called_deprecated() -> None:
    assert ROW is not None
    old = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "e"},
        "count": 3,
        "firstTimestamp": "2024-01-01T00:00:00Z",
        "lastTimestamp": "2024-01-02T00:00:00Z",
        "source": {"component": "kubelet", "host": "n"},
        "message": "hello",
    }
    served = conversion.to_served(ROW, old)
    assert served["deprecatedCount"] == 3
    assert served["deprecatedFirstTimestamp"] == "2024-01-01T00:00:00Z"
    assert served["deprecatedLastTimestamp"] == "2024-01-02T00:00:00Z"
    assert served["deprecatedSource"] == {"component": "kubelet", "host": "n"}
    assert served["note"] == "hello"
    # Fields of this group that are empty are not shown, unlike those of the core group.
    assert "reportingController" not in served


TEXT = st.text(max_size=4)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "note": TEXT,
            "reason": TEXT,
            "action": TEXT,
            "type": TEXT,
            "reportingController": TEXT,
            "regarding": st.fixed_dictionaries({}, optional={"name": TEXT, "kind": TEXT}),
            "deprecatedCount": st.integers(0, 9),
            "deprecatedSource": st.fixed_dictionaries({}, optional={"host": TEXT}),
        },
    )
)
def test_there_and_back_is_where_it_began(parts: dict[str, Any]) -> None:
    assert ROW is not None
    event = shape.normalize({**NEW, **parts})
    assert conversion.to_served(ROW, conversion.to_stored(ROW, event)) == event


def test_rows_that_store_their_own_are_left_alone() -> None:
    row = kinds.KindTable().get("v1", "Event")
    assert row is not None
    obj: dict[str, Any] = {"metadata": {}}
    assert conversion.to_stored(row, obj) is obj
    assert conversion.to_served(row, obj) is obj
