"""``kubestage clock`` against a server in a process of its own."""

from __future__ import annotations

import http.server
import json
import threading
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.objects import timestamps
from kubestage.remote import kubeconfig
from kubestage.remote.stage_clock import StageClock
from kubestage.runs import clock_server
from tests.cli import servers

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

    from tests.cli.terminal import Terminal

START = "2026-01-01T00:00:00Z"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.Server]:
    with servers.serving(tmp_path_factory.mktemp("clock"), "--start", START) as running:
        yield running


@pytest.fixture(autouse=True)
def elsewhere(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, server: servers.Server
) -> None:
    """A directory with no server, and no cluster that kubectl would use."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    server.call("/kubestage/v1/clock", {"mode": "jump"}, method="PUT")


def test_the_clock_is_shown(terminal: Terminal, server: servers.Server) -> None:
    for words in (["clock"], ["clock", "show"]):
        result = terminal.run(*words, "--server", server.address)
        assert result.code == 0, result.err
        told = terminal.run("clock", "-o", "json", "--server", server.address)
        assert result.out.startswith(f"Time:  {json.loads(told.out)['now']}\n")
        assert "Pace:  jump: from event to event while there is work" in result.out
        assert "State: nothing is under way" in result.out


def test_time_is_advanced(terminal: Terminal, server: servers.Server) -> None:
    def now() -> int:
        told = terminal.run("clock", "-o", "json", "--server", server.address)
        return timestamps.parse_time(json.loads(told.out)["now"])

    before_ns = now()
    result = terminal.run("clock", "advance", "10m", "--server", server.address)
    assert result.code == 0
    assert now() - before_ns == 600 * 10**9
    # Days are understood, as by `run --for`; options may stand before the verb.
    assert terminal.run("clock", "--server", server.address, "advance", "1d").code == 0
    assert now() - before_ns == (600 + 86_400) * 10**9
    until = timestamps.format_time(now() + 5 * 10**9)
    assert terminal.run("clock", "advance", "--until", until, "--server", server.address).code == 0
    assert timestamps.format_time(now()) == until
    result = terminal.run("clock", "advance", "--to", "decision", "--server", server.address)
    assert (result.code, "no decision within 24h" in result.out) == (0, True)
    assert now() == timestamps.parse_time(until) + 86_400 * 10**9


@pytest.mark.parametrize(
    ("words", "mode", "speed", "told"),
    [
        (["still"], "paused", None, "still: only when it is advanced"),
        (["realtime"], "speed", 1, "realtime: as on the wall"),
        (["speed", "60"], "speed", 60, "speed 60"),
        (["jump"], "jump", None, "jump: from event to event"),
    ],
)
def test_time_passes_in_another_way(
    terminal: Terminal,
    server: servers.Server,
    words: list[str],
    mode: str,
    speed: float | None,
    told: str,
) -> None:
    result = terminal.run("clock", "pace", *words, "--server", server.address)
    assert result.code == 0, result.err
    assert told in result.out
    state = server.call("/kubestage/v1/clock")[1]
    assert state["mode"] == mode
    assert speed is None or state["speed"] == speed


def test_the_server_is_found(
    terminal: Terminal,
    server: servers.Server,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = server.kubeconfig
    assert terminal.run("clock", "--kubeconfig", str(config)).code == 0
    monkeypatch.setenv("KUBECONFIG", str(config))
    assert terminal.run("clock").code == 0
    # A data directory in which nothing runs any more does not win over what was exported.
    (tmp_path / ".kubestage").mkdir()
    stale = config.read_text().replace(server.address, "http://127.0.0.1:9")
    (tmp_path / ".kubestage" / "kubeconfig").write_text(stale)
    assert terminal.run("clock").code == 0
    # A cluster of somebody else's does not win over the data directory.
    other = config.read_text().replace('"kubestage"', '"production"')
    (tmp_path / "other").write_text(other.replace(server.address, "http://127.0.0.1:9"))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "other"))
    (tmp_path / ".kubestage" / "kubeconfig").write_text(config.read_text())
    assert terminal.run("clock").code == 0
    assert clock_server.find(None, None).server == server.address


def test_token_and_certificate_are_honoured(tmp_path: pathlib.Path, terminal: Terminal) -> None:
    (tmp_path / "mine").write_text("correct-horse-battery\n")
    with servers.serving(tmp_path, "--token-file", "mine") as secured:
        assert secured.address.startswith("https://")
        # The kubeconfig of the data directory has both.
        result = terminal.run("clock", "advance", "1m")
        assert result.code == 0, result.err
        untrusted = terminal.run("clock", "--server", secured.address)
        assert untrusted.code == 2
        assert "is not trusted" in untrusted.err
        config = json.loads(secured.kubeconfig.read_text())
        config["users"][0]["user"] = {}
        (tmp_path / "tokenless").write_text(json.dumps(config))
        refused = terminal.run("clock", "--kubeconfig", "tokenless")
        assert refused.code == 2
        assert "asks for a token" in refused.err


class _Other(http.server.BaseHTTPRequestHandler):
    """A server that knows nothing of a virtual clock, but answers to everything."""

    def do_GET(self) -> None:
        body = b'{"kind": "Status"}'
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def test_another_kind_of_server_is_recognised(terminal: Terminal) -> None:
    with http.server.HTTPServer(("127.0.0.1", 0), _Other) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        try:
            result = terminal.run("clock", "--server", f"127.0.0.1:{other.server_port}")
        finally:
            other.shutdown()
            thread.join()
    assert result.code == 2
    assert "is not served by kubestage" in result.err


@pytest.mark.parametrize(
    ("words", "problem", "fix"),
    [
        ([], "no server is known", "kubestage serve"),
        (["--server", "http://127.0.0.1:9"], "no server runs at http://127.0.0.1:9", "--server"),
        (["--server", "ftp://x"], "no address", "https://host:port"),
        (["--kubeconfig", "missing"], "there is no such file", "name a kubeconfig"),
        (["advance"], "give one of a duration and --until", "advance 10m"),
        (["advance", "--to", "event", "10m"], "or --to", "--to event"),
        (["advance", "--to", "noon"], 'unknown --to "noon"', "decision"),
        (["advance", "10x"], '"10x" is no duration', "10m"),
        (["advance", "0s"], '"0s" is no duration above 0', "10m"),
        (["pace", "fast"], 'unknown pace "fast"', "realtime"),
        (["-o", "table"], "table", "json"),
    ],
)
def test_what_cannot_be_is_refused_with_its_cure(
    terminal: Terminal, words: list[str], problem: str, fix: str
) -> None:
    result = terminal.run("clock", *words)
    assert (result.code, result.out) == (2, "")
    assert problem in result.err
    assert fix in result.err


def test_a_pace_has_a_number_if_it_is_a_speed(terminal: Terminal, server: servers.Server) -> None:
    for words, problem in ((["speed"], "needs a number"), (["jump", "3"], "has no number")):
        result = terminal.run("clock", "pace", *words, "--server", server.address)
        assert result.code == 2
        assert problem in result.err


def test_what_the_server_refuses_is_told_in_its_words(
    terminal: Terminal, server: servers.Server
) -> None:
    until = "2020-01-01T00:00:00Z"
    result = terminal.run("clock", "advance", "--until", until, "--server", server.address)
    assert result.code == 2
    assert "time does not pass backwards" in result.err


def test_there_is_a_function_behind_it(server: servers.Server) -> None:
    clock = StageClock(kubeconfig.load(str(server.kubeconfig)))
    before = clock.show()["nowNs"]
    assert clock.advance("90s")["nowNs"] - before >= 90 * 10**9
    assert clock.set_pace("still")["mode"] == "paused"
    with pytest.raises(InputError, match="needs a number"):
        clock.set_pace("speed")
