"""Commands that print what they are values, or what they know."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Final

from kubestage.programs import hosts

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.programs.calls import Call
    from kubestage.programs.commands import Run

_ISO: Final = {"": "%Y-%m-%d", "date": "%Y-%m-%d", "seconds": "%Y-%m-%dT%H:%M:%S+00:00"}
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "a": "\a", "b": "\b", "e": "\x1b"}
_ESCAPE: Final = re.compile(r"\\([ntrabe\\]|0[0-7]{1,3}|[0-7]{1,3}|x[0-9a-fA-F]{1,2})")
_FORMAT: Final = re.compile(r"%(%|[-0 +]*\d*(?:\.\d+)?[sdicxXouq])")


def unescaped(text: str) -> str:
    """A text with its escapes replaced."""

    def one(found: re.Match[str]) -> str:
        code = found[1]
        if code in _ESCAPES:
            return _ESCAPES[code]
        number = int(code[1:], 16) if code.startswith("x") else int(code, 8)
        return bytes([number & 0xFF]).decode("latin-1")

    return _ESCAPE.sub(one, text)


def echo(call: Call) -> int:
    """``echo``: -n without a new line, -e with escapes."""
    arguments = list(call.arguments)
    letters = ""
    while arguments and re.fullmatch(r"-[neE]+", arguments[0]):
        letters += arguments.pop(0)[1:]
    text = " ".join(arguments)
    if "e" in letters:
        text = unescaped(text)
    call.print(text if "n" in letters else f"{text}\n")
    return 0


def printf(call: Call) -> int:
    """``printf``: the format is used again while there are arguments."""
    if not call.arguments:
        raise call.unmodelled()
    form, arguments = unescaped(call.arguments[0]), list(call.arguments[1:])
    text = ""
    while True:
        before = len(arguments)

        def one(found: re.Match[str]) -> str:
            if found[1] == "%":
                return "%"
            values = arguments.pop(0) if arguments else ""
            kind = found[1][-1]
            if kind in "sq":
                return f"%{found[1][:-1]}s" % values
            if kind == "c":
                return values[:1]
            if not re.fullmatch(r"-?\d*", values):
                raise call.unmodelled()
            return f"%{found[1]}" % int(values or 0)

        text += _FORMAT.sub(one, form)
        if not arguments or len(arguments) == before:
            break
    call.print(text)
    return 0


def env(call: Call) -> int:
    """``env``: the variables."""
    if call.arguments:
        raise call.unmodelled()
    call.print("".join(f"{name}={value}\n" for name, value in call.variables.items()))
    return 0


def printenv(call: Call) -> int:
    """``printenv``: some variables, or all."""
    if not call.arguments:
        return env(call)
    found = [call.variables[name] for name in call.arguments if name in call.variables]
    call.print("".join(f"{value}\n" for value in found))
    return 0 if len(found) == len(call.arguments) else 1


def hostname(call: Call) -> int:
    """``hostname``: the name of the pod."""
    pod = call.context.pod
    known: dict[str, Callable[[], str]] = {
        "": lambda: hosts.name_of(pod),
        "-s": lambda: hosts.name_of(pod).partition(".")[0],
        "-f": lambda: hosts.full_name_of(pod),
        "-i": lambda: " ".join(hosts.addresses_of(pod)),
        "-I": lambda: " ".join(hosts.addresses_of(pod)),
    }
    found = known.get(" ".join(call.arguments))
    if found is None:
        raise call.unmodelled()
    call.print(f"{found()}\n")
    return 0


def date(call: Call) -> int:
    """``date``: virtual time."""
    unix_ns = call.context.unix_ns
    now = dt.datetime.fromtimestamp(unix_ns // 10**9, dt.UTC)
    requested = [each for each in call.arguments if each not in ("-u", "--utc")]
    if not requested:
        call.print(f"{now:%a %b} {now.day:2} {now:%H:%M:%S} UTC {now:%Y}\n")
        return 0
    (first, *others) = requested
    written = first[1:] if first.startswith("+") else None
    if first.startswith("-I"):
        written = _ISO.get(first[2:])
    elif first == "-R":
        written = "%a, %d %b %Y %H:%M:%S +0000"
    if others or written is None:
        raise call.unmodelled()
    text = written.replace("%N", f"{unix_ns % 10**9:09}").replace("%s", str(unix_ns // 10**9))
    call.print(f"{now.strftime(text)}\n")
    return 0


def identity(call: Call) -> int:
    """``id``: numbers of the user and its groups."""
    user = call.files.user
    groups = dict.fromkeys((user.gid, *user.groups))
    selected = {
        "-u": str(user.uid),
        "-g": str(user.gid),
        "-G": " ".join(map(str, groups)),
        "": (
            f"uid={_named(user.uid)} gid={_named(user.gid)} "
            f"groups={','.join(_named(each) for each in groups)}"
        ),
    }.get(" ".join(call.arguments))
    if selected is None:
        raise call.unmodelled()
    call.print(f"{selected}\n")
    return 0


def _named(number: int) -> str:
    return "0(root)" if number == 0 else str(number)


def whoami(call: Call) -> int:
    """``whoami``: only root is known by name."""
    uid = call.files.user.uid
    if uid:
        return call.complain(f"unknown uid {uid}")
    call.print("root\n")
    return 0


def pwd(call: Call) -> int:
    """``pwd``: where a call is made."""
    if call.arguments:
        raise call.unmodelled()
    call.print(f"{call.home}\n")
    return 0


def seq(call: Call) -> int:
    """``seq``: numbers, one a line."""
    if not 1 <= len(call.arguments) <= 3 or not all(map(_is_number, call.arguments)):
        raise call.unmodelled()
    numbers = [int(each) for each in call.arguments]
    first, step, last = 1, 1, numbers[-1]
    if len(numbers) > 1:
        first = numbers[0]
    if len(numbers) == 3:
        step = numbers[1]
    if step == 0 or abs(last - first) > 10**5:
        raise call.unmodelled()
    end = last + (1 if step > 0 else -1)
    call.print("".join(f"{each}\n" for each in range(first, end, step)))
    return 0


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+", text) is not None


def succeed(call: Call) -> int:
    """``true``."""
    del call
    return 0


def fail(call: Call) -> int:
    """``false``."""
    del call
    return 1


def sysctl(call: Call) -> int:
    """``sysctl NAME``: a parameter of the kernel that the pod sets."""
    security = call.context.pod["spec"].get("securityContext") or {}
    values = {_dotted(each["name"]): each["value"] for each in security.get("sysctls") or ()}
    names = [_dotted(each) for each in call.arguments]
    if not names or not set(names) <= values.keys():
        raise call.unmodelled()
    for name in names:
        call.out.write(f"{name} = {values[name]}\n".encode())
    return 0


def _dotted(name: str) -> str:
    """A parameter of the kernel may be written as a path, too."""
    return name.replace("/", ".")


PRINTING: Final[dict[str, Run]] = {
    "date": date,
    "echo": echo,
    "env": env,
    "false": fail,
    "hostname": hostname,
    "id": identity,
    "printenv": printenv,
    "printf": printf,
    "pwd": pwd,
    "seq": seq,
    "sync": succeed,
    "sysctl": sysctl,
    "true": succeed,
    "whoami": whoami,
}
