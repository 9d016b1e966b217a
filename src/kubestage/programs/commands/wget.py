"""``wget``, as busybox has it: to a server that is modelled."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.programs import http
from kubestage.programs.commands import asking

if TYPE_CHECKING:
    from kubestage.programs.calls import Call

_FLAGS: Final = frozenset("qS")
_VALUES: Final = {"O": "output", "T": "timeout", "U": "user-agent"}
_LONG: Final = frozenset({"header", "output-document", "post-data", "timeout", "user-agent"})
_FORM: Final = "application/x-www-form-urlencoded"


class _Command(NamedTuple):
    """What a command line asks for."""

    url: str
    values: dict[str, list[str]]

    def last(self, *names: str) -> str | None:
        """The last value of an option."""
        found = [value for name in names for value in self.values.get(name, ())]
        return found[-1] if found else None


def wget(call: Call) -> int:
    """Write what a server answers to a file, or to the standard output."""
    command = _command(call)
    parts = http.split(command.url)
    if parts is None:
        raise call.unmodelled()
    host, port, path, query = parts
    data = command.last("post-data")
    fields = [each.partition(":") for each in command.values.get("header", ())]
    headers = {"User-Agent": command.last("user-agent") or "Wget"}
    headers |= {name.strip(): value.strip() for name, _, value in fields}
    if data is not None:
        headers.setdefault("Content-Type", _FORM)
    method, body = ("GET", b"") if data is None else ("POST", data.encode())
    request = http.HttpRequest(method, path, query, headers, body, asking.client(call))
    answer = asking.answer(call, host, port, request)
    if answer.code >= 300:
        if answer.code < 400:
            raise call.unmodelled()
        return call.complain(f"server returned error: {asking.status_line(answer.code)}")
    output = command.last("output", "output-document")
    if output == "-":
        call.out.write(answer.body)
    elif output != "/dev/null":
        call.files.write(call.path(output or posixpath.basename(path) or "index.html"), answer.body)
    return 0


def _command(call: Call) -> _Command:
    words, urls = list(call.arguments), []
    values: dict[str, list[str]] = {}
    while words:
        word = words.pop(0)
        if word.startswith("--"):
            name, has_value, value = word[2:].partition("=")
            if name not in _LONG or not (has_value or words):
                raise call.unmodelled()
            values.setdefault(name, []).append(value if has_value else words.pop(0))
        elif word.startswith("-") and word != "-":
            name, value = _letters(call, word[1:])
            if name and not (value or words):
                raise call.unmodelled()
            if name:
                values.setdefault(name, []).append(value or words.pop(0))
        else:
            urls.append(word)
    if len(urls) != 1:
        raise call.unmodelled()
    return _Command(urls[0], values)


def _letters(call: Call, letters: str) -> tuple[str, str]:
    """Options of one letter: the name of the one that has a value, and what follows it."""
    for place, letter in enumerate(letters):
        if letter in _VALUES:
            return _VALUES[letter], letters[place + 1 :]
        if letter not in _FLAGS:
            raise call.unmodelled()
    return "", ""
