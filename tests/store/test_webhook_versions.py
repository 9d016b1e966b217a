"""Definitions with a conversion webhook where none can be called: nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects import conversion
from kubestage.stage import Stage
from tests.server.outside import conversion_webhook as hosts
from tests.server.outside.conversion_webhook import GROUP, host
from tests.store import test_restoring

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.store import Store

V1, V2 = (f"{GROUP}/v1", "Host"), (f"{GROUP}/v2", "Host")
DEFINITION = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")


def store_with(conversion_spec: Json) -> Store:
    store = Stage().store
    store.create(hosts.definition(conversion_spec))
    return store


def changed(store: Store, **spec: Any) -> None:
    store.patch(DEFINITION, f"hosts.{GROUP}", {"spec": spec})


def test_without_a_server_objects_get_another_api_version() -> None:
    store = store_with(hosts.by_webhook())
    store.create(host("a", "v2"))
    assert store.get(V1, "a")["apiVersion"] == f"{GROUP}/v1"
    shown = conversion.to_served(store.kind(V2), store.get(V2, "a"))
    assert (shown["apiVersion"], shown["host"]) == (f"{GROUP}/v2", "here")


def test_another_stored_version_leaves_objects_as_they_were_written() -> None:
    store = store_with(hosts.by_webhook())
    before = store.create(host("a"))
    changed(store, versions=hosts.versions("v2"))
    assert store.get(V1, "a") == before
    # A component that writes metadata keeps the version, and every field.
    metadata = {**before["metadata"], "labels": {"a": "b"}}
    after = store.record_metadata(V2, "default/a", metadata)
    assert (after["apiVersion"], after["hostPort"]) == (f"{GROUP}/v1", "here:80")
    store.delete(V2, "a")


def test_without_a_webhook_all_are_of_the_stored_version_again() -> None:
    store = store_with(hosts.by_webhook())
    store.create(host("a"))
    changed(store, versions=hosts.versions("v2"))
    store.create(host("b", "v2"))
    untouched = store.get(V2, "b")
    changed(store, conversion={"strategy": "None", "webhook": None})
    found = store.list(V2).items
    assert [each["apiVersion"] for each in found] == [f"{GROUP}/v2"] * 2
    assert found[1] == untouched


def test_objects_are_read_by_the_schema_of_their_own_version() -> None:
    store = store_with(hosts.by_webhook())
    store.create(host("a"))
    changed(store, versions=hosts.versions("v2"))
    more = {"type": "string", "default": "x"}
    changed(store, versions=hosts.versions("v2", v1={"zone": more}, v2={"other": more}))
    found = store.get(V1, "a")
    assert (found["hostPort"], found["zone"], "other" in found) == ("here:80", "x", False)


def test_a_store_that_goes_on_has_objects_in_both_versions() -> None:
    store = store_with(hosts.by_webhook())
    store.create(host("a"))
    changed(store, versions=hosts.versions("v2"))
    store.create(host("b", "v2"))
    again = test_restoring.restored(test_restoring.past_of(store))
    assert again.list(V2).items == store.list(V2).items
    assert [each["apiVersion"] for each in again.list(V2).items] == [f"{GROUP}/v1", f"{GROUP}/v2"]
