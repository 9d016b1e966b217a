"""The machine that runs a script: instruction by instruction, until it waits or ends."""

from __future__ import annotations

import posixpath
import shlex
from typing import TYPE_CHECKING, Final

from kubestage.errors import Unmodelled
from kubestage.programs.calls import Buffer, Call, Waiting
from kubestage.programs.shell import builtins, compiler, expansion, instructions
from kubestage.programs.shell import streams as streams_of

if TYPE_CHECKING:
    from kubestage.programs.commands import Run
    from kubestage.programs.context import ContainerContext
    from kubestage.programs.files import Files
    from kubestage.programs.shell.compiler import Code, Instruction
    from kubestage.programs.shell.streams import Streams
    from kubestage.programs.shell.syntax import Script, Simple

MOST_STEPS: Final = 50_000
"""How many instructions run without waiting; a program that needs more never gets any further."""
_NOT_DEEPER: Final = 50


class Frame:
    """Code that is being run. A subshell keeps the `variables` that it must not change."""

    __slots__ = ("code", "home", "is_function", "lists", "parameters", "pc", "streams", "variables")

    def __init__(self, code: Code, streams: Streams) -> None:
        self.code = code
        self.pc = 0
        self.streams = [streams]
        self.lists: list[list[str]] = []
        self.is_function = False
        self.parameters: list[str] | None = None
        self.variables: dict[str, str] | None = None
        self.home = ""


