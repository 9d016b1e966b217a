"""What a shell does itself: variables, traps, jobs, and its own end."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import Unmodelled
from kubestage.programs.calls import Call, Waiting
from kubestage.programs.shell import compiler
from kubestage.programs.tree import DIRECTORY, FileError

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.programs.shell.machine import Machine

_SIGNALS: Final = {"1": "HUP", "2": "INT", "3": "QUIT", "9": "KILL", "15": "TERM", "0": "EXIT"}
_RANDOM: Final = 32768
_PROCESS: Final = "1"


class WaitingForJobs(Waiting):
    """``wait``: until all jobs are done, or a signal comes for which there is a trap."""

    def __init__(self, call: Call, jobs: list[Machine]) -> None:
        super().__init__(call)
        self._jobs = jobs
        self.is_interrupted = False

    def resume(self, now_ns: int) -> bool:
        """Whether it is over."""
        del now_ns
        if self.is_interrupted:
            self.code = 143
            return True
        return all(each.exit_code is not None for each in self._jobs)


def value_of(machine: Machine, name: str) -> str | None:
    """The value of a variable, or of a parameter with a name of its own."""
    if name.isdigit():
        number = int(name)
        if number == 0:
            return machine.name
        return machine.parameters[number - 1] if number <= len(machine.parameters) else None
    special: dict[str, Callable[[], str]] = {
        "?": lambda: str(machine.status),
        "#": lambda: str(len(machine.parameters)),
        "@": lambda: " ".join(machine.parameters),
        "*": lambda: " ".join(machine.parameters),
        "$": lambda: _PROCESS,
        "!": lambda: str(1 + len(machine.jobs)),
        "-": lambda: "e" if machine.exits_on_error else "",
        "PWD": lambda: machine.home,
        "RANDOM": lambda: str(machine.context.stream.randrange(_RANDOM)),
    }
    found = special.get(name)
    return found() if found is not None else machine.variables.get(name)


def _exit(machine: Machine, words: list[str], streams: Any) -> None:
    del streams
    machine.exit(_code(machine, words))


def _code(machine: Machine, words: list[str]) -> int:
    if len(words) < 2:
        return machine.status
    if not words[1].lstrip("-").isdigit():
        raise Unmodelled(" ".join(words))
    return int(words[1])


def _return(machine: Machine, words: list[str], streams: Any) -> None:
    del streams
    code = _code(machine, words)
    while len(machine.frames) > 1 and not machine.frames[-1].is_function:
        machine.pop()
    if len(machine.frames) == 1:
        machine.exit(code)
        return
    machine.pop()
    machine.status = code


def _set(machine: Machine, words: list[str], streams: Any) -> None:
    del streams
    for word in words[1:]:
        letters = word[1:]
        if word[:1] not in "-+" or set(letters) - set("eux"):
            raise Unmodelled(" ".join(words))
        if "e" in letters:
            machine.exits_on_error = word.startswith("-")
        if "x" in letters:
            machine.traces = word.startswith("-")
        if "u" in letters:
            raise Unmodelled(" ".join(words))
    machine.status = 0


def _export(machine: Machine, words: list[str], streams: Any) -> None:
    del streams
    for word in words[1:]:
        name, is_set, value = word.partition("=")
        if name.startswith("-"):
            raise Unmodelled(" ".join(words))
        if is_set:
            machine.assign(name, value)
    machine.status = 0


def _unset(machine: Machine, words: list[str], streams: Any) -> None:
    del streams
    for word in words[1:]:
        machine.variables.pop(word, None)
    machine.status = 0


def _shift(machine: Machine, words: list[str], streams: Any) -> None:
    del streams
    del machine.parameters[: int(words[1]) if len(words) > 1 else 1]
    machine.status = 0


def _cd(machine: Machine, words: list[str], streams: Any) -> None:
    target = words[1] if len(words) > 1 else machine.variables.get("HOME", "/")
    path = posixpath.join(machine.home, target)
    try:
        found = machine.files.find(path)
        problem = "" if found.kind == DIRECTORY else "Not a directory"
    except FileError as error:
        problem = error.problem
    machine.status = 0
    if problem:
        machine.status = 2
        streams[2].write(f"{machine.name}: cd: can't cd to {target}: {problem}\n".encode())
        return
    machine.home = machine.files.resolve(path)


def _trap(machine: Machine, words: list[str], streams: Any) -> None:
    del streams
    if len(words) < 3 or words[1].startswith("--"):
        raise Unmodelled(" ".join(words))
    if words[1] and words[1] != "-":
        compiler.compile_text(words[1])
    for word in words[2:]:
        name = _SIGNALS.get(word, word.upper().removeprefix("SIG"))
        if words[1] == "-":
            machine.traps.pop(name, None)
        else:
            machine.traps[name] = words[1]
    machine.status = 0


def _wait(machine: Machine, words: list[str], streams: Any) -> None:
    call = Call(words, machine.context, machine.variables, machine.home, streams)
    waiting = WaitingForJobs(call, machine.jobs)
    machine.status = 0
    if not waiting.resume(machine.context.now_ns):
        machine.waiting = waiting


def _kill(machine: Machine, words: list[str], streams: Any) -> None:
    del streams
    arguments = words[1:]
    name = "TERM"
    if arguments and arguments[0].startswith("-"):
        text = arguments.pop(0)[1:]
        name = _SIGNALS.get(text, text.upper().removeprefix("SIG"))
    if arguments != [_PROCESS]:
        raise Unmodelled(" ".join(words))
    # The first process of a container gets only the signals for which it has a handler.
    machine.signal(name, machine.context.now_ns)
    machine.status = 0


def _exec(machine: Machine, words: list[str], streams: Any) -> None:
    if len(words) < 2:
        raise Unmodelled("exec without a command")
    code = compiler.compile_words(tuple(words[1:]))
    machine.traps.clear()
    del machine.frames[1:]
    frame = machine.frames[0]
    frame.code, frame.pc, frame.streams = code, 0, [streams]


def _eval(machine: Machine, words: list[str], streams: Any) -> None:
    machine.push(compiler.compile_text(" ".join(words[1:]))).streams[0] = streams


def _nothing(machine: Machine, words: list[str], streams: Any) -> None:
    del words, streams
    machine.status = 0


BUILTINS: Final[dict[str, Callable[[Machine, list[str], Any], None]]] = {
    ":": _nothing,
    "cd": _cd,
    "eval": _eval,
    "exec": _exec,
    "exit": _exit,
    "export": _export,
    "kill": _kill,
    "local": _export,
    "return": _return,
    "set": _set,
    "shift": _shift,
    "trap": _trap,
    "unset": _unset,
    "wait": _wait,
}
