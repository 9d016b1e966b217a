"""managedFields after writes: who owns what, and since when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage import errors
from kubestage.objects.ownership import last_applied, tracking
from kubestage.objects.ownership.tracking import Writer
from tests.objects.ownership import kinds_seen

if TYPE_CHECKING:
    from kubestage.aliases import Json

VIEW = kinds_seen.view("v1", "ConfigMap")
EMPTY = kinds_seen.empty("v1", "ConfigMap")
SOMEONE = Writer("someone", "", "2026-01-01T00:00:00Z")


def config_map(data: dict[str, str], entries: list[Json] | None = None, **metadata: Any) -> Json:
    own = {"name": "m", **metadata, **({"managedFields": entries} if entries else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": own, "data": data}


def created(data: dict[str, str], manager: str = "a", **metadata: Any) -> Json:
    obj = config_map(data, **metadata)
    writer = SOMEONE._replace(manager=manager)
    entries = tracking.updated(VIEW, EMPTY, obj, writer, fresh=True)
    return config_map(data, entries, **metadata)


def fields(entries: list[Json]) -> dict[str, Json]:
    return {entry["manager"]: entry["fieldsV1"] for entry in entries}


def test_a_creator_owns_all_but_who_the_object_is() -> None:
    (entry,) = created({"x": "1"})["metadata"]["managedFields"]
    assert entry == {
        "manager": "a",
        "operation": "Update",
        "apiVersion": "v1",
        "time": "2026-01-01T00:00:00Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:data": {".": {}, "f:x": {}}},
    }


def test_who_changes_a_field_takes_it_and_who_removes_it_frees_it() -> None:
    live = created({"x": "1", "y": "1"})
    entries = tracking.updated(VIEW, live, config_map({"x": "2"}), SOMEONE)
    assert fields(entries) == {"a": {"f:data": {}}, "someone": {"f:data": {"f:x": {}}}}


def test_a_write_that_changes_nothing_leaves_no_trace() -> None:
    live = created({"x": "1"})
    later = SOMEONE._replace(now="2027-01-01T00:00:00Z")
    entries = tracking.updated(VIEW, live, config_map({"x": "1"}), later)
    assert entries == live["metadata"]["managedFields"]


def test_an_object_without_managers_is_not_tracked() -> None:
    live = config_map({"x": "1"})
    assert tracking.updated(VIEW, live, config_map({"x": "2"}), SOMEONE) == []


@pytest.mark.parametrize("sent", [[], [{}]])
def test_a_reset_forgets_all_managers(sent: list[Json]) -> None:
    live = created({"x": "1"})
    assert tracking.updated(VIEW, live, config_map({"x": "2"}), SOMEONE, sent=sent) == []


def test_managers_that_a_request_writes_down_are_taken_over() -> None:
    live = created({"x": "1"})
    sent = [{**live["metadata"]["managedFields"][0], "manager": "other"}]
    entries = tracking.updated(VIEW, live, config_map({"x": "1"}), SOMEONE, sent=sent)
    assert set(fields(entries)) == {"other"}
    through = SOMEONE._replace(subresource="status")
    entries = tracking.updated(VIEW, live, config_map({"x": "1"}), through, sent=sent)
    assert set(fields(entries)) == {"a"}


@pytest.mark.parametrize("sent", [[{"operation": "Nothing"}], "x", [None, None], [{"manager": 1}]])
def test_managers_that_make_no_sense_are_as_if_not_sent(sent: Any) -> None:
    live = created({"x": "1"})
    entries = tracking.updated(VIEW, live, config_map({"x": "1"}), SOMEONE, sent=sent)
    assert set(fields(entries)) == {"a"}


def test_a_version_that_is_no_longer_served_owns_nothing() -> None:
    live = created({"x": "1"})
    old = {**live["metadata"]["managedFields"][0], "apiVersion": "v0", "manager": "old"}
    live = config_map({"x": "1"}, [*live["metadata"]["managedFields"], old])
    entries = tracking.updated(VIEW, live, config_map({"x": "1", "y": "1"}), SOMEONE)
    assert set(fields(entries)) == {"a", "someone"}


def test_what_was_there_before_the_first_apply_has_an_owner() -> None:
    live = config_map({"x": "1"})
    applied = tracking.applied(VIEW, live, config_map({"y": "1"}), EMPTY, SOMEONE, force=False)
    assert fields(applied.entries) == {
        "someone": {"f:data": {"f:y": {}}},
        "before-first-apply": {"f:data": {".": {}, "f:x": {}}},
    }


def test_kubectl_may_take_what_it_applied_on_its_side() -> None:
    said = '{"apiVersion":"v1","kind":"ConfigMap","data":{"x":"1","y":"old"}}'
    annotations = {last_applied.ANNOTATION: said}
    live = created({"x": "1", "y": "1"}, "kubectl-client-side-apply", annotations=annotations)
    kubectl = SOMEONE._replace(manager="kubectl")
    with pytest.raises(errors.Conflict) as refused:
        tracking.applied(VIEW, live, config_map({"x": "2"}), EMPTY, SOMEONE, force=False)
    assert refused.value.details["causes"][0]["field"] == ".data.x"
    config = config_map({"x": "2", "y": "2"})
    with pytest.raises(errors.Conflict) as refused:
        tracking.applied(VIEW, live, config, EMPTY, kubectl, force=False)
    assert [cause["field"] for cause in refused.value.details["causes"]] == [".data.y"]
    applied = tracking.applied(VIEW, live, config_map({"x": "2"}), EMPTY, kubectl, force=False)
    assert applied.object is not None
    assert applied.object["data"] == {"x": "2", "y": "1"}
    assert applied.object["metadata"]["annotations"] == {
        last_applied.ANNOTATION: (
            '{"apiVersion":"v1","data":{"x":"2"},"kind":"ConfigMap","metadata":{"name":"m"}}\n'
        )
    }


def test_conflicts_with_several_are_listed_by_manager() -> None:
    live = created({"x": "1", "y": "1", "z": "1"}, "b")
    through = Writer("a", "status", "2026-01-01T00:00:00Z")
    new = config_map({"x": "1", "y": "1", "z": "2"})
    live = config_map(new["data"], tracking.updated(VIEW, live, new, through))
    config = config_map({"x": "9", "y": "9", "z": "9"})
    with pytest.raises(errors.Conflict) as refused:
        tracking.applied(VIEW, live, config, EMPTY, SOMEONE, force=False)
    assert refused.value.message == (
        'Apply failed with 3 conflicts: conflicts with "a" with subresource "status" using v1:\n'
        '- .data.z\nconflicts with "b" using v1:\n- .data.x\n- .data.y'
    )
