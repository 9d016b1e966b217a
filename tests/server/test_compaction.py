"""Continue tokens are good until their version is compacted; then another one goes on."""

from __future__ import annotations

import asyncio
from typing import Any

from kubestage.server.compaction import Compaction
from tests.server import calling

MAPS = "/api/v1/namespaces/default/configmaps"


async def served() -> tuple[Any, Compaction]:
    app = calling.application()
    for name in "abcde":
        await calling.call(app, "POST", MAPS, {"metadata": {"name": name}})
    live = app.live
    compaction = Compaction(live.store, 300.0, lambda: live.fanout.show(live.durability.revision))
    return app, compaction


def names(page: Any) -> list[str]:
    return [each["metadata"]["name"] for each in page["items"]]


def test_a_token_expires_and_its_refusal_goes_on() -> None:
    async def story() -> None:
        app, compaction = await served()
        first = (await calling.call(app, "GET", MAPS, limit=2)).json
        token = first["metadata"]["continue"]
        compaction.compact()
        second = (await calling.call(app, "GET", MAPS, limit=2, **{"continue": token})).json
        assert names(second) == ["c", "d"]
        compaction.compact()
        compaction.compact()
        refused = await calling.call(app, "GET", MAPS, limit=2, **{"continue": token})
        assert (refused.status, refused.json["reason"]) == (410, "Expired")
        token = refused.json["metadata"]["continue"]
        rest = (await calling.call(app, "GET", MAPS, limit=2, **{"continue": token})).json
        assert names(rest) == ["c", "d"]
        assert rest["metadata"]["resourceVersion"] != first["metadata"]["resourceVersion"]
        token = rest["metadata"]["continue"]
        last = (await calling.call(app, "GET", MAPS, limit=2, **{"continue": token})).json
        assert names(last) == ["e"]
        assert last["metadata"]["resourceVersion"] == rest["metadata"]["resourceVersion"]

    asyncio.run(story())


def test_lists_of_the_present_and_watches_from_there_go_on() -> None:
    async def story() -> None:
        app, compaction = await served()
        compaction.compact()
        listed = (await calling.call(app, "GET", MAPS)).json
        version = listed["metadata"]["resourceVersion"]
        watch = await calling.watch(app, MAPS, resourceVersion=version)
        await calling.call(app, "POST", MAPS, {"metadata": {"name": "f"}})
        assert (await watch.next())["object"]["metadata"]["name"] == "f"
        await watch.leave()

    asyncio.run(story())


def test_it_goes_on_at_intervals_until_it_is_closed() -> None:
    async def story() -> None:
        app = calling.application()
        moved = asyncio.Event()
        compaction = Compaction(app.live.store, 0.001, moved.set)
        before = app.live.store.revision
        compaction.start()
        for _ in range(2):
            await asyncio.wait_for(moved.wait(), 30)
            moved.clear()
        compaction.close()
        assert app.live.store.revision >= before + 2
        assert app.live.store.ledger.compacted >= before

    asyncio.run(story())
