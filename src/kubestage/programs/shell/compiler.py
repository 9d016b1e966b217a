"""From the parts of a script to instructions: a program counter is all that has to be kept."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.errors import Unmodelled
from kubestage.programs.shell import parser
from kubestage.programs.shell.syntax import (
    Background,
    Case,
    Either,
    For,
    Function,
    Group,
    If,
    Literal,
    Pipeline,
    Simple,
    While,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.programs.shell.syntax import Command, Script, Word

_ALWAYS: Final = frozenset({("true",), (":",), ("[", "1", "]"), ("test", "1")})
_ENDS: Final = frozenset({"exit", "exec", "return", "break", "set", "kill", "eval"})
Instruction = tuple[Any, ...]


class Code(NamedTuple):
    """Instructions; `endless` are the parts, from and to, that are never left but by a signal."""

    instructions: tuple[Instruction, ...]
    endless: tuple[tuple[int, int], ...] = ()

    def is_endless(self, at: int) -> bool:
        """Whether an instruction is part of a loop that does not end by itself."""
        return any(start <= at < end for start, end in self.endless)


@functools.lru_cache(maxsize=512)
def compile_text(text: str) -> Code:
    """The instructions of a script."""
    return compile_script(parser.parse(text))


def compile_words(words: tuple[str, ...]) -> Code:
    """One command with its words as they are."""
    literal = tuple((Literal(each, True),) for each in words)
    return compile_script((Simple((), literal, ()),))


def compile_script(script: Script) -> Code:
    """The instructions of commands."""
    compiler = _Compiler()
    compiler.script(script)
    return Code(tuple(compiler.made), tuple(compiler.endless))


def names(script: Script) -> Iterator[str]:
    """The names of the commands in a script, as far as they are written out."""
    for simple in simple_commands(script):
        if simple.words:
            found = plain(simple.words[0])
            if found is not None:
                yield found


def defined(script: Script) -> Iterator[str]:
    """The names of the functions in a script."""
    for command in _all(script):
        if isinstance(command, Function):
            yield command.name


def plain(word: Word) -> str | None:
    """The text of a word that has nothing to expand."""
    if all(isinstance(each, Literal) for each in word):
        return "".join(each.text for each in word if isinstance(each, Literal))
    return None


def simple_commands(script: Script) -> Iterator[Simple]:
    """All simple commands, however deep."""
    return (each for each in _all(script) if isinstance(each, Simple))


def _all(script: Script) -> Iterator[Command]:
    for command in script:
        yield command
        for part in command:
            yield from _within(part)


def _within(part: Any) -> Iterator[Command]:
    """The commands in any part of another one: bodies, and substitutions in its words."""
    if isinstance(
        part, (Simple, Pipeline, Either, Background, If, While, For, Case, Group, Function)
    ):
        yield from _all((part,))
    elif isinstance(part, tuple):
        for each in part:
            yield from _within(each)


class _Compiler:
    def __init__(self) -> None:
        self.made: list[Instruction] = []
        self.endless: list[tuple[int, int]] = []
        self._loops: list[tuple[list[int], int]] = []

    def script(self, script: Script, *, is_checked: bool = False) -> None:
        for command in script:
            self._command(command, is_checked=is_checked)

    def _emit(self, *instruction: Any) -> int:
        self.made.append(instruction)
        return len(self.made) - 1

    def _aim(self, at: int) -> None:
        """Let an earlier jump lead to here."""
        self.made[at] = (*self.made[at][:-1], len(self.made))

    def _command(self, command: Command, *, is_checked: bool = False) -> None:
        if isinstance(command, Simple):
            self._simple(command, is_checked)
        elif isinstance(command, Either):
            self._command(command.left, is_checked=True)
            jump = self._emit("fails" if command.operator == "&&" else "succeeds", 0)
            self._command(command.right, is_checked=is_checked)
            self._aim(jump)
        elif isinstance(command, Pipeline):
            self._pipeline(command, is_checked)
        elif isinstance(command, Background):
            self._emit("background", compile_script((command.command,)))
        elif isinstance(command, Group):
            self._group(command, is_checked)
        elif isinstance(command, If):
            self._if(command, is_checked)
        elif isinstance(command, While):
            self._while(command, is_checked)
        elif isinstance(command, For):
            self._for(command, is_checked)
        elif isinstance(command, Case):
            self._case(command, is_checked)
        else:
            self._emit("define", command.name, compile_script((command.body,)))

    def _simple(self, command: Simple, is_checked: bool) -> None:
        name = plain(command.words[0]) if command.words else None
        if name in ("break", "continue"):
            if not self._loops or len(command.words) > 1:
                raise Unmodelled(f"{name} out of several loops")
            breaks, start = self._loops[-1]
            if name == "break":
                breaks.append(self._emit("jump", 0))
            else:
                self._emit("jump", start)
            return
        self._emit("simple", command, is_checked)

    def _pipeline(self, command: Pipeline, is_checked: bool) -> None:
        if len(command.commands) == 1:
            self._command(command.commands[0], is_checked=True)
        else:
            stages = tuple(compile_script((each,)) for each in command.commands)
            self._emit("pipe", stages, is_checked or command.is_negated)
        if command.is_negated:
            self._emit("not")

    def _group(self, command: Group, is_checked: bool) -> None:
        at = self._emit("redirect", command.redirections, 0) if command.redirections else None
        if command.is_subshell:
            self._emit("subshell", compile_script(command.body))
        else:
            self.script(command.body, is_checked=is_checked)
        if at is not None:
            self._emit("restore")
            self._aim(at)

    def _if(self, command: If, is_checked: bool) -> None:
        self.script(command.condition, is_checked=True)
        skip = self._emit("fails", 0)
        self.script(command.body, is_checked=is_checked)
        end = self._emit("jump", 0)
        self._aim(skip)
        self._emit("status", 0)
        self.script(command.otherwise, is_checked=is_checked)
        self._aim(end)

    def _while(self, command: While, is_checked: bool) -> None:
        start = len(self.made)
        self.script(command.condition, is_checked=True)
        leave = self._emit("succeeds" if command.is_until else "fails", 0)
        breaks: list[int] = []
        self._loops.append((breaks, start))
        self.script(command.body, is_checked=is_checked)
        self._loops.pop()
        self._emit("jump", start)
        if _is_endless(command):
            self.endless.append((start, len(self.made)))
        self._aim(leave)
        self._emit("status", 0)
        for each in breaks:
            self._aim(each)

    def _for(self, command: For, is_checked: bool) -> None:
        self._emit("for", command.words)
        start = self._emit("next", command.name, 0)
        breaks: list[int] = []
        self._loops.append((breaks, start))
        self.script(command.body, is_checked=is_checked)
        self._loops.pop()
        self._emit("jump", start)
        for each in (start, *breaks):
            self._aim(each)
        self._emit("end-for")

    def _case(self, command: Case, is_checked: bool) -> None:
        ends = []
        for patterns, body in command.branches:
            skip = self._emit("match", command.word, patterns, 0)
            self.script(body, is_checked=is_checked)
            ends.append(self._emit("jump", 0))
            self._aim(skip)
        self._emit("status", 0)
        for each in ends:
            self._aim(each)


def _is_endless(loop: While) -> bool:
    """Whether a loop has a condition that always holds, and nothing in it that leaves it."""
    if len(loop.condition) != 1 or not isinstance(loop.condition[0], Simple):
        return False
    condition = tuple(plain(each) or "" for each in loop.condition[0].words)
    holds = condition == ("false",) if loop.is_until else condition in _ALWAYS
    return holds and not any(name in _ENDS for name in names(loop.body))
