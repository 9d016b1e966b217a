"""Commands that read text from files or a pipe."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.errors import Unmodelled
from kubestage.programs.calls import Waiting
from kubestage.programs.tree import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.programs.calls import Call
    from kubestage.programs.commands import Run


class Inputs:
    """The files of a call, or what comes through a pipe; problems are reported as they come."""

    def __init__(self, call: Call, named: list[str], *, in_part: bool = False) -> None:
        self._call = call
        self._named = named
        self._in_part = in_part
        self.problems = 0

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        call = self._call
        if not self._named:
            if call.stdin is None:
                raise Unmodelled(f"{call.name} that reads from a terminal")
            yield "", call.stdin
            return
        for each in self._named:
            if each == "-":
                yield "-", call.stdin or b""
                continue
            try:
                data = call.files.read(call.path(each), in_part=self._in_part)
            except FileError as error:
                self.problems += call.complain(f"{each}: {error.problem}")
                continue
            yield each, data


def lines_of(data: bytes) -> list[str]:
    """The lines of a text, without what ends them."""
    text = data.decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    return lines[:-1] if lines and not lines[-1] else lines


def cat(call: Call) -> int:
    """``cat``."""
    _, named = call.options("")
    inputs = Inputs(call, named)
    for _, data in inputs:
        call.out.write(data)
    return 1 if inputs.problems else 0


def wc(call: Call) -> int:
    """``wc``: -l -w -c."""
    letters, named = call.options("lwc")
    inputs = Inputs(call, named)
    for name, data in inputs:
        counts = {"l": data.count(b"\n"), "w": len(data.split()), "c": len(data)}
        chosen = [str(counts[each]) for each in "lwc" if not letters or each in letters]
        text = " ".join(chosen) if len(chosen) == 1 else " ".join(each.rjust(9) for each in chosen)
        call.print(f"{text} {name}".rstrip() + "\n")
    return 1 if inputs.problems else 0


def head(call: Call) -> int:
    """``head``: -n COUNT, -c COUNT."""
    return _ends(call, is_head=True)


def tail(call: Call) -> int | Waiting:
    """``tail``: -n COUNT, -c COUNT, and -f without end."""
    if "-f" in call.arguments:
        if call.arguments != ["-f", "/dev/null"]:
            raise call.unmodelled()
        return Waiting(call)
    return _ends(call, is_head=False)


def _ends(call: Call, *, is_head: bool) -> int:
    arguments, count, unit = list(call.arguments), 10, "n"
    while arguments and arguments[0].startswith("-") and arguments[0] != "-":
        option = arguments.pop(0)
        found = re.fullmatch(r"-([nc]?)(\d*)", option)
        if found is None:
            raise call.unmodelled()
        unit = found[1] or "n"
        text = found[2] or (arguments.pop(0) if arguments else "")
        if not text.isdigit():
            raise call.unmodelled()
        count = int(text)
    inputs = Inputs(call, arguments)
    for _, data in inputs:
        pieces = data.splitlines(keepends=True) if unit == "n" else [bytes([b]) for b in data]
        call.out.write(
            b"".join(pieces[:count] if is_head else pieces[len(pieces) - count :][:count])
        )
    return 1 if inputs.problems else 0


def cut(call: Call) -> int:
    """``cut``: -d MARK -f NUMBERS, -c RANGE."""
    arguments, values = list(call.arguments), {"d": "\t"}
    while arguments and re.match(r"-[dfc]", arguments[0]):
        option = arguments.pop(0)
        values[option[1]] = option[2:] or (arguments.pop(0) if arguments else "")
    chosen = values.get("f") or values.get("c") or ""
    if not re.fullmatch(r"\d+(-\d*)?(,\d+(-\d*)?)*", chosen) or any(
        each.startswith("-") for each in arguments
    ):
        raise call.unmodelled()
    inputs = Inputs(call, arguments)
    for _, data in inputs:
        for line in lines_of(data):
            parts = line.split(values["d"]) if "f" in values else list(line)
            mark = values["d"] if "f" in values else ""
            if "f" in values and len(parts) == 1:
                call.print(f"{line}\n")
                continue
            call.print(mark.join(_picked(parts, chosen)) + "\n")
    return 1 if inputs.problems else 0


def _picked(parts: list[str], chosen: str) -> list[str]:
    selected: set[int] = set()
    for each in chosen.split(","):
        first, is_range, last = each.partition("-")
        end = int(last) if last else (len(parts) if is_range else int(first))
        selected |= set(range(int(first), min(end, len(parts)) + 1))
    return [parts[number - 1] for number in sorted(selected) if number <= len(parts)]


def sort(call: Call) -> int:
    """``sort``: -r -n -u."""
    letters, named = call.options("rnu")
    inputs, lines = Inputs(call, named), []
    for _, data in inputs:
        lines += lines_of(data)
    if "n" in letters:
        lines.sort(key=lambda line: (int((re.match(r"\s*(-?\d+)", line) or ["", "0"])[1]), line))
    else:
        lines.sort()
    if "u" in letters:
        lines = list(dict.fromkeys(lines))
    call.print("".join(f"{line}\n" for line in (lines[::-1] if "r" in letters else lines)))
    return 1 if inputs.problems else 0


def tee(call: Call) -> int:
    """``tee``: -a."""
    letters, named = call.options("a")
    data = call.stdin or b""
    problems = 0
    for each in named:
        try:
            call.files.write(call.path(each), data, appends="a" in letters)
        except FileError as error:
            problems += call.complain(f"{each}: {error.problem}")
    call.out.write(data)
    return 1 if problems else 0


def hexdump(call: Call) -> int:
    """``hexdump -C``."""
    if call.arguments[:1] != ["-C"]:
        raise call.unmodelled()
    inputs = Inputs(call, call.arguments[1:])
    for _, data in inputs:
        for at in range(0, len(data), 16):
            row = data[at : at + 16]
            left, right = (" ".join(f"{each:02x}" for each in half) for half in (row[:8], row[8:]))
            shown = "".join(chr(each) if 32 <= each < 127 else "." for each in row)
            call.print(f"{at:08x}  {left:<23}  {right:<23}  |{shown}|\n")
        call.print(f"{len(data):08x}\n")
    return 1 if inputs.problems else 0


TEXT: Final[dict[str, Run]] = {
    "cat": cat,
    "cut": cut,
    "head": head,
    "hexdump": hexdump,
    "sort": sort,
    "tail": tail,
    "tee": tee,
    "wc": wc,
}
