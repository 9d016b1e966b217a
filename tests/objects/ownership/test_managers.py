"""Managers, as entries of managedFields and back."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.ownership import managers
from kubestage.objects.ownership.managers import APPLY, UPDATE, ManagerIdentity, Owned


def entry(manager: str, operation: str = UPDATE, **more: Any) -> dict[str, Any]:
    return {
        "manager": manager,
        "operation": operation,
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:data": {"f:a": {}}},
        **more,
    }


def test_entries_are_sorted_by_operation_time_and_name() -> None:
    entries = [
        entry("b", time="2026-01-01T00:00:00Z"),
        entry("a", time="2026-01-01T00:00:01Z"),
        entry("a", time="2026-01-01T00:00:00Z", subresource="status"),
        entry("z", APPLY, time="2026-01-01T00:00:09Z"),
    ]
    found = managers.encode(managers.decode(entries))
    assert found == [entries[3], entries[2], entries[0], entries[1]]
    assert managers.encode(managers.stored(entries)) == found


def test_an_applier_is_one_in_all_versions_and_an_updater_is_not() -> None:
    both = [entry("a", APPLY), entry("a", APPLY, apiVersion="v2")]
    assert list(managers.decode(both)) == [ManagerIdentity("a", APPLY)]
    both = [entry("a"), entry("a", apiVersion="v2")]
    assert [who.api_version for who in managers.decode(both)] == ["v1", "v2"]


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"operation": "Delete"}, "operation must be `Apply` or `Update`"),
        ({"apiVersion": ""}, "apiVersion must not be empty"),
        ({"fieldsType": ""}, "missing fieldsType in managed fields entry 0"),
        ({"fieldsType": "V2"}, 'invalid fieldsType "V2" in managed fields entry 0'),
        ({"fieldsV1": []}, "a set of fields must be an object"),
        ({"manager": 1}, "entry 0 has a value of the wrong type"),
    ],
)
def test_an_entry_that_makes_no_sense_is_refused(wrong: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        managers.decode([{**entry("a"), **wrong}])


@pytest.mark.parametrize(
    ("sent", "reset"),
    [
        ([], True),
        ([{}], True),
        ([None], True),
        ([{"manager": "", "time": None}], True),
        ([{"fieldsV1": {}}], False),
        ([{}, {}], False),
        (None, False),
        ("", False),
    ],
)
def test_an_empty_list_or_entry_asks_to_forget(sent: Any, reset: bool) -> None:
    assert managers.is_reset(sent) == reset
    assert not managers.is_reset([entry("a")])


def test_the_oldest_of_more_than_ten_updaters_become_one() -> None:
    many: managers.Managers = {
        ManagerIdentity(f"m{at:02}", UPDATE, "v1"): Owned(
            {f"f:{at}": {}}, "v1", f"2026-01-01T00:00:{at}Z"
        )
        for at in range(10, 22)
    }
    many[ManagerIdentity("applier", APPLY)] = Owned({"f:x": {}}, "v1", "2020-01-01T00:00:00Z")
    capped = managers.capped(many)
    ancient = capped[ManagerIdentity("ancient-changes", UPDATE, "v1")]
    assert sum(who.operation == UPDATE for who in capped) == managers.MAX_UPDATERS
    assert ManagerIdentity("applier", APPLY) in capped
    assert ancient.fields == {"f:10": {}, "f:11": {}, "f:12": {}}
    assert ancient.time == "2026-01-01T00:00:12Z"
    again = {**capped, ManagerIdentity("new", UPDATE, "v1"): Owned({"f:n": {}}, "v1", "2027")}
    merged = managers.capped(again)[ManagerIdentity("ancient-changes", UPDATE, "v1")]
    assert merged.fields == {"f:10": {}, "f:11": {}, "f:12": {}, "f:13": {}}


def test_updaters_of_different_versions_are_not_merged() -> None:
    many: managers.Managers = {
        ManagerIdentity(f"m{at}", UPDATE, f"v{at}"): Owned({"f:a": {}}, f"v{at}", None)
        for at in range(12)
    }
    assert managers.capped(many) == many
