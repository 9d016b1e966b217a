"""Custom resources are read by the definition of now."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from tests.objects.custom.samples import TEXT, struct
from tests.store.samples import DEFINITION, WIDGET, make_store, widget, widgets_definition
from tests.store.test_restoring import past_of, restored

NAME = "widgets.example.com"
PLAIN = struct(a=TEXT, b=TEXT)


def with_schema(schema: dict[str, Any]) -> dict[str, Any]:
    return {"spec": {"versions": widgets_definition(schema=_schema(schema))["spec"]["versions"]}}


def _schema(spec: dict[str, Any]) -> dict[str, Any]:
    return {"openAPIV3Schema": struct(spec=spec)}


@pytest.fixture
def store() -> Any:
    made = make_store()
    made.create(widgets_definition(schema=_schema(PLAIN)))
    made.create(widget("w", spec={"b": "set"}))
    return made


def change(store: Any, schema: dict[str, Any]) -> None:
    store.patch(DEFINITION, NAME, with_schema(schema))


def spec(store: Any) -> Any:
    (listed,) = store.list(WIDGET).items
    got = store.get(WIDGET, "w", "default")
    assert got is listed
    return got["spec"]


def test_a_default_that_is_added_later_is_there_and_gone_when_it_is_taken_back(store: Any) -> None:
    version = store.get(WIDGET, "w", "default")["metadata"]["resourceVersion"]
    for default in ("A", "other"):
        change(store, struct(a={**TEXT, "default": default}, b=TEXT))
        assert spec(store) == {"a": default, "b": "set"}
    assert store.get(WIDGET, "w", "default")["metadata"]["resourceVersion"] == version
    change(store, PLAIN)
    assert spec(store) == {"b": "set"}


def test_what_is_written_with_a_default_keeps_it(store: Any) -> None:
    change(store, struct(a={**TEXT, "default": "A"}, b=TEXT))
    before = store.get(WIDGET, "w", "default")
    written = store.update(before)
    assert written["metadata"]["resourceVersion"] != before["metadata"]["resourceVersion"]
    change(store, PLAIN)
    assert spec(store) == {"a": "A", "b": "set"}


def test_a_field_that_is_dropped_comes_back_with_its_definition(store: Any) -> None:
    change(store, struct(a=TEXT))
    assert spec(store) == {}
    change(store, PLAIN)
    assert spec(store) == {"b": "set"}


def test_a_new_watch_shows_what_a_list_does(store: Any) -> None:
    change(store, struct(a={**TEXT, "default": "A"}, b=TEXT))
    (event,) = store.watch(WIDGET, send_initial_events=None).poll()
    assert event.object["spec"] == {"a": "A", "b": "set"}


def test_a_copy_and_a_store_that_goes_on_read_the_same(store: Any) -> None:
    change(store, struct(a={**TEXT, "default": "A"}, b=TEXT))
    copied = pickle.loads(pickle.dumps(store))
    later = restored(past_of(store))
    for each in (copied, later):
        assert spec(each) == {"a": "A", "b": "set"}
    change(copied, PLAIN)
    assert spec(copied) == {"b": "set"}


def test_an_object_that_is_gone_is_not_remembered(store: Any) -> None:
    change(store, struct(a={**TEXT, "default": "A"}, b=TEXT))
    store.delete(WIDGET, "w", "default")
    assert not store.as_written