class Machine:
    """One shell: `exit_code` is None while it runs; `waiting` is the command that it waits for."""

    def __init__(
        self,
        code: Code,
        context: ContainerContext,
        streams: Streams,
        commands: dict[str, Run],
        name: str = "sh",
    ) -> None:
        self.context = context
        self.commands = commands
        self.name = name
        self.frames = [Frame(code, streams)]
        self.variables = dict(context.variables)
        self.parameters: list[str] = []
        self.functions: dict[str, Code] = {}
        self.traps: dict[str, str] = {}
        self.signals: list[str] = []
        self.jobs: list[Machine] = []
        self.home = context.home
        self.status = 0
        self.exit_code: int | None = None
        self.waiting: Waiting | None = None
        self.exits_on_error = False
        self.traces = False
        self.is_stuck = False
        self.depth = 0

    @property
    def files(self) -> Files:
        """The files of the container."""
        return self.context.files

    @property
    def is_endless(self) -> bool:
        """Whether it is in a loop that it does not leave by itself."""
        return any(each.code.is_endless(each.pc - 1) for each in self.frames)

    @property
    def wake_ns(self) -> int | None:
        """When it goes on; None if that is not known, or it has ended."""
        times = [each.wake_ns for each in self.jobs if each.wake_ns is not None]
        own = self.waiting.wake_ns if self.waiting is not None else None
        if self.exit_code is None and own is not None:
            times.append(own)
        return min(times, default=None)

    def run(self, now_ns: int) -> None:
        """Go on until it waits or ends."""
        for job in self.jobs:
            if job.wake_ns is not None and job.wake_ns <= now_ns:
                job.run(now_ns)
        steps = 0
        while self.exit_code is None and not self.is_stuck:
            if self.waiting is not None:
                if not self._is_done(now_ns):
                    return
                self.status = self.waiting.code
                self.waiting = None
            if self.signals:
                self._handle(self.signals.pop(0))
            steps += 1
            if steps > MOST_STEPS:
                self.is_stuck = True
                return
            self._step()

    def signal(self, name: str, now_ns: int) -> bool:
        """Send a signal; whether it has any effect."""
        if name in self.traps:
            self.signals.append(name)
            if isinstance(self.waiting, builtins.WaitingForJobs):
                self.waiting.is_interrupted = True
            return True
        if self.waiting is not None and len(self.frames) == 1 and self._is_last():
            return self.waiting.on_signal(name, now_ns)
        return False

    def _is_last(self) -> bool:
        """Whether a single command is all there is, so that it gets signals itself."""
        return len(self.frames[0].code.instructions) == 1

    def _is_done(self, now_ns: int) -> bool:
        waiting = self.waiting
        assert waiting is not None
        if isinstance(waiting, builtins.WaitingForJobs):
            return waiting.resume(now_ns)
        if waiting.wake_ns is None or waiting.wake_ns > now_ns:
            return False
        return waiting.resume(now_ns)

    def _handle(self, name: str) -> None:
        script = self.traps[name]
        if script:
            self.push(compiler.compile_text(script))

    def push(self, code: Code, parameters: list[str] | None = None) -> Frame:
        """Run code before what is next."""
        if len(self.frames) > _NOT_DEEPER:
            raise Unmodelled("functions that call each other without end")
        frame = Frame(code, self.frames[-1].streams[-1])
        if parameters is not None:
            frame.is_function, frame.parameters = True, self.parameters
            self.parameters = parameters
        self.frames.append(frame)
        return frame

    def pop(self) -> None:
        """Leave the code that is being run."""
        frame = self.frames.pop()
        if frame.parameters is not None:
            self.parameters = frame.parameters
        if frame.variables is not None:
            self.variables, self.home = frame.variables, frame.home

    def exit(self, code: int) -> None:
        """End: the subshell that is being run, or all of it."""
        self.status = code & 0xFF
        for depth in range(len(self.frames) - 1, -1, -1):
            if self.frames[depth].variables is not None:
                while len(self.frames) > depth:
                    self.pop()
                return
        at_end = self.traps.pop("EXIT", "")
        last = self.frames[0]
        self.frames = [Frame(compiler.Code(()), last.streams[0])]
        if at_end:
            code = self.status
            self.push(compiler.compile_text(f"{at_end}\nexit {code}"))

    def _step(self) -> None:
        frame = self.frames[-1]
        if frame.pc >= len(frame.code.instructions):
            if len(self.frames) > 1:
                self.pop()
            elif "EXIT" in self.traps:
                self.exit(self.status)
            else:
                self.exit_code = self.status
            return
        instruction = frame.code.instructions[frame.pc]
        frame.pc += 1
        self._do(frame, instruction)

    def _do(self, frame: Frame, instruction: Instruction) -> None:
        operation = instruction[0]
        if operation == "simple":
            self._simple(instruction[1], is_checked=instruction[2])
        elif operation == "jump":
            frame.pc = instruction[1]
        elif operation in ("fails", "succeeds"):
            if (self.status == 0) == (operation == "succeeds"):
                frame.pc = instruction[1]
        elif operation == "not":
            self.status = int(not self.status)
        elif operation == "status":
            self.status = instruction[1]
        else:
            instructions.OTHERS[operation](self, frame, *instruction[1:])

    def child(self, code: Code, streams: Streams) -> Machine:
        """A shell that begins as this one is."""
        made = Machine(code, self.context, streams, self.commands, self.name)
        made.variables, made.functions = dict(self.variables), dict(self.functions)
        made.parameters, made.home = list(self.parameters), self.home
        made.status, made.depth = self.status, self.depth + 1
        made.traces = self.traces
        if made.depth > _NOT_DEEPER:
            raise Unmodelled("scripts that run each other without end")
        return made

    def finish(self, machine: Machine) -> int:
        """The exit code of a shell that must not wait."""
        machine.run(self.context.now_ns)
        if machine.exit_code is None:
            raise Unmodelled("a pipe or substitution that waits")
        return machine.exit_code

    def substitute(self, script: Script) -> str:
        """What a script prints."""
        buffer = Buffer()
        _, _, err = self.frames[-1].streams[-1]
        self.status = self.finish(self.child(compiler.compile_script(script), (b"", buffer, err)))
        return buffer.data.decode("utf-8", "surrogateescape")

    def get(self, name: str) -> str | None:
        """The value of a variable or parameter."""
        return builtins.value_of(self, name)

    def assign(self, name: str, value: str) -> None:
        """Set a variable."""
        self.variables[name] = value

    def _simple(self, command: Simple, *, is_checked: bool) -> None:
        words = expansion.fields(self, command.words)
        if not words:
            self.status = 0
            for name, word in command.assignments:
                self.assign(name, expansion.text(self, word))
        streams = streams_of.redirected(self, self.frames[-1].streams[-1], command.redirections)
        if streams is not None and words:
            added = {name: expansion.text(self, word) for name, word in command.assignments}
            self._execute(words, added, streams)
        if self.waiting is None:
            self.check(is_checked)

    def _execute(self, words: list[str], added: dict[str, str], streams: Streams) -> None:
        name = words[0]
        if self.traces:
            # As of ``set -x``: on the standard error of the shell, not of the command.
            self.frames[0].streams[0][2].write(f"+ {shlex.join(words)}\n".encode())
        if name in self.functions:
            self.push(self.functions[name], words[1:]).streams[0] = streams
            return
        builtin = builtins.BUILTINS.get(name)
        if builtin is not None:
            builtin(self, words, streams)
            return
        self.call(words, {**self.variables, **added}, streams)

    def call(self, words: list[str], variables: dict[str, str], streams: Streams) -> None:
        """Call a command of the image."""
        found = self.commands.get(posixpath.basename(words[0]))
        if found is None:
            raise Unmodelled(f"the command {words[0]}")
        result = found(Call(words, self.context, variables, self.home, streams))
        if isinstance(result, Waiting):
            self.waiting = result
        else:
            self.status = result

    def check(self, is_checked: bool) -> None:
        """End after a failure, if that was requested by ``set -e``."""
        if self.exits_on_error and not is_checked and self.status:
            self.exit(self.status)
