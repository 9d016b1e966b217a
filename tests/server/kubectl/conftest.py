"""One server for all tests of a worker, and a namespace for each test."""

from __future__ import annotations

import itertools
import subprocess
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.deadlines import HANG_S
from tests.server.served import Served, nodes, require_kubectl

if TYPE_CHECKING:
    from collections.abc import Iterator

_NUMBERS = itertools.count()


_TRIES = 10


class Kubectl:
    """The real kubectl, in a namespace of its own."""

    def __init__(self, served: Served, namespace: str) -> None:
        self.served = served
        self.namespace = namespace

    def run(self, *words: str, given: str | None = None, editor: str = "") -> Any:
        """What became of a command.

        On a busy machine kubectl may lose output of `exec` that comes before it has made its
        streams, and says so: then it is asked again.
        """
        for _ in range(_TRIES - 1):
            done = self._once(words, given, editor)
            if words[0] != "exec" or "Unknown stream id" not in done.stderr:
                return done
        return self._once(words, given, editor)

    def _once(self, words: tuple[str, ...], given: str | None, editor: str) -> Any:
        command = ["kubectl", "-n", self.namespace, *words]
        return subprocess.run(
            command,
            env={**self.served.environment, "EDITOR": editor},
            input=given,
            capture_output=True,
            text=True,
            timeout=HANG_S,
            check=False,
        )

    def __call__(self, *words: str, given: str | None = None) -> str:
        """What a command prints that must succeed."""
        done = self.run(*words, given=given)
        assert done.returncode == 0, f"kubectl {' '.join(words)}\n{done.stdout}{done.stderr}"
        printed: str = done.stdout
        return printed

    def refused(self, *words: str, given: str | None = None) -> str:
        """What a command complains of that must fail."""
        done = self.run(*words, given=given)
        assert done.returncode != 0, done.stdout
        complaint: str = done.stderr
        return complaint

    def json(self, *words: str) -> Any:
        """An object."""
        return msgspec.json.decode(self(*words, "-o", "json"))

    def table(self, *words: str) -> list[dict[str, str]]:
        """What is printed as a table, by column."""
        head, *rows = self(*words).splitlines()
        starts = [at for at, char in enumerate(head) if char != " " and head[at - 2 : at] == "  "]
        starts = [0, *starts]
        ends = [*starts[1:], None]
        spans = list(zip(starts, ends, strict=True))
        return [
            {head[a:b].strip(): row[a:b].strip() for a, b in spans} for row in rows if row.strip()
        ]


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    require_kubectl()
    with Served(objects=nodes(4)) as running:
        yield running


@pytest.fixture
def kubectl(served: Served) -> Kubectl:
    namespace = f"test-{next(_NUMBERS)}"
    client = Kubectl(served, namespace)
    client("create", "namespace", namespace)
    return client
