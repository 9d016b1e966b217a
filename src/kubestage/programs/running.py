"""Finding a program by its words, and running it."""

from __future__ import annotations

import functools
import posixpath
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import Unmodelled
from kubestage.programs.agnhost.program import SUBCOMMANDS, agnhost, privileged
from kubestage.programs.calls import Call, Waiting
from kubestage.programs.commands.filing import FILING
from kubestage.programs.commands.looking import LOOKING
from kubestage.programs.commands.matching import MATCHING
from kubestage.programs.commands.naming import NAMING
from kubestage.programs.commands.network import NETWORK
from kubestage.programs.commands.printing import PRINTING
from kubestage.programs.commands.testing import TESTING
from kubestage.programs.commands.text import TEXT
from kubestage.programs.commands.waiting import WAITING
from kubestage.programs.shell import compiler, parser
from kubestage.programs.shell.builtins import BUILTINS
from kubestage.programs.shell.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.programs.calls import Sink
    from kubestage.programs.commands import Run
    from kubestage.programs.context import ContainerContext
    from kubestage.programs.shell.compiler import Code

SHELLS: Final = frozenset({"sh", "bash", "ash", "dash"})
AGNHOST: Final = frozenset({"agnhost", "agnhost-2"})


class ShellCall(Waiting):
    """A shell that is called by another program."""

    def __init__(self, call: Call, machine: Machine) -> None:
        super().__init__(call)
        self.machine = machine

    @property
    def wake_ns(self) -> int | None:  # type: ignore[override]
        """When it goes on."""
        return self.machine.wake_ns

    def resume(self, now_ns: int) -> bool:
        """Go on."""
        self.machine.run(now_ns)
        self.code = self.machine.exit_code or 0
        return self.machine.exit_code is not None


def _shell(call: Call) -> int | Waiting:
    code = code_of((call.name, *call.arguments))
    streams = (call.stdin, call.out, call.err)
    machine = Machine(code, call.context, streams, COMMANDS, call.name)
    machine.variables, machine.home = dict(call.variables), call.home
    machine.parameters = list(call.arguments[script_of((call.name, *call.arguments))[1] + 1 :])
    machine.run(call.context.now_ns)
    return ShellCall(call, machine) if machine.exit_code is None else machine.exit_code


COMMANDS: Final[dict[str, Run]] = {
    **PRINTING,
    **FILING,
    **LOOKING,
    **TEXT,
    **MATCHING,
    **TESTING,
    **WAITING,
    **NETWORK,
    **NAMING,
    **dict.fromkeys(AGNHOST, agnhost),
    "nnp": privileged,
    **dict.fromkeys(SHELLS, _shell),
}
"""All commands that are modelled, by name."""


@functools.lru_cache(maxsize=1024)
def code_of(words: tuple[str, ...]) -> Code:
    """The instructions of a command with its words; those of a shell's script if it is a shell."""
    name = posixpath.basename(words[0])
    if name in SHELLS:
        letters, place = script_of(words)
        _check(words[place])
        options = "".join(sorted(letters & {"e", "x"}))
        return compiler.compile_text(f"set -{options}\n{words[place]}" if options else words[place])
    if name not in COMMANDS:
        raise Unmodelled(f"the command {words[0]}")
    if name in AGNHOST and (len(words) < 2 or words[1] not in SUBCOMMANDS):
        raise Unmodelled(" ".join(words[:2]))
    return compiler.compile_words(words)


def script_of(words: Sequence[str]) -> tuple[set[str], int]:
    """The options of a shell, and the place of its script among the words: ``sh -x -c SCRIPT``."""
    letters: set[str] = set()
    for place, word in enumerate(words[1:], 1):
        if word[:1] != "-" or not set(word[1:]) <= {"c", "e", "x"}:
            break
        letters |= set(word[1:])
        if "c" in word and place + 1 < len(words):
            return letters, place + 1
    raise Unmodelled(f"{' '.join(words[:2])} without -c SCRIPT")


def _check(script: str) -> None:
    """See that every command that a script names is known, before any of it is run."""
    parsed = parser.parse(script)
    functions = set(compiler.defined(parsed))
    for name in compiler.names(parsed):
        if name in functions or name in BUILTINS or name in ("break", "continue"):
            continue
        if posixpath.basename(name) not in COMMANDS:
            raise Unmodelled(f"the command {name}")


def machine_of(
    words: list[str], context: ContainerContext, stdin: bytes | None, out: Sink, err: Sink
) -> Machine:
    """A program that is ready to run."""
    code = code_of(tuple(words))
    made = Machine(code, context, (stdin, out, err), COMMANDS, words[0])
    if posixpath.basename(words[0]) in SHELLS:
        rest = words[script_of(words)[1] + 1 :]
        if rest:
            made.name, made.parameters = rest[0], rest[1:]
    return made


def finish(
    words: list[str], context: ContainerContext, stdin: bytes | None, out: Sink, err: Sink
) -> int:
    """Run a program that does not wait; its exit code."""
    machine = machine_of(words, context, stdin, out, err)
    machine.run(context.now_ns)
    if machine.exit_code is None:
        raise Unmodelled(f"{words[0]} that waits")
    return machine.exit_code


def server_of(machine: Machine) -> Any:
    """The command that a program waits for, at whatever depth."""
    waiting = machine.waiting
    while isinstance(waiting, ShellCall):
        waiting = waiting.machine.waiting
    return waiting
