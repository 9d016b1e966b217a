"""Named random streams, so that one consumer's draws never shift another's."""

from __future__ import annotations

import hashlib
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container


class Streams:
    """All random streams of a run, derived from one seed.

    A stream depends on the seed and its own name only: not on which streams were used
    before it, nor on the process (Python's ``hash`` is salted, hence hashlib). Adding a random
    decision to one model therefore leaves the random values of all other models as they were.

    A run that goes on after it was broken off has the same seed and another `boot`: its streams
    are not where they were, and must not repeat what they gave before.
    """

    __slots__ = ("_streams", "boot", "seed")

    def __init__(self, seed: int = 0, boot: int = 0) -> None:
        self.seed = seed
        self.boot = boot
        self._streams: dict[str, random.Random] = {}

    def stream(self, name: str) -> random.Random:
        """The generator of this name: the same object each time, with its own state."""
        found = self._streams.get(name)
        if found is None:
            found = self._streams[name] = random.Random(self._seed_of(name))
        return found

    def rewind(self, *, but: Container[str] = ()) -> None:
        """Have all streams give again what they gave first, those of these names excepted.

        That is what they gave under the seed alone: a caller that draws the same values again must
        know that it does no harm.
        """
        self.boot = 0
        for name, stream in self._streams.items():
            if name not in but:
                stream.seed(self._seed_of(name))

    def _seed_of(self, name: str) -> int:
        source = f"{self.seed}/{name}" if not self.boot else f"{self.seed}/{self.boot}/{name}"
        return int.from_bytes(hashlib.sha256(source.encode()).digest(), "big")

    def __repr__(self) -> str:
        return f"Streams(seed={self.seed})"
