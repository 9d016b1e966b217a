"""Commands that find and replace text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.programs import tree
from kubestage.programs.commands.text import Inputs, lines_of

if TYPE_CHECKING:
    from kubestage.programs.calls import Call
    from kubestage.programs.commands import Run

_SUBSTITUTE: Final = re.compile(r"s(.)((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1([gp]*)")
_FIELD: Final = re.compile(r"\s*\{\s*print\s+\$(\d+|NF)\s*;?\s*\}\s*")


def grep(call: Call) -> int:
    """``grep``: -q -v -i -c -E -F -o -n -w -x."""
    letters, rest = call.options("qvicEFonwxs")
    if not rest:
        raise call.unmodelled()
    pattern, named = _pattern(call, rest[0], letters), rest[1:]
    # What is found in a part of a file is found, but what is not may be in the rest.
    inputs, total = Inputs(call, named, in_part=not letters & {"v", "c", "n"}), 0
    for name, data in inputs:
        count = 0
        for number, line in enumerate(lines_of(data), 1):
            found = pattern.search(line)
            if bool(found) == ("v" in letters):
                continue
            count += 1
            if letters & {"q", "c"}:
                continue
            prefix = f"{name}:" if len(named) > 1 else ""
            prefix += f"{number}:" if "n" in letters else ""
            if "o" in letters:
                call.print("".join(f"{prefix}{each[0]}\n" for each in pattern.finditer(line)))
            else:
                call.print(f"{prefix}{line}\n")
        if "c" in letters:
            call.print(f"{f'{name}:' if len(named) > 1 else ''}{count}\n")
        total += count
        path = call.path(name)
        if not count and name not in ("", "-") and call.files.find(path).is_image:
            raise tree.of_image(path)
    if inputs.problems and not (total and "q" in letters):
        return 2
    return 0 if total else 1


def _pattern(call: Call, text: str, letters: set[str]) -> re.Pattern[str]:
    if "F" in letters:
        text = re.escape(text)
    else:
        text = python_pattern(call, text, is_extended="E" in letters)
    if "w" in letters:
        text = rf"\b(?:{text})\b"
    if "x" in letters:
        text = rf"^(?:{text})$"
    return re.compile(text, re.IGNORECASE if "i" in letters else 0)


def python_pattern(call: Call, text: str, *, is_extended: bool) -> str:
    """A regular expression of POSIX, as Python writes it."""
    if re.search(r"\[\[:|\[\^?\]|\\[<>'`1-9]|\(\?", text):
        raise call.unmodelled()
    if not is_extended:
        # In basic expressions these are operators only after a backslash.
        text = re.sub(r"\\?[+?|(){}]", lambda found: found[0][1:] or f"\\{found[0]}", text)
    try:
        re.compile(text)
    except re.error:
        raise call.unmodelled() from None
    return text


def sed(call: Call) -> int:
    """``sed``: one s/a/b/, with -n, -E or -i."""
    letters, rest = call.options("nErie")
    found = _SUBSTITUTE.fullmatch(rest[0]) if rest else None
    if found is None:
        raise call.unmodelled()
    pattern = re.compile(python_pattern(call, found[2], is_extended=bool(letters & {"E", "r"})))
    replacement = re.sub(r"(?<!\\)&", r"\\g<0>", found[3]).replace("\\/", "/")
    inputs = Inputs(call, rest[1:])
    for name, data in inputs:
        lines = []
        for line in lines_of(data):
            text, count = pattern.subn(replacement, line, 0 if "g" in found[4] else 1)
            if "n" not in letters or ("p" in found[4] and count):
                lines.append(text)
        made = "".join(f"{line}\n" for line in lines)
        if "i" in letters:
            call.files.write(call.path(name), made.encode("utf-8", "surrogateescape"))
        else:
            call.print(made)
    return 1 if inputs.problems else 0


def awk(call: Call) -> int:
    """``awk``: one field of each line."""
    found = _FIELD.fullmatch(call.arguments[0]) if call.arguments else None
    if found is None:
        raise call.unmodelled()
    inputs = Inputs(call, call.arguments[1:])
    for _, data in inputs:
        for line in lines_of(data):
            parts = [line, *line.split()]
            number = len(parts) - 1 if found[1] == "NF" else int(found[1])
            call.print(f"{parts[number] if number < len(parts) else ''}\n")
    return 1 if inputs.problems else 0


def tr(call: Call) -> int:
    """``tr``: characters one for one, and -d."""
    letters, sets = call.options("d")
    if not sets or any(re.search(r"[\[\-]", each) for each in sets):
        raise call.unmodelled()
    plain = [each.replace("\\n", "\n").replace("\\t", "\t") for each in sets]
    text = (call.stdin or b"").decode("utf-8", "surrogateescape")
    if "d" in letters:
        call.print("".join(each for each in text if each not in plain[0]))
        return 0
    if len(plain) != 2 or not plain[1]:
        raise call.unmodelled()
    to = plain[1].ljust(len(plain[0]), plain[1][-1])
    call.print(text.translate(str.maketrans(plain[0], to[: len(plain[0])])))
    return 0


MATCHING: Final[dict[str, Run]] = {"awk": awk, "grep": grep, "sed": sed, "tr": tr}
