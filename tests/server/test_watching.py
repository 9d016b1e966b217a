from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from kubestage.server import watching
from tests.server import calling

if TYPE_CHECKING:
    import pytest

    from kubestage.server.app import Application

PATH = "/api/v1/namespaces/default/configmaps"
TABLE = {"accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}


async def create(app: Application, name: str, **labels: str) -> dict[str, Any]:
    body = {"metadata": {"name": name, "labels": labels}}
    created: dict[str, Any] = (await calling.call(app, "POST", PATH, body)).json
    return created


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def seen(event: dict[str, Any]) -> tuple[str, str]:
    return event["type"], event["object"]["metadata"]["name"]


def test_a_watch_without_a_version_begins_with_what_is_there() -> None:
    async def story() -> None:
        app = calling.application()
        await create(app, "a")
        watch = await calling.watch(app, PATH)
        assert seen(await watch.next()) == ("ADDED", "a")
        await create(app, "b")
        assert seen(await watch.next()) == ("ADDED", "b")
        await calling.call(app, "DELETE", f"{PATH}/a")
        assert seen(await watch.next()) == ("DELETED", "a")
        await watch.leave()

    asyncio.run(story())


def test_objects_enter_and_leave_a_selection() -> None:
    async def story() -> None:
        app = calling.application()
        await create(app, "a", tier="web")
        watch = await calling.watch(app, PATH, labelSelector="tier=web")
        await watch.next()
        merge = {"content-type": "application/merge-patch+json"}
        for tier in ("db", "web"):
            body = {"metadata": {"labels": {"tier": tier}}}
            await calling.call(app, "PATCH", f"{PATH}/a", body, merge)
        assert [seen(await watch.next())[0] for _ in range(2)] == ["DELETED", "ADDED"]
        await watch.leave()

    asyncio.run(story())


def test_a_watch_list_tells_everything_then_where_it_ends() -> None:
    async def story() -> None:
        app = calling.application()
        made = await create(app, "a")
        watch = await calling.watch(
            app,
            PATH,
            sendInitialEvents="true",
            resourceVersionMatch="NotOlderThan",
            allowWatchBookmarks="true",
        )
        assert seen(await watch.next()) == ("ADDED", "a")
        mark = await watch.next()
        assert mark["type"] == "BOOKMARK"
        metadata = mark["object"]["metadata"]
        assert metadata["annotations"] == {"k8s.io/initial-events-end": "true"}
        assert int(metadata["resourceVersion"]) >= int(made["metadata"]["resourceVersion"])
        await watch.leave()

    asyncio.run(story())


def test_only_the_first_row_of_a_table_watch_says_what_its_columns_are() -> None:
    async def story() -> None:
        app = calling.application()
        await create(app, "a")
        await create(app, "b")
        watch = await calling.watch(app, PATH, TABLE)
        tables = [(await watch.next())["object"] for _ in range(2)]
        assert [table["kind"] for table in tables] == ["Table", "Table"]
        assert tables[0]["columnDefinitions"][0]["name"] == "Name"
        assert tables[1]["columnDefinitions"] is None
        await watch.leave()

    asyncio.run(story())


def test_nothing_is_told_while_changes_are_held_back() -> None:
    async def story() -> None:
        app = calling.application()
        watch = await calling.watch(app, PATH)
        app.live.fanout.hold()
        await create(app, "a")
        await create(app, "b")
        late = await calling.watch(app, PATH)
        await settle()
        assert watch.waiting() == 0
        assert late.waiting() == 0
        app.live.fanout.release()
        for each in (watch, late):
            assert [seen(await each.next())[1] for _ in range(2)] == ["a", "b"]
            await each.leave()

    asyncio.run(story())


def test_what_becomes_visible_later_is_told_then() -> None:
    async def story() -> None:
        app = calling.application()
        watch = await calling.watch(app, PATH)
        fanout = app.live.fanout
        fanout.hold()
        first = await create(app, "a")
        await create(app, "b")
        await settle()
        fanout.release()
        await watch.next()
        await watch.next()
        # Two changes, of which a disk has kept only the first so far.
        fanout.visible = fanout._shown = int(first["metadata"]["resourceVersion"])
        late = await calling.watch(app, PATH, resourceVersion=int(fanout.visible) - 1)
        assert seen(await late.next()) == ("ADDED", "a")
        await settle()
        assert late.waiting() == 0
        fanout.show(app.live.store.revision)
        assert seen(await late.next()) == ("ADDED", "b")
        await watch.leave()
        await late.leave()

    asyncio.run(story())


def test_a_version_from_another_life_is_expired() -> None:
    async def story() -> None:
        app = calling.application()
        for version in ("999999999", "1"):
            app.live.store.collection(("v1", "ConfigMap")).log.floor = 5
            watch = await calling.watch(app, PATH, resourceVersion=version)
            assert watch.status == 200
            event = await watch.next()
            assert event["type"] == "ERROR"
            assert event["object"]["code"] == 410
            assert await watch.next() is None

    asyncio.run(story())


def test_a_watch_ends_at_its_timeout() -> None:
    async def story() -> None:
        app = calling.application()
        watch = await calling.watch(app, PATH, timeoutSeconds="1")
        assert await watch.next() is None
        assert app.live.fanout.watchers == 0

    asyncio.run(story())


def test_a_client_that_vanishes_is_forgotten() -> None:
    async def story() -> None:
        app = calling.application()
        watch = await calling.watch(app, PATH)
        assert app.live.fanout.watchers == 1
        await watch.leave()
        assert app.live.fanout.watchers == 0

    asyncio.run(story())


def test_one_object_is_watched_by_its_own_path() -> None:
    async def story() -> None:
        app = calling.application()
        await create(app, "a")
        await create(app, "b")
        watch = await calling.watch(app, f"{PATH}/b")
        assert seen(await watch.next()) == ("ADDED", "b")
        await settle()
        assert watch.waiting() == 0
        await watch.leave()

    asyncio.run(story())


def test_bookmarks_come_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "_BOOKMARK_S", 0.01)

    async def story() -> None:
        app = calling.application()
        made = await create(app, "a")
        watch = await calling.watch(app, PATH, allowWatchBookmarks="true")
        assert seen(await watch.next()) == ("ADDED", "a")
        await calling.call(app, "POST", "/api/v1/namespaces", {"metadata": {"name": "other"}})
        newest = str(app.live.store.revision)
        while (mark := await watch.next())["object"]["metadata"]["resourceVersion"] != newest:
            assert mark["type"] == "BOOKMARK"
        metadata = {"resourceVersion": newest}
        assert {key: mark["object"][key] for key in ("kind", "apiVersion", "metadata")} == {
            "kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata,
        }  # fmt: skip
        assert int(newest) > int(made["metadata"]["resourceVersion"])
        await watch.leave()

    asyncio.run(story())
