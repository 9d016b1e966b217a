"""Recorded sequences, replayed with changed requests in between."""

from __future__ import annotations

import functools
import random
from typing import TYPE_CHECKING, Any

import msgspec

from tests.golden import conformance
from tests.golden.conformance_values import Bindings
from tests.server.fuzz import mutating, oracle, wire
from tests.server.fuzz.bodies import Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.server.fuzz.wire import Answer, Wire


@functools.cache
def pool() -> Pool:
    """All that recorded bodies hold."""
    steps = (step for each in conformance.sequences() for step in each["steps"])
    requests = (step["request"] for step in steps if step.get("request"))
    return Pool([request["body"] for request in requests if request.get("body") is not None])


class Storm:
    """So many requests from one seed on one application."""

    def __init__(self, app: Any, seed: int, requests: int) -> None:
        self.app = app
        self.rng = random.Random(seed)
        self.left = requests
        self.statuses: dict[int, int] = {}
        # What a request may not be, whatever the dice say.
        self.is_allowed: Callable[[Wire], bool] = bool

    async def run(self) -> None:
        """Send them all; raises at the first answer that must not be."""
        for sequence in self._sequences():
            await self._replay(sequence)
            if self.left <= 0:
                return

    def _sequences(self) -> Iterator[dict[str, Any]]:
        while True:
            chosen = list(conformance.sequences())
            self.rng.shuffle(chosen)
            yield from chosen

    async def _replay(self, sequence: dict[str, Any]) -> None:
        bindings = Bindings()
        for step in sequence["steps"]:
            if step.get("request") is None or self.left <= 0:
                continue
            original = wire.recorded(bindings.substitute(step["request"]))
            for _ in range(self.rng.choice((0, 1, 1, 2, 3))):
                await self.ask(mutating.mutated(original, self.rng, pool()))
            answer = await self.ask(original)
            if answer is not None and answer.is_complete and "body" in step["response"]:
                _bind(bindings, step["response"]["body"], answer)

    async def ask(self, request: Wire) -> Answer | None:
        """Send one request, if it may be."""
        if not self.is_allowed(request):
            return None
        self.left -= 1
        answer = await oracle.ask(self.app, request)
        self.statuses[answer.status] = self.statuses.get(answer.status, 0) + 1
        return answer


def _bind(bindings: Bindings, expected: Any, answer: Answer) -> None:
    try:
        bindings.differences(expected, msgspec.json.decode(answer.body))
    except msgspec.DecodeError:
        return
