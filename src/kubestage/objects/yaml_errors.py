"""What libyaml's complaints mean to the person who wrote the file, and the likely cure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import yaml

from kubestage.errors import InputError

if TYPE_CHECKING:
    from yaml.error import Mark

_INDENTATION: Final = "check the indentation of this line and of those above it"
_FIXES: Final = {
    "mapping values are not allowed in this context": (
        "check the indentation, or quote a value that contains a colon"
    ),
    "did not find expected key": _INDENTATION,
    "did not find expected '-' indicator": _INDENTATION,
    "block sequence entries are not allowed in this context": "put the list on a line of its own",
    "could not find expected ':'": "a key needs a colon and a space after it",
    "found unexpected end of stream": "close the quote or bracket",
    "found unknown escape character": "use single quotes, in which a backslash is plain text",
    "did not find expected ',' or '}'": "close the brace, or put a comma between the entries",
    "did not find expected ',' or ']'": "close the bracket, or put a comma between the entries",
    "did not find expected <document start>": "separate documents by a line of three dashes (---)",
}


# Where the cause is what was opened earlier, not where the parser gave up.
_OPENED: Final = {
    "found unexpected end of stream": "a quote is opened here and never closed",
    "could not find expected ':'": "this line has no colon after its key",
}


def explain(error: yaml.YAMLError, text: bytes) -> InputError:
    """An InputError with the line, what is wrong there and what to try."""
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem is None:
        return _unreadable(error, text)
    problem, mark = error.problem, error.problem_mark
    fix = _FIXES.get(problem, "see the line and the one above it")
    if problem in _OPENED and error.context_mark is not None:
        problem, mark = _OPENED[problem], error.context_mark
    shown = _line_of(text, mark)
    if problem == "found character that cannot start any token" and mark is not None:
        char = shown[mark.column : mark.column + 1]
        problem, fix = f"a value cannot start with {char}", "quote the value"
        if char == "\t":
            problem, fix = "a tab cannot indent YAML", "indent with spaces"
    if "{{" in shown:
        fix = "this looks like a template: render it first (helm template, envsubst, ...)"
    line = None if mark is None else mark.line + 1
    return InputError(f"not valid YAML: {problem}", line=line, fix=fix)


def _line_of(text: bytes, mark: Mark | None) -> str:
    if mark is None:
        return ""
    lines = text.split(b"\n", mark.line + 1)
    return lines[mark.line].decode(errors="replace") if mark.line < len(lines) else ""


def _unreadable(error: yaml.YAMLError, text: bytes) -> InputError:
    """The stream holds bytes that no YAML text holds."""
    position = getattr(error, "position", None)
    line = None if position is None else text.count(b"\n", 0, position) + 1
    reason = getattr(error, "reason", str(error))
    return InputError(
        f"not text: {reason}", line=line, fix="kubestage reads YAML and JSON in UTF-8"
    )
