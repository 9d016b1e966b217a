"""How the end of a namespace is answered."""

from __future__ import annotations

import asyncio

from tests.golden import conformance
from tests.server import calling

SHOP = "/api/v1/namespaces/shop"


def test_the_last_deletion_shows_the_namespace_that_is_gone() -> None:
    async def answers() -> list[tuple[int, str]]:
        app = conformance.application()
        empty = {"metadata": {"name": "shop"}}
        await calling.call(app, "POST", "/api/v1/namespaces", empty)
        await calling.call(app, "PUT", f"{SHOP}/finalize", empty)
        made = [await calling.call(app, method, SHOP) for method in ("DELETE", "DELETE", "GET")]
        return [(answer.status, answer.json["kind"]) for answer in made]

    assert asyncio.run(answers()) == [(200, "Namespace"), (200, "Namespace"), (404, "Status")]
