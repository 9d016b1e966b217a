"""API servers behind APIServices: requests are passed on to them, and their answers back."""

from __future__ import annotations

import asyncio

from kubestage.server.aggregation import proxying
from tests.server import calling
from tests.server.outside.aggregating import NAME, SERVICES, aggregated
from tests.server.outside.api_server import API, FRUITS, GROUP, fruit


def test_objects_are_listed_created_and_read() -> None:
    async def story() -> None:
        async with aggregated() as (app, fruits):
            created = await calling.call(app, "POST", FRUITS, fruit("apple"), dryRun="All")
            assert (created.status, created.json["metadata"]["uid"]) == (201, "u")
            assert fruits.requests[-1].query_string == "dryRun=All"
            listed = await calling.call(app, "GET", FRUITS, labelSelector="a in (b, c)")
            assert [each["metadata"]["name"] for each in listed.json["items"]] == ["apple"]
            assert fruits.requests[-1].query["labelSelector"] == "a in (b, c)"
            found = await calling.call(app, "GET", f"{FRUITS}/apple")
            assert found.json == created.json
            missing = await calling.call(app, "GET", f"{FRUITS}/pear")
            assert (missing.status, missing.body) == (404, b"404 page not found\n")
            head = await calling.call(app, "HEAD", f"{FRUITS}/apple")
            assert (head.status, head.body) == (200, b"")

    asyncio.run(story())


def test_the_server_learns_who_asks_and_nothing_secret() -> None:
    async def story() -> None:
        async with aggregated() as (app, fruits):
            sent = {
                "authorization": "Bearer of-the-administrator",
                "impersonate-user": "ann",
                "impersonate-group": "pickers",
                "impersonate-extra-farm/north": "yes",
                "x-remote-user": "somebody-else",
                "connection": "keep-alive, x-mine",
                "x-mine": "1",
                "x-kept": "2",
            }
            await calling.call(app, "GET", FRUITS, headers=sent)
            got = fruits.requests[-1].headers
            assert got.getall("X-Remote-User") == ["ann"]
            assert got.getall("X-Remote-Group") == ["pickers", "system:authenticated"]
            assert got.getall("X-Remote-Extra-farm%2Fnorth") == ["yes"]
            assert got["X-Kept"] == "2"
            assert got["User-Agent"] == "test/1.0"
            for name in ("Authorization", "Impersonate-User", "X-Mine"):
                assert name not in got
            checks = [each.headers["X-Remote-User"] for each in fruits.requests[:1]]
            assert checks == ["system:kube-aggregator"]

    asyncio.run(story())


def test_a_watch_streams_while_others_are_served() -> None:
    async def story() -> None:
        async with aggregated() as (app, fruits):
            watching = await calling.watch(app, FRUITS)
            await calling.call(app, "POST", FRUITS, fruit("apple"))
            assert (await watching.next())["object"]["metadata"]["name"] == "apple"
            await calling.call(app, "POST", FRUITS, fruit("pear"))
            assert (await watching.next())["object"]["metadata"]["name"] == "pear"
            fruits.end_watches()
            assert await watching.next() is None
            other = await calling.watch(app, FRUITS)
            await other.leave()

    asyncio.run(story())


def test_connections_are_not_upgraded_and_redirects_not_followed() -> None:
    async def story() -> None:
        async with aggregated() as (app, fruits):
            upgrade = {"connection": "Upgrade", "upgrade": "SPDY/3.1"}
            refused = await calling.call(app, "GET", f"{FRUITS}/apple", headers=upgrade)
            assert (refused.status, refused.json["message"]) == (400, proxying.UPGRADE)
            fruits.location = "http://127.0.0.1:1/elsewhere"
            answer = await calling.call(app, "GET", FRUITS)
            assert answer.status == 502
            assert b"attempted to redirect" in answer.body

    asyncio.run(story())


def test_a_deleted_api_service_brings_404_back() -> None:
    async def story() -> None:
        async with aggregated() as (app, _):
            assert (await calling.call(app, "GET", API)).status == 200
            await calling.call(app, "DELETE", f"{SERVICES}/{NAME}")
            for path in (API, FRUITS, f"/apis/{GROUP}"):
                answer = await calling.call(app, "GET", path)
                assert (answer.status, answer.body) == (404, b"404 page not found\n")
            groups = (await calling.call(app, "GET", "/apis")).json["groups"]
            assert GROUP not in [each["name"] for each in groups]

    asyncio.run(story())
