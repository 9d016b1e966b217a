"""The instructions of a script that are more than a jump or a simple command."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING, Any, Final

from kubestage.programs.calls import Buffer
from kubestage.programs.shell import expansion
from kubestage.programs.shell import streams as streams_of

if TYPE_CHECKING:
    from kubestage.programs.shell.compiler import Code
    from kubestage.programs.shell.machine import Frame, Machine


def _for(machine: Machine, frame: Frame, words: Any) -> None:
    found = list(machine.parameters) if words is None else expansion.fields(machine, words)
    frame.lists.append(found)


def _next(machine: Machine, frame: Frame, name: str, end: int) -> None:
    if frame.lists[-1]:
        machine.assign(name, frame.lists[-1].pop(0))
    else:
        frame.pc = end


def _end_for(machine: Machine, frame: Frame) -> None:
    del machine
    frame.lists.pop()


def _match(machine: Machine, frame: Frame, word: Any, patterns: Any, otherwise: int) -> None:
    text = expansion.text(machine, word)
    matched = (fnmatch.fnmatchcase(text, expansion.pattern(machine, each)) for each in patterns)
    if not any(matched):
        frame.pc = otherwise


def _redirect(machine: Machine, frame: Frame, redirections: Any, otherwise: int) -> None:
    streams = streams_of.redirected(machine, frame.streams[-1], redirections)
    if streams is None:
        frame.pc = otherwise
    else:
        frame.streams.append(streams)


def _restore(machine: Machine, frame: Frame) -> None:
    del machine
    frame.streams.pop()


def _subshell(machine: Machine, frame: Frame, code: Code) -> None:
    del frame
    pushed = machine.push(code)
    pushed.variables, pushed.home = dict(machine.variables), machine.home


def _background(machine: Machine, frame: Frame, code: Code) -> None:
    job = machine.child(code, frame.streams[-1])
    machine.jobs.append(job)
    job.run(machine.context.now_ns)
    machine.status = 0


def _define(machine: Machine, frame: Frame, name: str, code: Code) -> None:
    del frame
    machine.functions[name] = code


def _pipe(machine: Machine, frame: Frame, stages: tuple[Code, ...], is_checked: bool) -> None:
    data, out, err = frame.streams[-1]
    for number, stage in enumerate(stages):
        is_last = number == len(stages) - 1
        sink = out if is_last else Buffer()
        machine.status = machine.finish(machine.child(stage, (data, sink, err)))
        data = sink.data if isinstance(sink, Buffer) and not is_last else b""
    machine.check(is_checked)


OTHERS: Final[dict[str, Any]] = {
    "for": _for,
    "next": _next,
    "end-for": _end_for,
    "match": _match,
    "redirect": _redirect,
    "restore": _restore,
    "subshell": _subshell,
    "background": _background,
    "define": _define,
    "pipe": _pipe,
}
"""By name; jumps and simple commands are the machine's own."""
