"""What a program can know of the container in which it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.errors import Unmodelled

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.programs.calls import Sink
    from kubestage.programs.files import Files
    from kubestage.programs.http import HttpAnswer, HttpRequest
    from kubestage.programs.records import Record

    Ask = Callable[[str, int, HttpRequest], HttpAnswer | None]
    # The records of a name and a type.
    Lookup = Callable[[str, str], list[Record]]
    Execute = Callable[[list[str], Sink], int]


def _nothing_runs(words: list[str], sink: Sink) -> int:
    del sink
    raise Unmodelled(" ".join(words))


class ContainerContext:
    """The pod, its container, files and time; `execute` runs another program beside a server."""

    def __init__(
        self,
        pod: Json,
        container: Json,
        files: Files,
        variables: dict[str, str],
        stream: random.Random,
        ask: Ask,
        lookup: Lookup,
    ) -> None:
        self.pod = pod
        self.container = container
        self.files = files
        self.variables = variables
        self.stream = stream
        self.ask = ask
        self.lookup = lookup
        self.execute: Execute = _nothing_runs
        self.now_ns = 0
        self.unix_ns = 0

    @property
    def home(self) -> str:
        """The directory in which programs start."""
        return str(self.container.get("workingDir") or "/")

    def at(self, now_ns: int, epoch_ns: int) -> None:
        """Time passes."""
        self.now_ns = self.files.now_ns = now_ns
        self.unix_ns = epoch_ns + now_ns
