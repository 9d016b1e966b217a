"""Commands that show which files there are, and what they are like."""

from __future__ import annotations

import datetime as dt
import fnmatch
import posixpath
import re
import zlib
from typing import TYPE_CHECKING, Final

from kubestage.programs import tree
from kubestage.programs.tree import DIRECTORY, LINK, FileError

if TYPE_CHECKING:
    from kubestage.programs.calls import Call
    from kubestage.programs.commands import Run
    from kubestage.programs.tree import Node

_KERNEL: Final = {"cgroup2": "cgroup", "proc": "proc", "sysfs": "sysfs"}
_KINDS: Final = {DIRECTORY: "directory", LINK: "symbolic link", "-": "regular file"}


def permissions(node: Node) -> str:
    """As ``ls -l`` writes them."""
    bits = "".join(
        letter if node.mode >> (8 - number) & 1 else "-"
        for number, letter in enumerate("rwxrwxrwx")
    )
    if node.mode & tree.SET_GROUP_ID:
        bits = f"{bits[:5]}{'s' if bits[5] == 'x' else 'S'}{bits[6:]}"
    if node.mode & 0o1000:
        bits = f"{bits[:8]}{'t' if bits[8] == 'x' else 'T'}"
    return node.kind + bits


def ls(call: Call) -> int:
    """``ls``: -1 -a -A -l -d -n -h -i -L."""
    letters, named = call.options("1aAldnhiL")
    files, problems, lines = call.files, 0, []
    for each in named or ["."]:
        path = call.path(each)
        try:
            node = files.find(path)
            if node.kind != DIRECTORY or "d" in letters:
                lines.append(_line(call, path, each, letters))
                continue
            names = [name for name in files.names(path) if letters & {"a", "A"} or name[0] != "."]
        except FileError as error:
            problems += call.complain(f"{each}: {error.problem}")
            continue
        if len(named) > 1:
            lines.append(f"{each}:")
        if "a" in letters:
            names = [".", "..", *names]
        lines += [_line(call, posixpath.join(path, name), name, letters) for name in names]
    call.print("".join(f"{line}\n" for line in lines))
    return 1 if problems else 0


def _line(call: Call, path: str, name: str, letters: set[str]) -> str:
    # A file has no number here: one that follows from its path is as good.
    number = f"{zlib.crc32(path.encode()):>8} " if "i" in letters else ""
    return number + _entry(call, path, name, letters)


def _entry(call: Call, path: str, name: str, letters: set[str]) -> str:
    if not letters & {"l", "n"}:
        return name
    node = call.files.find(path, follows="L" in letters)
    epoch_ns = call.context.unix_ns - call.context.now_ns
    when = dt.datetime.fromtimestamp((epoch_ns + node.mtime_ns) // 10**9, dt.UTC)
    owner, group = (_owner(each, letters) for each in (node.uid, node.gid))
    shown = f"{name} -> {node.target}" if node.kind == LINK else name
    links = 2 if node.kind == DIRECTORY else 1
    date = f"{when:%b} {when.day:2} {when:%H:%M}"
    return f"{permissions(node)} {links} {owner} {group} {node.size:8} {date} {shown}"


def _owner(number: int, letters: set[str]) -> str:
    return "root" if number == 0 and "n" not in letters else str(number)


def stat(call: Call) -> int:
    """``stat``: -c FORMAT, -L."""
    arguments, form, follows = list(call.arguments), "", False
    while arguments and arguments[0].startswith("-"):
        option = arguments.pop(0)
        if option == "-L":
            follows = True
        elif option == "-c" and arguments:
            form = arguments.pop(0)
        elif option.startswith(("-c", "--format=")):
            form = option.removeprefix("--format=").removeprefix("-c")
        else:
            raise call.unmodelled()
    if not form or set(re.findall(r"%(.)", form)) - set("aAuUgGsnNFY"):
        raise call.unmodelled()
    problems = 0
    for each in arguments:
        try:
            node = call.files.find(call.path(each), follows=follows)
        except FileError as error:
            problems += call.complain(f"can't stat '{each}': {error.problem}")
            continue
        call.print(f"{_filled(call, form, each, node)}\n")
    return 1 if problems else 0


def _filled(call: Call, form: str, name: str, node: Node) -> str:
    epoch_ns = call.context.unix_ns - call.context.now_ns
    values = {
        "a": f"{node.mode & 0o7777:o}", "A": permissions(node), "u": str(node.uid),
        "g": str(node.gid), "U": "root" if node.uid == 0 else "UNKNOWN",
        "G": "root" if node.gid == 0 else "UNKNOWN", "s": str(node.size), "n": name, "N": name,
        "F": _KINDS[node.kind], "Y": str((epoch_ns + node.mtime_ns) // 10**9),
    }  # fmt: skip
    return re.sub(r"%(.)", lambda found: values[found[1]], form)


def readlink(call: Call) -> int:
    """``readlink``: -f."""
    letters, named = call.options("f")
    if len(named) != 1:
        raise call.unmodelled()
    path = call.path(named[0])
    try:
        node = call.files.find(path, follows=False)
        text = call.files.resolve(path) if "f" in letters else node.target
    except FileError:
        return 1
    if not text:
        return 1
    call.print(f"{text}\n")
    return 0


def find(call: Call) -> int:
    """``find``: directories, -type f or d, -name PATTERN."""
    arguments, where, kind, pattern = list(call.arguments), [], "", "*"
    while arguments and not arguments[0].startswith("-"):
        where.append(arguments.pop(0))
    while arguments:
        option = arguments.pop(0)
        if option == "-type" and arguments and arguments[0] in "fdl":
            kind = {"f": "-", "d": DIRECTORY, "l": LINK}[arguments.pop(0)]
        elif option == "-name" and arguments:
            pattern = arguments.pop(0)
        else:
            raise call.unmodelled()
    lines: list[str] = []

    def look(shown: str, path: str) -> None:
        node = call.files.find(path, follows=False)
        name = posixpath.basename(shown.rstrip("/")) or "/"
        if (not kind or node.kind == kind) and fnmatch.fnmatchcase(name, pattern):
            lines.append(shown)
        if node.kind == DIRECTORY:
            for each in call.files.names(path):
                look(posixpath.join(shown, each), posixpath.join(path, each))

    try:
        for each in where or ["."]:
            look(each, call.path(each))
    except FileError as error:
        return call.complain(f"{each}: {error.problem}")
    call.print("".join(f"{line}\n" for line in lines))
    return 0


def mount(call: Call) -> int:
    """``mount -t TYPE``: where the kernel shows itself; other mounts are not known so well."""
    if len(call.arguments) != 2 or call.arguments[0] != "-t":
        raise call.unmodelled()
    fs_type = call.arguments[1]
    if fs_type not in _KERNEL:
        raise call.unmodelled()
    for each in call.files.mounts:
        if each.type == fs_type:
            access = "ro" if each.is_read_only else "rw"
            options = f"{access},nosuid,nodev,noexec,relatime"
            call.print(f"{_KERNEL[fs_type]} on {each.path} type {fs_type} ({options})\n")
    return 0


LOOKING: Final[dict[str, Run]] = {
    "find": find, "ls": ls, "mount": mount, "readlink": readlink, "stat": stat,
}  # fmt: skip
