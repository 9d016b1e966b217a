"""Commands that ask servers in other pods, where those are modelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import Unmodelled
from kubestage.programs import http

if TYPE_CHECKING:
    from kubestage.programs.calls import Call
    from kubestage.programs.commands import Run

_CURL: Final = frozenset({"-s", "-S", "-f", "-q", "-k", "-sS", "-sf", "-fsS", "-g", "-v"})
_TIMED: Final = frozenset({"--connect-timeout", "--max-time", "-m", "-T", "-O", "--timeout"})
_WGET: Final = frozenset({"-q", "-S", "-q -O-", "-qO-", "-O-"})


def _answer(call: Call, url: str) -> http.HttpAnswer:
    parts = http.split(url)
    if parts is None:
        raise call.unmodelled()
    host, port, path, query = parts
    request = http.HttpRequest("GET", path, query, {}, b"", _client(call))
    found = call.context.ask(host, port, request)
    if found is None:
        raise Unmodelled(f"what {host}:{port} answers")
    return found


def _client(call: Call) -> str:
    address = (call.context.pod.get("status") or {}).get("podIP") or "127.0.0.1"
    return f"{address}:40000"


def _url(call: Call, known: frozenset[str]) -> str:
    arguments, urls = list(call.arguments), []
    while arguments:
        word = arguments.pop(0)
        if word in _TIMED and arguments:
            arguments.pop(0)
        elif not word.startswith("-"):
            urls.append(word)
        elif word not in known and not word.startswith(("--connect-timeout=", "--timeout=")):
            raise call.unmodelled()
    if len(urls) != 1:
        raise call.unmodelled()
    return urls[0]


def curl(call: Call) -> int:
    """``curl``: GET, to a server that is modelled."""
    answer = _answer(call, _url(call, _CURL))
    if answer.code >= 400 and any("f" in each for each in call.arguments if each[:1] == "-"):
        return 22
    call.out.write(answer.body)
    return 0


def wget(call: Call) -> int:
    """``wget``: to the standard output, or to nowhere."""
    answer = _answer(call, _url(call, _WGET))
    if answer.code >= 400:
        return call.complain(f"server returned error: HTTP/1.1 {answer.code}")
    if any("O-" in each or each == "-" for each in call.arguments):
        call.out.write(answer.body)
    return 0


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
    request = http.HttpRequest(method, "", body=data, client=_client(call))
    found = call.context.ask(host, int(port), request)
    if found is None:
        raise Unmodelled(f"what {host}:{port} answers")
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


NETWORK: Final[dict[str, Run]] = {"curl": curl, "ip": ip, "nc": nc, "wget": wget}
