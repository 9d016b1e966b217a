"""Commands that make, change and remove files and directories."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final

from kubestage.programs import tree
from kubestage.programs.tree import DIRECTORY, FileError

if TYPE_CHECKING:
    from kubestage.programs.calls import Call
    from kubestage.programs.commands import Run

_MOST_ZEROS: Final = 16 * 2**20


def mkdir(call: Call) -> int:
    """``mkdir``: -p -m MODE."""
    arguments, mode, parents = list(call.arguments), 0o755, False
    while arguments and arguments[0].startswith("-"):
        option = arguments.pop(0)
        if option == "-p":
            parents = True
        elif option == "-m" and arguments and re.fullmatch(r"[0-7]+", arguments[0]):
            mode = int(arguments.pop(0), 8)
        else:
            raise call.unmodelled()
    problems = 0
    for each in arguments:
        try:
            _make(call, call.path(each), mode, parents=parents)
        except FileError as error:
            problems += call.complain(f"can't create directory '{each}': {error.problem}")
    return 1 if problems else 0


def _make(call: Call, path: str, mode: int, *, parents: bool) -> None:
    if parents:
        *above, last = [each for each in path.split("/") if each]
        for number in range(len(above)):
            part = "/" + "/".join(above[: number + 1])
            if not _is_there(call, part):
                call.files.make_directory(part)
        if _is_there(call, f"/{'/'.join([*above, last])}"):
            return
    call.files.make_directory(path, mode)


def _is_there(call: Call, path: str) -> bool:
    parent = call.files.find(posixpath.dirname(path))
    return posixpath.basename(path) in parent.entries


def touch(call: Call) -> int:
    """``touch``."""
    _, named = call.options("")
    return _each(call, named, call.files.touch, "{}: {}")


def rm(call: Call) -> int:
    """``rm``: -r -f."""
    letters, named = call.options("rfRv")
    recursive, quiet = bool(letters & {"r", "R"}), "f" in letters
    problems = 0
    for each in named:
        try:
            call.files.remove(call.path(each), recursive=recursive)
        except FileError as error:
            if not (quiet and error.problem == tree.ABSENT):
                problems += call.complain(f"can't remove '{each}': {error.problem}")
    return 1 if problems else 0


def rmdir(call: Call) -> int:
    """``rmdir``."""
    _, named = call.options("")

    def remove(path: str) -> None:
        if call.files.find(path, follows=False).kind != DIRECTORY:
            raise FileError(tree.NO_DIRECTORY)
        call.files.remove(path, directories=True)

    return _each(call, named, remove, "'{}': {}")


def _each(call: Call, named: list[str], do: object, problem: str) -> int:
    problems = 0
    for each in named:
        try:
            do(call.path(each))  # type: ignore[operator]
        except FileError as error:
            problems += call.complain(problem.format(each, error.problem))
    return 1 if problems else 0


def mv(call: Call) -> int:
    """``mv``: one file or directory."""
    letters, named = call.options("fv")
    if len(named) != 2:
        raise call.unmodelled()
    files, source = call.files, call.path(named[0])
    try:
        node = files.find(source, follows=False)
        target = _into(call, named[1], source)
        files.remove(source, recursive=True)
        files.put(target, node)
        if "v" in letters:
            call.out.write(f"'{named[0]}' -> '{target}'\n".encode())
    except FileError as error:
        return call.complain(f"can't rename '{named[0]}': {error.problem}")
    return 0


def cp(call: Call) -> int:
    """``cp``: one file."""
    _, named = call.options("f")
    if len(named) != 2:
        raise call.unmodelled()
    source = call.path(named[0])
    try:
        data = call.files.read(source)
        mode = call.files.find(source).mode
        call.files.write(_into(call, named[1], source), data, mode=mode)
    except FileError as error:
        return call.complain(f"can't copy '{named[0]}': {error.problem}")
    return 0


def _into(call: Call, target: str, source: str) -> str:
    """A target, within it if it is a directory."""
    path = call.path(target)
    parent = call.files.find(posixpath.dirname(path))
    found = parent.entries.get(posixpath.basename(path)) if path != "/" else call.files.root
    if found is not None and call.files.find(path).kind == DIRECTORY:
        return posixpath.join(path, posixpath.basename(source))
    return path


def ln(call: Call) -> int:
    """``ln``: -s -f."""
    letters, named = call.options("sfn")
    if "s" not in letters or len(named) != 2:
        raise call.unmodelled()
    path = call.path(named[1])
    try:
        parent = call.files.find(posixpath.dirname(path))
        if posixpath.basename(path) in parent.entries and "f" not in letters:
            raise FileError(tree.EXISTS)
        call.files.put(path, tree.link(named[0]))
    except FileError as error:
        return call.complain(f"{named[1]}: {error.problem}")
    return 0


def chmod(call: Call) -> int:
    """``chmod``: numbers, and +r +w +x for all or some."""
    _, named = call.options("")
    mode, named = (named[0], named[1:]) if named else ("", [])
    found = re.fullmatch(r"([ugoa]*)([+-])([rwx]+)", mode)
    if not named or not (found or re.fullmatch(r"[0-7]{3,4}", mode)):
        raise call.unmodelled()

    def change(path: str) -> None:
        old = call.files.find(path).mode
        call.files.change_mode(path, _changed(old, found) if found else int(mode, 8))

    return _each(call, named, change, "{}: {}")


def _changed(old: int, found: re.Match[str]) -> int:
    bits = sum({"r": 4, "w": 2, "x": 1}[each] for each in set(found[3]))
    shifts = {"u": (6,), "g": (3,), "o": (0,), "a": (6, 3, 0)}
    mask = 0
    for who in found[1] or "a":
        for shift in shifts[who]:
            mask |= bits << shift
    return old | mask if found[2] == "+" else old & ~mask


def basename(call: Call) -> int:
    """``basename``."""
    if not 1 <= len(call.arguments) <= 2:
        raise call.unmodelled()
    name = posixpath.basename(call.arguments[0].rstrip("/"))
    call.print(f"{name.removesuffix(call.arguments[1]) if len(call.arguments) > 1 else name}\n")
    return 0


def dirname(call: Call) -> int:
    """``dirname``."""
    if len(call.arguments) != 1:
        raise call.unmodelled()
    call.print(f"{posixpath.dirname(call.arguments[0].rstrip('/')) or '.'}\n")
    return 0


def dd(call: Call) -> int:
    """``dd``: zeros, a file or the standard input into a file or the standard output."""
    values = dict(each.partition("=")[::2] for each in call.arguments)
    size = re.fullmatch(r"(\d+)([kKM]?)", values.get("bs", "512"))
    count = values.get("count", "")
    if set(values) - {"if", "of", "bs", "count", "conv"} or size is None:
        raise call.unmodelled()
    # How it is written to disk makes no difference to what is there.
    if set(values.get("conv", "fsync").split(",")) - {"fsync", "fdatasync"}:
        raise call.unmodelled()
    block = int(size[1]) * {"": 1, "k": 1024, "K": 1024, "M": 2**20}[size[2]]
    most = block * int(count) if count.isdigit() else None
    try:
        data = _dd_input(call, values.get("if"), most)
        if "of" in values:
            call.files.write(call.path(values["of"]), data)
        else:
            call.out.write(data)
    except FileError as error:
        return call.complain(f"can't open '{values.get('of')}': {error.problem}")
    whole, rest = divmod(len(data), block) if block else (0, 0)
    records = f"{whole}+{1 if rest else 0} records"
    call.err.write(f"{records} in\n{records} out\n".encode())
    return 0


def _dd_input(call: Call, name: str | None, most: int | None) -> bytes:
    if name == "/dev/zero":
        if most is None or most > _MOST_ZEROS:
            raise call.unmodelled()
        return bytes(most)
    data = call.stdin or b"" if name is None else call.files.read(call.path(name))
    return data if most is None else data[:most]


FILING: Final[dict[str, Run]] = {
    "basename": basename,
    "chmod": chmod,
    "cp": cp,
    "dd": dd,
    "dirname": dirname,
    "ln": ln,
    "mkdir": mkdir,
    "mv": mv,
    "rm": rm,
    "rmdir": rmdir,
    "touch": touch,
}
