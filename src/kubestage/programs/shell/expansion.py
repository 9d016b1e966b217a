"""Expanding words: variables, substitutions, splitting, file names."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from typing import TYPE_CHECKING, Final, Protocol

from kubestage.errors import Unmodelled
from kubestage.programs.shell import arithmetic
from kubestage.programs.shell.syntax import Arithmetic, Literal, Substitution, Variable
from kubestage.programs.tree import FileError

if TYPE_CHECKING:
    from kubestage.programs.files import Files
    from kubestage.programs.shell.syntax import Part, Script, Word

_GLOB: Final = re.compile(r"[*?\[]")
_BLANK: Final = " \t\n"


class Shell(Protocol):
    """What words are expanded with."""

    parameters: list[str]

    @property
    def files(self) -> Files:
        """The files."""
        ...

    @property
    def home(self) -> str:
        """The directory in which it is."""
        ...

    def get(self, name: str) -> str | None:
        """The value of a variable."""
        ...

    def assign(self, name: str, value: str) -> None:
        """Set a variable."""
        ...

    def substitute(self, script: Script) -> str:
        """What a script prints."""
        ...


class _Field:
    """A field in the making; characters that were not quoted may be patterns."""

    def __init__(self) -> None:
        self.text = ""
        self.pattern = ""
        self.is_there = False

    def add(self, text: str, *, is_quoted: bool) -> None:
        self.text += text
        self.pattern += re.sub(r"([*?\[])", r"[\1]", text) if is_quoted else text
        self.is_there |= is_quoted or bool(text)


def fields(shell: Shell, words: tuple[Word, ...]) -> list[str]:
    """The words of a command, expanded and split."""
    found: list[str] = []
    for word in words:
        for field in _split(shell, word):
            found += _named(shell, field)
    return found


def text(shell: Shell, word: Word) -> str:
    """One word, expanded and not split."""
    return "".join(_value(shell, part) for part in word)


def pattern(shell: Shell, word: Word) -> str:
    """A word as a pattern, in which what was quoted stands for itself."""
    field = _Field()
    for part in word:
        field.add(_value(shell, part), is_quoted=part.is_quoted)
    return field.pattern


def _split(shell: Shell, word: Word) -> list[_Field]:
    done: list[_Field] = []
    field = _Field()
    for part in word:
        if part.is_quoted and isinstance(part, Variable) and part.name == "@":
            for number, each in enumerate(shell.parameters):
                if number:
                    done.append(field)
                    field = _Field()
                field.add(each, is_quoted=True)
            continue
        value = _value(shell, part)
        if part.is_quoted or isinstance(part, Literal):
            field.add(value, is_quoted=part.is_quoted)
            continue
        pieces = re.split(rf"[{_BLANK}]+", value)
        for number, piece in enumerate(pieces):
            if number:
                done.append(field)
                field = _Field()
            field.add(piece, is_quoted=False)
    done.append(field)
    return [each for each in done if each.is_there]


def _named(shell: Shell, field: _Field) -> list[str]:
    """The files that a field names, or itself."""
    pattern = field.pattern
    if not _GLOB.search(pattern) or pattern == re.sub(r"([*?\[])", r"[\1]", field.text):
        return [field.text]
    where, last = posixpath.split(field.text)
    if _GLOB.search(where):
        raise Unmodelled(f"the pattern {field.text}")
    try:
        names = shell.files.names(posixpath.join(shell.home, where))
    except FileError:
        return [field.text]
    found = [
        posixpath.join(where, name)
        for name in fnmatch.filter(names, posixpath.basename(pattern))
        if not name.startswith(".") or last.startswith(".")
    ]
    return found or [field.text]


def _value(shell: Shell, part: Part) -> str:
    if isinstance(part, Literal):
        return part.text
    if isinstance(part, Substitution):
        return shell.substitute(part.script).rstrip("\n")
    if isinstance(part, Arithmetic):
        expression = text(shell, part.expression)
        return str(arithmetic.evaluate(expression, lambda name: shell.get(name) or ""))
    return _variable(shell, part)


def _variable(shell: Shell, part: Variable) -> str:
    value, operator = shell.get(part.name), part.operator
    if operator == "length":
        return str(len(value or ""))
    if operator.startswith(":"):
        value = value or None
        operator = operator[1:]
    if operator == "-" and value is None:
        return text(shell, part.argument)
    if operator == "+":
        return "" if value is None else text(shell, part.argument)
    if operator == "=" and value is None:
        value = text(shell, part.argument)
        shell.assign(part.name, value)
    if operator == "?" and value is None:
        raise Unmodelled(f"${{{part.name}?}} without a value")
    if operator in ("#", "##", "%", "%%"):
        return _trimmed(value or "", operator, pattern(shell, part.argument))
    return value or ""


def _trimmed(value: str, operator: str, removed: str) -> str:
    """A value without the shortest or longest start or end that a pattern matches."""
    lengths = range(len(value) + 1)
    if len(operator) == 2:
        lengths = lengths[::-1]
    for length in lengths:
        if operator[0] == "#" and fnmatch.fnmatchcase(value[:length], removed):
            return value[length:]
        if operator[0] == "%" and fnmatch.fnmatchcase(value[len(value) - length :], removed):
            return value[: len(value) - length]
    return value
