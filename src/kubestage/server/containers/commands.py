"""The few commands that a simulated container can answer, as coreutils and busybox do."""

from __future__ import annotations

import datetime as dt
import posixpath
import re
import shlex
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.server.containers import environment, files, hosts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.aliases import Json
    from kubestage.server.containers.files import ContainerFiles
    from kubestage.server.live import Live


NOT_FOUND: Final = 127
_SHELLS: Final = ("sh", "bash", "ash", "dash")
# What makes a line more than words: pipes, lists, substitution, redirection.
_SYNTAX: Final = re.compile(r"[|&;<>()`\n*?\[\]{}~!]|\$\(")
_VARIABLE: Final = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_ISO: Final = {"": "%Y-%m-%d", "date": "%Y-%m-%d", "seconds": "%Y-%m-%dT%H:%M:%S+00:00"}


class CommandResult(NamedTuple):
    """What a command wrote, and its exit code."""

    out: bytes = b""
    err: bytes = b""
    code: int = 0


def _out(text: str) -> CommandResult:
    return CommandResult(text.encode())


def _failed(text: str, code: int = 1) -> CommandResult:
    return CommandResult(err=f"{text}\n".encode(), code=code)


def run(live: Live, pod: Json, container: Json, words: Sequence[str]) -> CommandResult:
    """What a command prints in a container."""
    return _Shell(live, pod, container).run(list(words))


