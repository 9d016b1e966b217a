"""``agnhost mounttest``: prints types, modes, owners and contents of files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.golang import quote
from kubestage.programs import tree
from kubestage.programs.calls import Call, Waiting
from kubestage.programs.tree import FileError
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.programs.tree import Node

_NEW: Final = b"mount-tester new file\n"
_NEW_FILES: Final = ("0644", "0666", "0660", "0777")
_PERIOD_NS: Final = 2 * SECOND_NS
_OVERLAY: Final = {"ext4": "61267", "overlay": "2035054128", "tmpfs": "tmpfs"}
_FLAGS: Final = frozenset(
    {
        "fs_type", "file_mode", "file_perm", "file_owner", "file_content", "file_content_in_loop",
        "retry_time", "break_on_expected_content", *(f"new_file_{each}" for each in _NEW_FILES),
    }
)  # fmt: skip


def flags(call: Call, arguments: list[str], known: frozenset[str]) -> dict[str, str]:
    """Flags as Go programs read them: ``--name=value``, or ``--name value``."""
    found, rest = {}, list(arguments)
    while rest:
        word = re.fullmatch(r"--?([\w-]+)(=(.*))?", rest.pop(0), re.DOTALL)
        if word is None or word[1] not in known:
            raise call.unmodelled()
        if word[2] is not None:
            found[word[1]] = word[3]
        elif rest and not re.match(r"-(?!\d+$)", rest[0]):
            found[word[1]] = rest.pop(0)
        else:
            found[word[1]] = "true"
    return found


def mounttest(call: Call) -> int | Waiting:
    """Do what the flags say, in a fixed order."""
    values = flags(call, call.arguments[1:], _FLAGS)
    problems = 0
    if path := values.get("fs_type"):
        problems += _fs_type(call, path)
    for mode in _NEW_FILES:
        if path := values.get(f"new_file_{mode}"):
            problems += _new_file(call, path, int(mode, 8))
    if path := values.get("file_mode"):
        problems += _stat(call, path, f"mode of file {quote.quote(path)}: ", of_all=True)
    if path := values.get("file_perm"):
        problems += _stat(call, path, f"perms of file {quote.quote(path)}: ", of_all=False)
    if path := values.get("file_owner"):
        problems += _owner(call, path)
    if path := values.get("file_content"):
        problems += _content(call, path)
    if path := values.get("file_content_in_loop"):
        loop = Loop(call, path, values, problems)
        return 1 if problems and loop.resume(call.context.now_ns) else loop
    return 1 if problems else 0


class Loop(Waiting):
    """Prints a file every two seconds, for some time."""

    def __init__(self, call: Call, path: str, values: dict[str, str], problems: int) -> None:
        super().__init__(call)
        self._path = path
        self._stops = values.get("break_on_expected_content", "true") != "false"
        self._end_ns = call.context.now_ns + int(values.get("retry_time", "180")) * SECOND_NS
        self._problems = problems
        self.wake_ns: int | None = call.context.now_ns
        self.code = 1 if problems else 0

    @property
    def due_ns(self) -> int | None:
        """The cluster sees no difference before it ends."""
        return self.wake_ns if self._stops else self._end_ns

    def resume(self, now_ns: int) -> bool:
        """Look once more."""
        if now_ns >= self._end_ns:
            return True
        call, path = self.call, self._path
        self.wake_ns = min(now_ns + _PERIOD_NS, self._end_ns)
        try:
            data = call.files.read(path)
        except FileError as error:
            call.print(f"Error reading file {path}: {_error_text(path, error)}, retrying\n")
            self.code = 1
            return False
        self.code = 1 if self._problems else 0
        text = data.decode("utf-8", "surrogateescape")
        call.print(f"content of file {quote.quote(path)}: {text}\n")
        if not self._stops:
            return False
        if data == _NEW:
            return True
        call.print(f"Unexpected content. Expected: {_NEW.decode()}. Retrying\n")
        return False


def go_mode(node: Node, *, of_all: bool) -> str:
    """A mode as Go prints it."""
    letters = ""
    if of_all:
        letters += "d" if node.kind == tree.DIRECTORY else ""
        letters += "g" if node.mode & tree.SET_GROUP_ID else ""
        letters += "t" if node.mode & 0o1000 else ""
    bits = (
        letter if node.mode >> (8 - number) & 1 else "-"
        for number, letter in enumerate("rwxrwxrwx")
    )
    return (letters or "-") + "".join(bits)


def _error_text(path: str, error: FileError) -> str:
    return f"open {path}: {error.problem[:1].lower()}{error.problem[1:]}"


def _fs_type(call: Call, path: str) -> int:
    try:
        where = call.files.resolve(path)
    except FileError as error:
        call.print(f"error from statfs({quote.quote(path)}): {error.problem.lower()}\n")
        return 1
    kind = _OVERLAY[call.files.mount_of(where).type]
    call.print(f"mount type of {quote.quote(path)}: {kind}\n")
    return 0


def _new_file(call: Call, path: str, mode: int) -> int:
    try:
        call.files.write(path, _NEW, mode=mode)
    except FileError as error:
        call.print(f"error writing new file {quote.quote(path)}: {_error_text(path, error)}\n")
        return 1
    return _content(call, path)


def _stat(call: Call, path: str, words: str, *, of_all: bool) -> int:
    try:
        node = call.files.find(path)
    except FileError as error:
        problem = f"stat {path}: {error.problem.lower()}"
        call.print(f"error from Stat({quote.quote(path)}): {problem}\n")
        return 1
    call.print(f"{words}{go_mode(node, of_all=of_all)}\n")
    return 0


def _owner(call: Call, path: str) -> int:
    try:
        node = call.files.find(path)
    except FileError as error:
        call.print(f"error from stat({quote.quote(path)}): {error.problem.lower()}\n")
        return 1
    call.print(f"owner UID of {quote.quote(path)}: {node.uid}\n")
    call.print(f"owner GID of {quote.quote(path)}: {node.gid}\n")
    return 0


def _content(call: Call, path: str) -> int:
    try:
        data = call.files.read(path)
    except FileError as error:
        problem = _error_text(path, error)
        call.print(f"error reading file content for {quote.quote(path)}: {problem}\n")
        return 1
    text = data.decode("utf-8", "surrogateescape")
    call.print(f"content of file {quote.quote(path)}: {text}\n")
    return 0
