"""How far back a server's watches reach."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubestage.errors import Expired
from kubestage.results.history.weighing import weight
from kubestage.server.app import Application
from kubestage.server.assembly import AssemblyOptions, Served
from kubestage.server.history import History, HistoryLimits
from kubestage.stage import Stage
from tests.server import calling

CONFIG_MAP = ("v1", "ConfigMap")
MAPS = "/api/v1/namespaces/default/configmaps"
KILOBYTE = 1_000


def _map(name: str = "a", **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


class Story:
    """A store whose history is bounded, with a clock and a disk of its own."""

    def __init__(self, **limits: Any) -> None:
        self.now_s = 1000.0
        self.stage = Stage()
        self.store = self.stage.store
        self.kept: int | None = None
        self.history = History(self.store, HistoryLimits(**limits), self._kept, lambda: self.now_s)
        self.log = self.store.collection(CONFIG_MAP).log

    def _kept(self) -> int:
        return self.store.revision if self.kept is None else self.kept

    async def change(self, text: str) -> None:
        self.store.patch(CONFIG_MAP, "a", {"data": {"text": text}})
        await asyncio.sleep(0)

    @property
    def remembered(self) -> int:
        return self.log.end - self.log.position_after(self.log.floor)


def _play(story: Any) -> None:
    asyncio.run(story)


def test_large_versions_are_forgotten_by_their_size() -> None:
    async def play() -> None:
        story = Story(most_bytes=1000 * KILOBYTE)
        story.store.create(_map())
        for number in range(50):
            await story.change(f"{number % 10}" * 100 * KILOBYTE)
            assert story.history.size <= 1000 * KILOBYTE
        assert 8 <= story.remembered <= 10
        with pytest.raises(Expired):
            story.store.watch(CONFIG_MAP, resource_version="2")
        story.history.close()

    _play(play())


def test_what_versions_share_costs_nothing() -> None:
    async def play() -> None:
        story = Story(most_bytes=1000 * KILOBYTE)
        story.store.create(_map(large="x" * 500 * KILOBYTE))
        for number in range(100):
            await story.change(f"{number}")
        assert story.remembered == 101
        story.history.close()

    _play(play())


def test_changes_are_forgotten_by_their_age_even_if_nothing_happens() -> None:
    async def play() -> None:
        story = Story(most_s=300.0)
        story.store.create(_map())
        await story.change("x")
        story.now_s += 200
        await story.change("y")
        story.now_s += 104
        story.history.trim()
        assert story.remembered == 1
        story.now_s += 300
        story.history.trim()
        assert (story.remembered, story.history.size) == (0, 0)
        # Whoever knows the newest version has missed nothing.
        watch = story.store.watch(CONFIG_MAP, resource_version=story.store.resource_version)
        await story.change("z")
        assert [event.type for event in watch.poll()] == ["MODIFIED"]
        story.history.close()

    _play(play())


def test_changes_are_forgotten_by_their_number() -> None:
    async def play() -> None:
        story = Story(most_changes=20)
        story.store.create(_map())
        for number in range(100):
            await story.change(f"{number}")
        assert 15 <= story.remembered <= 20
        story.history.close()

    _play(play())


def test_what_is_not_on_disk_yet_is_not_forgotten() -> None:
    async def play() -> None:
        story = Story(most_changes=5)
        story.store.create(_map())
        story.kept = story.store.revision
        for number in range(50):
            await story.change(f"{number}")
        assert story.remembered == 50
        story.kept = None
        await story.change("last")
        assert story.remembered <= 5
        story.history.close()

    _play(play())


def test_a_request_that_reads_the_log_finds_all_that_it_did() -> None:
    async def play() -> None:
        story = Story(most_changes=5)
        for number in range(50):
            story.store.create(_map(f"c-{number}"))
        assert story.remembered == 50
        await asyncio.sleep(0)
        assert story.remembered <= 5
        story.history.close()

    _play(play())


def test_a_served_watch_that_is_behind_is_told_to_list_again() -> None:
    async def play() -> None:
        limits = HistoryLimits(most_bytes=1000 * KILOBYTE)
        served = Served(Stage(), AssemblyOptions(history=limits, scheduler="none"))
        store = served.live.store
        version = store.create(_map())["metadata"]["resourceVersion"]
        for number in range(50):
            store.patch(CONFIG_MAP, "a", {"data": {"text": f"{number % 10}" * 100 * KILOBYTE}})
        await asyncio.sleep(0)
        watch = await calling.watch(Application(served.live), MAPS, resourceVersion=version)
        event = await watch.next()
        assert (event["type"], event["object"]["code"]) == ("ERROR", 410)
        await watch.leave()
        await served.close()

    _play(play())


@pytest.mark.parametrize(
    ("value", "other", "least", "most"),
    [
        ("x" * 1000, None, 1000, 1100),
        ({"a": "x" * 1000, "b": "y" * 9000}, {"b": None}, 9000, 11_000),
        ([{"a": f"{n}"} for n in range(10_000)], None, 2_000_000, 4_000_000),
        ({"a": [{"b": [1, 2, {"c": "\udc00"}]}]}, None, 400, 2000),
    ],
)
def test_the_weight_of_a_value(value: Any, other: Any, least: int, most: int) -> None:
    assert least <= weight(value, other) <= most
    assert weight(value, value) == 0
