"""Where the commands of a shell read and write: redirections."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from kubestage.errors import Unmodelled
from kubestage.programs.calls import FileSink, Nowhere
from kubestage.programs.shell import expansion
from kubestage.programs.tree import ABSENT, FileError

if TYPE_CHECKING:
    from kubestage.programs.calls import Sink
    from kubestage.programs.shell.machine import Machine
    from kubestage.programs.shell.syntax import Redirection

_OUTPUTS: Final = {
    "/dev/stdout": 1, "/proc/1/fd/1": 1, "/proc/self/fd/1": 1,
    "/dev/stderr": 2, "/proc/1/fd/2": 2, "/proc/self/fd/2": 2,
}  # fmt: skip

Streams: TypeAlias = "tuple[bytes | None, Sink, Sink]"
"""What a command reads, and where it writes output and errors."""


def redirected(
    machine: Machine, streams: Streams, redirections: tuple[Redirection, ...]
) -> Streams | None:
    """The streams after redirections; None, and a status, if a file cannot be opened."""
    found: list[Any] = list(streams)
    for each in redirections:
        target = expansion.text(machine, each.target)
        if each.operator in (">&", "<&"):
            if target not in ("0", "1", "2"):
                raise Unmodelled(f"{each.operator}{target}")
            found[each.descriptor] = found[int(target)]
            continue
        path = posixpath.join(machine.home, target)
        try:
            opened = _opened(machine, each.operator, path)
        except FileError as error:
            machine.status = 1
            verb = "open" if each.operator == "<" else "create"
            absent = "no such file" if verb == "open" else "nonexistent directory"
            reason = absent if error.problem == ABSENT else error.problem
            line = f"{machine.name}: can't {verb} {target}: {reason}\n"
            streams[2].write(line.encode())
            return None
        if each.operator == "&>":
            found[1] = found[2] = opened
        elif each.descriptor <= 2:
            found[each.descriptor] = opened
    return found[0], found[1], found[2]


def _opened(machine: Machine, operator: str, path: str) -> Any:
    if operator == "<":
        return b"" if path == "/dev/null" else machine.files.read(path)
    first = machine.frames[0].streams[0]
    if path in _OUTPUTS:
        return first[_OUTPUTS[path]]
    if path == "/dev/null":
        return Nowhere()
    machine.files.write(path, b"", appends=operator == ">>")
    return FileSink(machine.files, path)
