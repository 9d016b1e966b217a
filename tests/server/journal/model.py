"""What writers do to their objects, and what must be there after their server was killed."""

from __future__ import annotations

import random
from typing import NamedTuple

# How many requests make up the life of one object; the last one deletes it, every other time.
REQUESTS = 5


class Told(NamedTuple):
    """The answer to one request: the state of an object (None: gone) and the version."""

    name: str
    value: str | None
    revision: int


class Begun(NamedTuple):
    """All that a process finds when it begins, and the version it begins with."""

    values: dict[str, str]
    revision: int


def value_after(name: str, requests: int) -> str | None:
    """The state that an object is in after so many requests."""
    if requests == 0:
        return None
    is_mortal = random.Random(name).random() < 0.5
    if requests == REQUESTS and is_mortal:
        return None
    filling = "x" * (9_000 if random.Random(f"{name}/{requests}").random() < 0.1 else 20)
    return f"{requests} {filling}"


class Model:
    """What may be in the directory, by what was told."""

    def __init__(self) -> None:
        self.requests: dict[str, int] = {}
        self.revision = 0
        self.acknowledged = 0

    def hear(self, message: Told | int) -> None:
        if isinstance(message, int):
            self.revision = max(self.revision, message)
            return
        done = self.requests.get(message.name, 0) + 1
        self.requests[message.name] = done
        assert message.value == value_after(message.name, done)
        self.revision = max(self.revision, message.revision)
        self.acknowledged += 1

    def check(self, begun: Begun, *, is_relaxed: bool) -> None:
        assert begun.revision >= self.revision
        self.revision = begun.revision
        if not is_relaxed:
            self._check_values(begun.values)

    def _check_values(self, values: dict[str, str]) -> None:
        """Each object is as acknowledged, or one request further: one may have been under way."""
        for name, done in self.requests.items():
            found = values.get(name)
            if found != value_after(name, done):
                assert done < REQUESTS, name
                assert found == value_after(name, done + 1), name
                self.requests[name] = done + 1
        strangers = [name for name in values if name not in self.requests]
        for name in strangers:
            assert values[name] == value_after(name, 1), name
            self.requests[name] = 1
