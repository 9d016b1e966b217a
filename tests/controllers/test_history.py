"""ControllerRevisions."""

from __future__ import annotations

import json
from typing import Any

from kubestage.controllers import history
from kubestage.stage import Stage


def revision(name: str, number: int, created: str = "2026-01-01T00:00:00Z") -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {"name": name, "namespace": "default", "creationTimestamp": created},
        "data": {},
        "revision": number,
    }


def test_revisions_are_ordered_by_number_then_age_then_name() -> None:
    later = "2026-01-01T00:00:01Z"
    given = [revision("d", 2), revision("a", 1, later), revision("c", 1), revision("b", 1)]
    ordered = [each["metadata"]["name"] for each in history.in_order(given)]
    assert ordered == ["b", "c", "a", "d"]


def test_a_revision_gets_another_number_and_only_then_changes() -> None:
    stage = Stage()
    first = stage.store.create(revision("a", 1))
    assert history.renumber(stage.store, first, 1) is first
    second = history.renumber(stage.store, first, 5)
    assert history.number_of(second) == 5
    assert stage.store.get(history.REVISION, "a") is second
    history.delete(stage.store, second)
    assert not stage.store.list(history.REVISION).items


def test_what_is_recorded_replaces_the_template() -> None:
    template: dict[str, Any] = {"spec": {"containers": []}}
    assert history.template_data(template) == {
        "spec": {"template": {"spec": {"containers": []}, "$patch": "replace"}}
    }
    assert "$patch" not in template


def test_what_is_recorded_has_its_keys_in_order_at_every_depth() -> None:
    data = {"spec": {"b": [{"z": 1, "a": 2}], "$patch": "replace", "B": {}}}
    ordered = history.in_key_order(data)
    assert ordered == data
    assert json.dumps(ordered) == (
        '{"spec": {"$patch": "replace", "B": {}, "b": [{"a": 2, "z": 1}]}}'
    )
