"""Selectors are matched against objects in the version of the request, after conversion."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from tests.server import calling
from tests.server.outside import conversion_webhook as hosts
from tests.server.outside.conversion_webhook import V1, V2, host

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.app import Application

MERGE = {"content-type": "application/merge-patch+json"}
MAPS = "/api/v1/namespaces/default/configmaps"
PORTS = {"a": "host1:80", "b": "host1:8080", "c": "host2:80", "d": "host2:81"}


async def filled(hook: hosts.Webhook) -> Application:
    """A server with hosts that are stored in v1."""
    app = await hosts.served(hook)
    for name, port in PORTS.items():
        made = await calling.call(app, "POST", V1, host(name, hostPort=port))
        assert made.status == 201, made.json
    hook.reviews.clear()
    return app


def label_by_version(answer: Json) -> Json:
    """Have converted objects labelled with their host."""
    for each in answer["response"]["convertedObjects"]:
        if "host" in each:
            each["metadata"]["labels"] = {"on": each["host"]}
    return answer


async def names(app: Application, path: str, method: str = "GET", **query: Any) -> list[str]:
    """The names that a list shows, or that are deleted, all in the version of the path."""
    found = await calling.call(app, method, path, **query)
    assert found.status == 200, found.json
    items = found.json["items"]
    assert {each["apiVersion"].rpartition("/")[2] for each in items} <= {path.split("/")[3]}
    return [each["metadata"]["name"] for each in items]


async def change(app: Application, name: str, port: str) -> None:
    changed = await calling.call(app, "PATCH", f"{V1}/{name}", {"hostPort": port}, MERGE)
    assert changed.status == 200, changed.json


async def told(watch: calling.Watching) -> tuple[str, ...]:
    event = await watch.next()
    obj = event["object"]
    assert obj["apiVersion"].endswith("/v2")
    metadata = obj["metadata"]
    return event["type"], metadata["name"], obj.get("host", ""), obj.get("port", "")


@pytest.mark.parametrize(
    ("path", "selector", "expected"),
    [
        (V2, "host=host1", ["a", "b"]),
        (V2, "host=host1,port=80", ["a"]),
        (V2, "host!=host1,metadata.name!=c", ["d"]),
        (V2, "port=80,metadata.name=c", ["c"]),
        (V2, "metadata.namespace=other,port=80", []),
        (V1, "hostPort=host1:8080", ["b"]),
    ],
)
def test_a_list_by_fields(path: str, selector: str, expected: list[str]) -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await filled(hook)
            assert await names(app, path, fieldSelector=selector) == expected
            asked = len(hook.sent())
            assert asked == (path == V2 and "other" not in selector)
            assert await names(app, path, fieldSelector=selector) == expected
            assert hook.sent() == []

    hosts.run(story)


def test_a_list_by_fields_of_another_version() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await filled(hook)
            found = await calling.call(app, "GET", V2, fieldSelector="hostPort=host1:80")
            assert found.status == 400
            assert found.json["message"] == "field label not supported: hostPort"
            await hosts.store_version(app, "v2")
            await change(app, "b", "host1:80")
            # One is stored in v2 now; the others are not.
            assert await names(app, V1, fieldSelector="hostPort=host1:80") == ["a", "b"]
            assert await names(app, V2, fieldSelector="port=80") == ["a", "b", "c"]

    hosts.run(story)


def test_a_list_by_labels_that_the_webhook_gives() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await filled(hook)
            hook.spoil = label_by_version
            assert await names(app, V2, labelSelector="on=host2") == ["c", "d"]
            assert await names(app, V2, labelSelector="on!=host2", fieldSelector="port=80") == ["a"]
            assert await names(app, V1, labelSelector="on=host2") == []

    hosts.run(story)


def test_pages_of_what_matches() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await filled(hook)
            query: Json = {"fieldSelector": "port=80", "limit": 1}
            first = await calling.call(app, "GET", V2, **query)
            metadata = first.json["metadata"]
            assert [each["metadata"]["name"] for each in first.json["items"]] == ["a"]
            assert "remainingItemCount" not in metadata
            # Only as many are converted as it takes.
            assert hook.sent() == [["a"]]
            await change(app, "b", "host1:80")
            second = await calling.call(
                app, "GET", V2, **query, **{"continue": metadata["continue"]}
            )
            # The list is still that of the first page.
            assert [each["metadata"]["name"] for each in second.json["items"]] == ["c"]
            assert second.json["metadata"]["resourceVersion"] == metadata["resourceVersion"]
            token = second.json["metadata"]["continue"]
            third = await calling.call(app, "GET", V2, **query, **{"continue": token})
            assert (third.json["items"], third.json["metadata"]["continue"]) == ([], "")
            version = metadata["resourceVersion"]
            assert await names(app, V2, resourceVersion=version, **query | {"limit": 9}) == [
                "a",
                "c",
            ]
            assert await names(app, V2, resourceVersion=version, fieldSelector="port=80") == [
                "a",
                "b",
                "c",
            ]

    hosts.run(story)


def test_a_collection_is_deleted_by_what_is_converted() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await filled(hook)
            hook.spoil = label_by_version
            assert await names(app, V2, "DELETE", fieldSelector="host=host1,port=80") == ["a"]
            assert await names(app, V2, "DELETE", labelSelector="on=host2") == ["c", "d"]
            assert await names(app, V1) == ["b"]
            assert await names(app, V2, "DELETE", fieldSelector="metadata.name=a") == []
            hook.spoil = lambda answer: {**answer, "response": None}
            failed = await calling.call(app, "DELETE", V2, fieldSelector="host=host1")
            assert failed.status == 500
            assert await names(app, V1) == ["b"]

    hosts.run(story)


def test_a_watch_by_fields() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await filled(hook)
            watch = await calling.watch(app, V2, fieldSelector="host=host1")
            assert await told(watch) == ("ADDED", "a", "host1", "80")
            assert await told(watch) == ("ADDED", "b", "host1", "8080")
            await change(app, "a", "host1:81")
            assert await told(watch) == ("MODIFIED", "a", "host1", "81")
            await change(app, "d", "host3:81")
            await change(app, "c", "host1:82")
            assert await told(watch) == ("ADDED", "c", "host1", "82")
            await change(app, "a", "host2:83")
            # The object as it last matched, under the version of the change.
            event = await watch.next()
            left = event["object"]
            assert (event["type"], left["metadata"]["name"], left["host"]) == (
                "DELETED",
                "a",
                "host1",
            )
            now = (await calling.call(app, "GET", f"{V2}/a")).json["metadata"]
            assert left["metadata"]["resourceVersion"] == now["resourceVersion"]
            for name in ("a", "b"):
                assert (await calling.call(app, "DELETE", f"{V2}/{name}")).status == 200
            assert await told(watch) == ("DELETED", "b", "host1", "8080")
            made = await calling.call(app, "POST", V2, host("e", "v2", host="host1", port="1"))
            assert made.status == 201, made.json
            assert await told(watch) == ("ADDED", "e", "host1", "1")
            assert watch.waiting() == 0
            await watch.leave()

    hosts.run(story)


def test_a_watch_from_a_version_on_knows_what_matched_before() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await filled(hook)
            version = app.live.store.resource_version
            await change(app, "a", "host2:80")
            await change(app, "c", "host1:80")
            hook.reviews.clear()
            query: Json = {"fieldSelector": "host=host1", "resourceVersion": version}
            watch = await calling.watch(app, V2, **query)
            assert await told(watch) == ("DELETED", "a", "host1", "80")
            assert await told(watch) == ("ADDED", "c", "host1", "80")
            (review,) = hook.sent()
            assert sorted(review) == ["a", "a", "c", "c"]
            await watch.leave()

    hosts.run(story)


def test_a_watch_by_labels_and_its_initial_events() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await filled(hook)
            hook.spoil = label_by_version
            watch = await calling.watch(
                app,
                V2,
                labelSelector="on=host2",
                fieldSelector="metadata.name!=d",
                sendInitialEvents="true",
                resourceVersionMatch="NotOlderThan",
                allowWatchBookmarks="true",
            )
            assert await told(watch) == ("ADDED", "c", "host2", "80")
            assert (await watch.next())["type"] == "BOOKMARK"
            await change(app, "d", "host1:81")
            await change(app, "c", "host1:80")
            assert await told(watch) == ("DELETED", "c", "host2", "80")
            assert watch.waiting() == 0
            await watch.leave()

    hosts.run(story)


def test_others_are_served_while_a_selection_is_awaited() -> None:
    async def story() -> None:
        asked, is_over = asyncio.Event(), asyncio.Event()

        async def wait() -> None:
            asked.set()
            await is_over.wait()

        async with hosts.listening() as hook:
            app = await filled(hook)
            hook.wait = wait
            query: Json = {"fieldSelector": "host=host1"}
            watch = await calling.watch(app, V2, **query)
            listed = asyncio.ensure_future(names(app, V2, **query))
            await asked.wait()
            assert (await calling.call(app, "GET", MAPS)).status == 200
            # What happens meanwhile is told afterwards.
            await change(app, "c", "host1:80")
            is_over.set()
            assert await listed == ["a", "b"]
            assert [(await told(watch))[:2] for _ in range(3)] == [
                ("ADDED", "a"),
                ("ADDED", "b"),
                ("ADDED", "c"),
            ]
            await watch.leave()

    hosts.run(story)


def test_a_webhook_that_fails_ends_what_it_selects_for() -> None:
    async def story() -> None:
        async with hosts.listening() as hook:
            app = await filled(hook)
            watch = await calling.watch(app, V2, fieldSelector="host=host9")
            await change(app, "a", "host9:1")
            assert await told(watch) == ("ADDED", "a", "host9", "1")
            hook.spoil = lambda answer: {**answer, "response": None}
            await change(app, "a", "host2:1")
            event = await watch.next()
            assert (event["type"], event["object"]["code"]) == ("ERROR", 500)
            assert await watch.next() is None
            failed = await calling.call(app, "GET", V2, fieldSelector="host=host9")
            assert failed.status == 500
            assert await names(app, V1, fieldSelector="hostPort=host2:1") == ["a"]

    hosts.run(story)
