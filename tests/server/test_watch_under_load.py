"""Many writers, many watchers that vanish at random: each ends with the exact state, in order."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from tests.server import calling

PATH = "/api/v1/namespaces/default/configmaps"
MERGE = {"content-type": "application/merge-patch+json"}
NAMES = [f"c{number}" for number in range(12)]


class Follower:
    """A watcher that keeps a copy of the collection, leaves and comes back where it was."""

    def __init__(self, app: Any, chance: random.Random, selector: str) -> None:
        self.app = app
        self.chance = chance
        self.selector = selector
        self.state: dict[str, dict[str, Any]] = {}
        self.version = 0

    async def follow(self, done: asyncio.Event) -> None:
        await self._list()
        while not (done.is_set() and self._is_up_to_date()):
            watch = await calling.watch(
                self.app, PATH, resourceVersion=self.version, labelSelector=self.selector
            )
            for _ in range(self.chance.randrange(1, 40)):
                if watch.waiting() == 0 and done.is_set() and self._is_up_to_date():
                    break
                try:
                    self._take(await asyncio.wait_for(watch.next(), 0.2))
                except TimeoutError:
                    break
            await watch.leave()

    async def _list(self) -> None:
        found = (await calling.call(self.app, "GET", PATH, labelSelector=self.selector)).json
        self.state = {each["metadata"]["name"]: _bare(each) for each in found["items"]}
        self.version = int(found["metadata"]["resourceVersion"])

    def _take(self, event: dict[str, Any]) -> None:
        obj = event["object"]
        name, version = obj["metadata"]["name"], int(obj["metadata"]["resourceVersion"])
        assert version > self.version, "told twice, or out of order"
        self.version = version
        if event["type"] == "ADDED":
            assert name not in self.state
        else:
            assert name in self.state
        if event["type"] == "DELETED":
            del self.state[name]
        else:
            self.state[name] = _bare(obj)

    def _is_up_to_date(self) -> bool:
        log = self.app.live.store.collection(("v1", "ConfigMap")).log
        newest = log.since(log.end - 1)[0].revision
        return self.version >= newest or self.state == self.expected()

    def expected(self) -> dict[str, dict[str, Any]]:
        listed = self.app.live.store.list(
            ("v1", "ConfigMap"), "default", label_selector=self.selector
        )
        return {obj["metadata"]["name"]: _bare(obj) for obj in listed.items}


def _bare(obj: dict[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in obj.items() if name not in ("kind", "apiVersion")}


async def write(app: Any, chance: random.Random, count: int) -> None:
    for number in range(count):
        name = chance.choice(NAMES)
        act = chance.random()
        if act < 0.4:
            body = {"metadata": {"name": name, "labels": {"parity": str(number % 2)}}}
            await calling.call(app, "POST", PATH, body)
        elif act < 0.8:
            change: dict[str, Any] = {"metadata": {"labels": {"parity": str(chance.randrange(2))}}}
            body = {**change, "data": {"n": str(number)}}
            await calling.call(app, "PATCH", f"{PATH}/{name}", body, MERGE)
        else:
            await calling.call(app, "DELETE", f"{PATH}/{name}")
        await asyncio.sleep(0)


@pytest.mark.parametrize("seed", range(3))
def test_every_watcher_ends_with_the_exact_state(seed: int) -> None:
    async def story() -> None:
        chance = random.Random(seed)
        app = calling.application()
        done = asyncio.Event()
        followers = [
            Follower(app, random.Random(chance.random()), chance.choice(["", "parity=1"]))
            for _ in range(20)
        ]
        following = [asyncio.ensure_future(each.follow(done)) for each in followers]
        await asyncio.gather(*(write(app, random.Random(chance.random()), 80) for _ in range(8)))
        done.set()
        await asyncio.gather(*following)
        for follower in followers:
            assert follower.state == follower.expected()

    asyncio.run(story())