class _Shell:
    """One container, in which commands are answered."""

    def __init__(self, live: Live, pod: Json, container: Json) -> None:
        self._live = live
        self._pod = pod
        self._container = container
        self._home: str = posixpath.normpath(container.get("workingDir") or "/")

    def run(self, words: list[str]) -> CommandResult:
        name, arguments = posixpath.basename(words[0]), words[1:]
        if name in _SHELLS:
            return self._line(name, arguments)
        command = _COMMANDS.get(name)
        return _unknown(words[0]) if command is None else command(self, arguments)

    def env(self, arguments: list[str]) -> CommandResult:
        if arguments:
            return _failed("env: only `env` by itself is simulated", NOT_FOUND)
        return _out("".join(f"{name}={value}\n" for name, value in self._variables.items()))

    def printenv(self, arguments: list[str]) -> CommandResult:
        if not arguments:
            return self.env([])
        variables = self._variables
        found = [variables[name] for name in arguments if name in variables]
        text = "".join(f"{value}\n" for value in found)
        return CommandResult(text.encode(), b"", 0 if len(found) == len(arguments) else 1)

    def hostname(self, arguments: list[str]) -> CommandResult:
        known: dict[str, Callable[[], str]] = {
            "": lambda: hosts.name_of(self._pod),
            "-s": lambda: hosts.name_of(self._pod).partition(".")[0],
            "-f": lambda: hosts.full_name_of(self._pod),
            "-i": lambda: " ".join(hosts.addresses_of(self._pod)),
            "-I": lambda: " ".join(hosts.addresses_of(self._pod)),
        }
        requested = known.get(" ".join(arguments))
        return (
            _unknown_options("hostname", arguments)
            if requested is None
            else _out(f"{requested()}\n")
        )

    def date(self, arguments: list[str]) -> CommandResult:
        now = dt.datetime.fromtimestamp(self._live.stage.clock.unix_ns // 10**9, dt.UTC)
        requested = [each for each in arguments if each not in ("-u", "--utc")]
        if not requested:
            return _out(f"{now:%a %b} {now.day:2} {now:%H:%M:%S} UTC {now:%Y}\n")
        (first, *others) = requested
        if others or not first.startswith(("+", "-I", "-R")):
            return _unknown_options("date", arguments)
        if first == "-R":
            return _out(f"{now:%a, %d %b %Y %H:%M:%S} +0000\n")
        written = first[1:] if first.startswith("+") else _ISO.get(first[2:])
        if written is None:
            return _unknown_options("date", arguments)
        nanoseconds = f"{self._live.stage.clock.unix_ns % 10**9:09}"
        text = written.replace("%N", nanoseconds).replace("%s", str(int(now.timestamp())))
        return _out(f"{now.strftime(text)}\n")

    def echo(self, arguments: list[str]) -> CommandResult:
        is_bare = arguments[:1] == ["-n"]
        return _out(" ".join(arguments[is_bare:]) + ("" if is_bare else "\n"))

    def pwd(self, arguments: list[str]) -> CommandResult:
        return _unknown_options("pwd", arguments) if arguments else _out(f"{self._home}\n")

    def true(self, arguments: list[str]) -> CommandResult:
        del arguments
        return CommandResult()

    def false(self, arguments: list[str]) -> CommandResult:
        del arguments
        return CommandResult(code=1)

    def cat(self, arguments: list[str]) -> CommandResult:
        if not arguments or any(each.startswith("-") for each in arguments):
            return _failed("cat: name the files: neither options nor stdin are simulated")
        known, out, problems = self._files, b"", []
        for each in arguments:
            path = self._path(each)
            data = known.contents.get(path)
            if data is not None:
                out += data
            elif known.listed(path) is not None:
                problems.append(f"cat: {each}: Is a directory")
            else:
                problems.append(f"cat: {each}: {_missing(known, path)}")
        err = "".join(f"{each}\n" for each in problems)
        return CommandResult(out, err.encode(), 1 if problems else 0)

    def ls(self, arguments: list[str]) -> CommandResult:
        options = "".join(each[1:] for each in arguments if each.startswith("-"))
        if set(options) - set("1aAlh"):
            return _unknown_options("ls", arguments)
        named = [each for each in arguments if not each.startswith("-")] or ["."]
        known, lines, problems = self._files, [], []
        for each in named:
            path = self._path(each)
            names = [each] if path in known.contents else known.listed(path)
            if names is None:
                problems.append(f"ls: {each}: {_missing(known, path)}")
                continue
            if len(named) > 1 and path not in known.contents:
                lines.append(f"{each}:")
            where = "" if path in known.contents else path
            lines += [self._entry(known, where, name, is_long="l" in options) for name in names]
        text, err = ("".join(f"{line}\n" for line in each) for each in (lines, problems))
        return CommandResult(text.encode(), err.encode(), 1 if problems else 0)

    def _entry(self, known: ContainerFiles, where: str, name: str, *, is_long: bool) -> str:
        """One line of a list."""
        if not is_long:
            return name
        data = known.contents.get(self._path(posixpath.join(where, name)))
        now = dt.datetime.fromtimestamp(self._live.stage.clock.unix_ns // 10**9, dt.UTC)
        kind = "drwxr-xr-x" if data is None else "-rw-r--r--"
        size = 4096 if data is None else len(data)
        return f"{kind} 1 root root {size:8} {now:%b} {now.day:2} {now:%H:%M} {name}"

    def _line(self, shell: str, arguments: list[str]) -> CommandResult:
        """A line for a shell, if it is no more than one command and its words."""
        if len(arguments) != 2 or arguments[0] != "-c":
            return _failed(
                f"simulated container: there is no shell to talk to; {shell} -c takes one command",
                NOT_FOUND,
            )
        line = arguments[1]
        # Within single quotes a variable is plain text, which cannot be known afterwards.
        is_more = _SYNTAX.search(_VARIABLE.sub("", line)) or ("'" in line and "$" in line)
        try:
            words = [] if is_more else shlex.split(line)
        except ValueError:
            words = []
        if not words:
            problem = "pipes, redirections and other syntax are not simulated"
            return _failed(f"simulated container: {shell}: {problem}", NOT_FOUND)
        variables = self._variables

        def value(found: re.Match[str]) -> str:
            return variables.get(found[1] or found[2], "")

        return self.run([_VARIABLE.sub(value, each) for each in words])

    def _path(self, path: str) -> str:
        found = posixpath.normpath(posixpath.join(self._home, path))
        return f"/{found.lstrip('/')}"

    @property
    def _variables(self) -> dict[str, str]:
        return environment.environment_variables(self._live.store, self._pod, self._container)

    @property
    def _files(self) -> ContainerFiles:
        return files.container_files(self._live, self._pod, self._container)


_COMMANDS: Final[dict[str, Callable[[_Shell, list[str]], CommandResult]]] = {
    "cat": _Shell.cat,
    "date": _Shell.date,
    "echo": _Shell.echo,
    "env": _Shell.env,
    "false": _Shell.false,
    "hostname": _Shell.hostname,
    "ls": _Shell.ls,
    "printenv": _Shell.printenv,
    "pwd": _Shell.pwd,
    "true": _Shell.true,
}
KNOWN: Final = (*_COMMANDS, "sh -c")
"""What is answered."""


def _unknown(name: str) -> CommandResult:
    known = ", ".join(KNOWN)
    problem = f'simulated container: command "{name}" is not simulated; known are {known}'
    return _failed(problem, NOT_FOUND)


def _unknown_options(name: str, arguments: list[str]) -> CommandResult:
    return _failed(f"{name}: {' '.join(arguments)}: is not simulated")


def _missing(known: ContainerFiles, path: str) -> str:
    """Why there is no such file: it is not, or it would be one of the image."""
    if known.mount_of(path) is not None:
        return "No such file or directory"
    mounts = f"; mounted are {', '.join(known.mounts)}" if known.mounts else ""
    return f"files of the image are not simulated{mounts}"
