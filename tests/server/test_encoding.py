"""Bytes that are kept for the next who asks."""

from __future__ import annotations

import asyncio

import msgspec

from kubestage.server import encoding
from kubestage.server.app import Application
from kubestage.server.live import Live
from kubestage.stage import Stage
from tests.server import calling
from tests.server.journal.serving import CONFIG_MAP, config_map

MAPS = "/api/v1/namespaces/default/configmaps"


def test_old_versions_that_are_listed_are_not_kept_for_ever() -> None:
    async def story() -> None:
        live = Live(Stage())
        app, store = Application(live), live.store
        for name in ("a", "b"):
            store.create(config_map(name))
        for number in range(20):
            first = (await calling.call(app, "GET", MAPS, limit=1)).json
            store.patch(CONFIG_MAP, "b", {"data": {"n": f"{number}"}})
            token = first["metadata"]["continue"]
            page = {"limit": 1, "continue": token}
            second = (await calling.call(app, "GET", MAPS, **page)).json
            assert second["items"][0].get("data", {}).get("n") != f"{number}"
        assert len(app.encoder._cached) <= 2

    asyncio.run(story())


def test_revisions_are_escaped_as_go_does_it_so_that_clients_can_compare_bytes() -> None:
    command = "a && b > c\u2028"
    revision = {"metadata": {"name": "r"}, "data": {"spec": {"command": command}}, "revision": 1}
    text = encoding.bare(revision)
    assert rb"a \u0026\u0026 b \u003e c\u2028" in text
    assert msgspec.json.decode(text) == revision
    assert b"a && b" in encoding.bare({"data": {"command": command}})
