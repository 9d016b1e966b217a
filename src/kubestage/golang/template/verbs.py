"""Go's `fmt.Sprintf`: flags, widths, argument numbers, and its notes on what went wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from kubestage.golang.template import limits, printing, verb_forms
from kubestage.golang.template.values import type_name
from kubestage.golang.template.verb_forms import Flags

_VERB: Final = re.compile(
    r"%(?P<flags>[#0+\- ]*)(?P<first>\[[^\]]*\]?)?(?P<width>\*|\d+)?"
    r"(?:\.(?!\Z)(?P<second>\[[^\]]*\]?)?(?P<precision>\*|\d*))?(?P<third>\[[^\]]*\]?)?(?P<verb>.?)",
    re.DOTALL,
)
# Go gives up on a width or precision beyond this.
_LARGEST: Final = 1_000_000
_NO_VERB: Final = "%!(NOVERB)"


@dataclass(slots=True)
class _Arguments:
    """The values to print, and which is next."""

    values: tuple[Any, ...]
    at: int = 0
    reordered: bool = False
    good: bool = True

    def move(self, index: str | None) -> bool:
        """Go to the value that a number in brackets names, if there is one."""
        if index is None:
            return False
        self.reordered = True
        digits = index[1:-1]
        if index.endswith("]") and digits.isdecimal() and 0 < int(digits) <= len(self.values):
            self.at = int(digits) - 1
            return True
        self.good = False
        return digits.isdecimal()

    def take_int(self) -> int | None:
        """The next value as a width or precision; None if it cannot be one."""
        if self.at >= len(self.values):
            return None
        value = self.values[self.at]
        self.at += 1
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _LARGEST:
            return value
        return None


def sprintf(form: str, *values: Any) -> str:
    """The values in the form that the text with its verbs asks for."""
    arguments = _Arguments(values)
    out: list[str] = []
    at = 0
    for found in _VERB.finditer(form):
        out.append(form[at : found.start()])
        if _is_too_large(found["width"]) or _is_too_large(found["precision"]):
            # Go then reads all that follows as part of the number.
            out.append(_NO_VERB)
            at = len(form)
            break
        limits.steps(1)
        out.append(_verb(found, arguments))
        at = found.end()
    out.append(form[at:])
    if not arguments.reordered and arguments.at < len(values):
        rest = ", ".join(map(_named, values[arguments.at :]))
        out.append(f"%!(EXTRA {rest})")
    return "".join(out)


def _is_too_large(number: str | None) -> bool:
    return number is not None and number.isdecimal() and int(number) > _LARGEST


def _named(value: Any) -> str:
    if value is None:
        return printing.NIL
    return f"{type_name(value)}={printing.text(value)}"


def _verb(found: re.Match[str], arguments: _Arguments) -> str:
    letters = found["flags"]
    flags = Flags(*(letter in letters for letter in "#0+- "))
    notes: list[str] = []
    arguments.good = True
    after_index = arguments.move(found["first"])
    after_index = _width(found["width"], flags, arguments, after_index, notes)
    if found["precision"] is not None:
        if after_index:
            arguments.good = False
        after_index = arguments.move(found["second"])
        after_index = _precision(found["precision"], flags, arguments, after_index, notes)
    if not after_index:
        arguments.move(found["third"])
    verb = found["verb"]
    prefix = "".join(notes)
    if not verb:
        return prefix + _NO_VERB
    if verb == "%":
        return prefix + "%"
    if not arguments.good:
        return f"{prefix}%!{verb}(BADINDEX)"
    if arguments.at >= len(arguments.values):
        return f"{prefix}%!{verb}(MISSING)"
    value = arguments.values[arguments.at]
    arguments.at += 1
    return prefix + verb_forms.shown(value, verb, flags)


def _width(
    width: str | None, flags: Flags, arguments: _Arguments, after_index: bool, notes: list[str]
) -> bool:
    if width == "*":
        number = arguments.take_int()
        if number is None:
            notes.append("%!(BADWIDTH)")
        else:
            flags.width = abs(number)
            if number < 0:
                flags.minus, flags.zero = True, False
        return False
    if width is not None:
        arguments.good = arguments.good and not after_index
        flags.width = int(width)
    return after_index


def _precision(
    precision: str, flags: Flags, arguments: _Arguments, after_index: bool, notes: list[str]
) -> bool:
    if precision == "*":
        number = arguments.take_int()
        if number is None or number < 0:
            notes.append("%!(BADPREC)")
        else:
            flags.precision = number
        return False
    flags.precision = int(precision or 0)
    return after_index
