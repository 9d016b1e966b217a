"""One call of a command: its words, where it reads and writes, and how it waits."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Protocol

from kubestage.errors import Unmodelled

if TYPE_CHECKING:
    from kubestage.programs.context import ContainerContext
    from kubestage.programs.files import Files


class Sink(Protocol):
    """Where output goes."""

    def write(self, data: bytes) -> None:
        """Take some."""
        ...


class Buffer:
    """Output that something else reads."""

    def __init__(self) -> None:
        self.data = b""

    def write(self, data: bytes) -> None:
        """Take some."""
        self.data += data


class FileSink:
    """Output that is appended to a file."""

    def __init__(self, files: Files, path: str) -> None:
        self._files = files
        self._path = path

    def write(self, data: bytes) -> None:
        """Take some."""
        self._files.write(self._path, data, appends=True)


class Nowhere:
    """Output that is discarded."""

    def write(self, data: bytes) -> None:
        """Take some."""


class Call:
    """A command with its words, which are `name` and `arguments`."""

    __slots__ = ("arguments", "context", "err", "home", "name", "out", "stdin", "variables")

    def __init__(
        self,
        words: list[str],
        context: ContainerContext,
        variables: dict[str, str],
        home: str,
        streams: tuple[bytes | None, Sink, Sink],
    ) -> None:
        self.name = words[0]
        self.arguments = words[1:]
        self.context = context
        self.variables = variables
        self.home = home
        self.stdin, self.out, self.err = streams

    @property
    def files(self) -> Files:
        """The files of the container."""
        return self.context.files

    def print(self, text: str) -> None:
        """Write to the standard output."""
        self.out.write(text.encode("utf-8", "surrogateescape"))

    def complain(self, text: str) -> int:
        """Write a line to the standard error, after the command's name; the usual exit code."""
        line = f"{posixpath.basename(self.name)}: {text}\n"
        self.err.write(line.encode("utf-8", "surrogateescape"))
        return 1

    def path(self, path: str) -> str:
        """An absolute path."""
        joined = posixpath.join(self.home, path)
        return f"/{posixpath.normpath(joined).lstrip('/')}" if ".." not in path else joined

    def unmodelled(self) -> Unmodelled:
        """This command with these words is not modelled."""
        return Unmodelled(" ".join([posixpath.basename(self.name), *self.arguments]))

    def options(self, known: str) -> tuple[set[str], list[str]]:
        """Letters of options, which have to be known, and the other words."""
        letters: set[str] = set()
        rest = list(self.arguments)
        while rest and rest[0].startswith("-") and rest[0] != "-":
            word = rest.pop(0)
            if word == "--":
                break
            if set(word[1:]) - set(known):
                raise self.unmodelled()
            letters |= set(word[1:])
        return letters, rest


class Waiting:
    """A command that is not done yet.

    It is looked at again at `wake_ns`, or never if that is None. `due_ns` is when the cluster can
    see a difference; what happens before that is computed only when it is read.
    """

    wake_ns: int | None = None
    code = 0

    def __init__(self, call: Call) -> None:
        self.call = call

    @property
    def due_ns(self) -> int | None:
        """When its container may change for others."""
        return self.wake_ns

    def resume(self, now_ns: int) -> bool:
        """Go on; whether it is done."""
        del now_ns
        return True

    def on_signal(self, name: str, now_ns: int) -> bool:
        """Handle a signal by itself; whether it does."""
        del name, now_ns
        return False
