"""Commands that ask servers in other pods, where those are modelled."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.programs import http, kubelet_servers
from kubestage.programs.commands import asking, wget

if TYPE_CHECKING:
    from kubestage.programs.calls import Call
    from kubestage.programs.commands import Run

_LETTERS: Final = frozenset("sSfqkgvIiL")
_VALUES: Final = frozenset({"-o", "-w", "-H", "-X", "-d", "-m", "--connect-timeout", "--interface"})
_LONG: Final = {
    "--output": "-o", "--write-out": "-w", "--header": "-H", "--request": "-X", "--data": "-d",
    "--max-time": "-m",
}  # fmt: skip
_WRITTEN: Final = re.compile(r"%{http_code}")


def curl(call: Call) -> int:
    """``curl``: to a server that is modelled."""
    command = _curl_command(call)
    answer = _curled(call, command)
    has_failed = "f" in command.letters and answer.code >= 400
    if not has_failed:
        _write(call, command, answer)
    call.print(command.report.replace("%{http_code}", str(answer.code)).replace("\\n", "\n"))
    return 22 if has_failed else 0


def _write(call: Call, command: _CurlCommand, answer: http.HttpAnswer) -> None:
    """Write head and body of an answer to where they belong."""
    head = _head(answer).encode() if command.letters & {"i", "I"} else b""
    data = head if "I" in command.letters else head + answer.body
    if command.output is None:
        call.out.write(data)
    elif command.output != "/dev/null":
        call.files.write(call.path(command.output), data)


class _CurlCommand(NamedTuple):
    """What a command line of ``curl`` asks for."""

    url: str
    letters: frozenset[str]
    values: dict[str, list[str]]

    @property
    def output(self) -> str | None:
        return self.values["-o"][-1] if "-o" in self.values else None

    @property
    def report(self) -> str:
        return self.values["-w"][-1] if "-w" in self.values else ""


def _curl_command(call: Call) -> _CurlCommand:
    words, urls = list(call.arguments), []
    letters: set[str] = set()
    values: dict[str, list[str]] = {}
    while words:
        word = words.pop(0)
        name, has_value, value = word.partition("=") if word.startswith("--") else (word, "", "")
        name = _LONG.get(name, name)
        if name in _VALUES:
            if not has_value and not words:
                raise call.unmodelled()
            values.setdefault(name, []).append(value if has_value else words.pop(0))
        elif word.startswith("-") and not set(word[1:]) - _LETTERS:
            letters |= set(word[1:])
        elif word.startswith("-"):
            raise call.unmodelled()
        else:
            urls.append(word)
    unknown = _WRITTEN.sub("", values.get("-w", [""])[-1])
    if len(urls) != 1 or "%{" in unknown:
        raise call.unmodelled()
    return _CurlCommand(urls[0], frozenset(letters), values)


def _curled(call: Call, command: _CurlCommand) -> http.HttpAnswer:
    method = "HEAD" if "I" in command.letters else "GET"
    data = command.values.get("-d")
    method = command.values.get("-X", ["POST" if data else method])[-1]
    fields = [each.partition(":") for each in command.values.get("-H", ())]
    headers = {name.strip(): value.strip() for name, _, value in fields}
    if any(each.startswith("@") for each in data or ()):
        raise call.unmodelled()
    is_safe = command.url.startswith("https://")
    parts = http.split(command.url, "https" if is_safe else "http")
    # Which certificates a client trusts is not modelled.
    is_trusted = "k" in command.letters or (parts and parts[1] == kubelet_servers.PORT)
    if parts is None or (is_safe and not is_trusted):
        raise call.unmodelled()
    host, port, path, query = parts
    body = "&".join(data or ()).encode()
    address = command.values.get("--interface")
    client = f"{address[-1]}:40000" if address else asking.client(call)
    request = http.HttpRequest(method, path, query, headers, body, client, is_safe)
    return asking.answer(call, host, port, request)


def _head(answer: http.HttpAnswer) -> str:
    lines = [asking.status_line(answer.code)]
    lines += [f"{name}: {value}" for name, value in answer.headers.items()]
    return "\r\n".join([*lines, "", ""])


def nc(call: Call) -> int:
    """``nc``: to a server that is modelled, over TCP or UDP; ``-z`` only tries a connection."""
    arguments, letters, places = list(call.arguments), set[str](), []
    while arguments:
        word = arguments.pop(0)
        if word in ("-w", "-q") and arguments:
            arguments.pop(0)
        elif word[:1] == "-" and set(word[1:]) <= {"v", "t", "u", "z", "n"}:
            letters |= set(word[1:])
        elif word[:1] == "-":
            raise call.unmodelled()
        else:
            places.append(word)
    if len(places) != 2 or not places[1].isdigit():
        raise call.unmodelled()
    host, port = places
    data = b"" if "z" in letters or call.stdin is None else call.stdin
    protocol, method = ("udp", http.DATAGRAM) if "u" in letters else ("tcp", http.RAW)
    request = http.HttpRequest(method, "", body=data, client=asking.client(call))
    found = asking.answer(call, host, int(port), request)
    if "v" in letters:
        call.err.write(f"Connection to {host} {port} port [{protocol}/*] succeeded!\n".encode())
    call.out.write(found.body)
    return 0


def ip(call: Call) -> int:
    """``ip link add``: for privileged containers alone; nothing comes of it."""
    if call.arguments[:2] != ["link", "add"]:
        raise call.unmodelled()
    if (call.context.container.get("securityContext") or {}).get("privileged"):
        return 0
    call.complain("RTNETLINK answers: Operation not permitted")
    return 2


NETWORK: Final[dict[str, Run]] = {"curl": curl, "ip": ip, "nc": nc, "wget": wget.wget}
