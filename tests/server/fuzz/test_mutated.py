"""Requests of real clients, changed: whatever comes, there is an answer, and the rest goes on."""

from __future__ import annotations

import asyncio
import random
import re
from typing import TYPE_CHECKING

import pytest

from tests.server.fuzz import mutating, oracle, own_corpus, replaying, worlds
from tests.server.fuzz.replaying import Storm

if TYPE_CHECKING:
    from tests.server.fuzz.wire import Wire

REQUESTS = 1000
# A workload of millions of pods is no bad input: it is just never done.
ENDLESS = re.compile(
    rb"(replicas|parallelism|completions|Replicas|requests|rate|perSecond|users|count)\W*"
    rb"-?(\d{3,}|\d+(\.\d+)?[eE])"
)


def is_bounded(request: Wire) -> bool:
    """Whether what a request asks for comes to an end."""
    return not ENDLESS.search(request.body) and "/reset" not in request.path


@pytest.mark.parametrize("seed", range(15))
def test_every_request_is_answered_and_all_can_be_read_afterwards(
    seed: int, capfd: pytest.CaptureFixture[str]
) -> None:
    async def story() -> None:
        loop, world = oracle.Loop(), worlds.still()
        await Storm(world.app, seed, REQUESTS).run()
        await world.check()
        assert not loop.problems

    asyncio.run(story())
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("seed", range(4))
def test_a_cluster_that_is_alive_survives_them(
    seed: int, capfd: pytest.CaptureFixture[str]
) -> None:
    async def story() -> None:
        loop = oracle.Loop()
        async with worlds.busy() as world:
            storm = Storm(world.app, 1000 + seed, REQUESTS)
            storm.is_allowed = is_bounded
            await storm.run()
            await world.check()
        assert not loop.problems

    asyncio.run(story())
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("seed", range(2))
def test_our_own_kinds_and_paths_survive_them(seed: int, capfd: pytest.CaptureFixture[str]) -> None:
    async def story() -> None:
        rng, loop = random.Random(seed), oracle.Loop()
        async with worlds.busy() as world:
            for request in own_corpus.requests():
                for _ in range(8):
                    changed = mutating.mutated(request, rng, replaying.pool())
                    if is_bounded(changed):
                        await oracle.ask(world.app, changed)
                await oracle.ask(world.app, request)
            await world.check()
        assert not loop.problems

    asyncio.run(story())
    assert "Traceback" not in capfd.readouterr().err
