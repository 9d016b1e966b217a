"""agnhost: what its subcommands print, serve and do at a signal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.programs import http
from kubestage.programs.http import HttpRequest
from kubestage.units import SECOND_NS
from tests.programs.programs import printed, started

if TYPE_CHECKING:
    from kubestage.programs.process import Process


def asked(process: object, port: int, path: str, at_s: int = 0) -> tuple[int, str]:
    path, _, query = path.partition("?")
    found = process.ask(port, HttpRequest("GET", path, query), at_s * SECOND_NS)  # type: ignore[attr-defined]
    assert found is not None
    return found.code, found.body.decode()


def test_the_entrypoint_tester_prints_its_words() -> None:
    process = started("/agnhost-2", "entrypoint-tester", "a", "b")
    assert printed(process) == "[/agnhost-2 entrypoint-tester a b]\n"
    assert process.exit_code == 0


def test_mounttest_writes_and_shows_files() -> None:
    words = (
        "--new_file_0666=/tmp/f",
        "--file_perm=/tmp/f",
        "--file_mode=/tmp",
        "--file_owner=/tmp/f",
    )
    process = started("/agnhost", "mounttest", *words, uid=1001)
    assert printed(process).splitlines() == [
        'content of file "/tmp/f": mount-tester new file',
        "",
        'mode of file "/tmp": dtrwxrwxrwx',
        'perms of file "/tmp/f": -rw-rw-rw-',
        'owner UID of "/tmp/f": 1001',
        'owner GID of "/tmp/f": 0',
    ]
    failed = started("/agnhost", "mounttest", "--file_content=/tmp/none")
    assert failed.exit_code == 1
    assert "open /tmp/none: no such file or directory" in printed(failed)


def test_mounttest_looks_again_and_again() -> None:
    words = ("--file_content_in_loop=/tmp/f", "--break_on_expected_content=false", "--retry_time=6")
    process = started("/agnhost", "mounttest", *words)
    assert process.due_ns == 6 * SECOND_NS
    process.advance(1 * SECOND_NS)
    process.execute(["sh", "-c", "echo -n new > /tmp/f"], None, SECOND_NS)
    process.advance(10 * SECOND_NS)
    assert printed(process).count("Error reading file /tmp/f") == 1
    assert printed(process).count('content of file "/tmp/f": new') == 2
    assert (process.ended_ns, process.exit_code) == (6 * SECOND_NS, 0)


def test_pause_reports_its_signal() -> None:
    process = started("/agnhost", "pause")
    assert printed(process) == "Paused\nSignals registered\n"
    process.context.files.root.entries["dev"] = type(process.context.files.root)("d", 0o755)
    assert process.signal("TERM", SECOND_NS)
    assert process.exit_code == 2
    assert process.context.files.read("/dev/termination-log").endswith(b'"terminated"\n')


def test_netexec_answers_logs_and_ends() -> None:
    process = started("/agnhost", "netexec", "--http-port=83")
    assert asked(process, 83, "/echo?msg=hi&code=201") == (201, "hi")
    assert asked(process, 83, "/hostname") == (200, "p")
    assert asked(process, 83, "/shell?cmd=echo+a") == (200, '{"output":"a\\n"}')
    assert asked(process, 83, "/readyz") == (200, "ok")
    assert process.ask(8080, HttpRequest("GET", "/"), 0) is None
    assert "GET /echo?msg=hi&code=201" in printed(process)
    assert asked(process, 83, "/exit?code=5&wait=3s")[0] == 200
    process.advance(10 * SECOND_NS)
    assert (process.ended_ns, process.exit_code) == (3 * SECOND_NS, 5)


def test_liveness_is_well_for_ten_seconds() -> None:
    process = started("/agnhost", "liveness")
    assert asked(process, 8080, "/healthz", 10) == (200, "ok")
    assert asked(process, 8080, "/healthz", 11)[0] == 500


@pytest.mark.parametrize("at_s", [1, 9])
def test_a_grpc_service_is_well_until_it_is_made_ill(at_s: int) -> None:
    process = started("/agnhost", "grpc-health-checking", "--delay-unhealthy-sec=5")
    server = process.server
    assert server is not None
    process.advance(at_s * SECOND_NS)
    assert bool(server.is_serving(5000, "")) == (at_s > 5)
    assert server.is_serving(5000, "other") == "service unknown"
    asked(process, 8080, "/make-not-serving", at_s)
    assert server.is_serving(5000, "")


def test_porter_serves_what_variables_say() -> None:
    process = started("/agnhost", "porter", SERVE_PORT_80="foo", SERVE_PORT_1080="bar")
    assert asked(process, 80, "/") == (200, "foo")
    assert asked(process, 1080, "/") == (200, "bar")


def test_lines_are_generated_evenly() -> None:
    process = started("/agnhost", "logs-generator", "-t", "4", "-d", "8s")
    process.advance(20 * SECOND_NS)
    assert [each.now_ns // SECOND_NS for each in process.log] == [0, 2, 4, 6]
    assert process.ended_ns == 8 * SECOND_NS


def sent(process: Process, port: int, data: str, *, udp: bool = False) -> str | None:
    method = http.DATAGRAM if udp else http.RAW
    found = process.ask(port, HttpRequest(method, "", body=data.encode(), client="10.0.0.9:1"), 0)
    return None if found is None else found.body.decode()


def test_the_hostname_is_served_over_tcp_and_udp() -> None:
    process = started("/agnhost", "serve-hostname", "--http=false", "--tcp", "--udp")
    assert sent(process, 9376, "x") == sent(process, 9376, "x", udp=True) == "p"
    assert printed(process).count("UDP request from 10.0.0.9:1") == 1
    with_http = started("/agnhost", "serve-hostname")
    assert sent(with_http, 9376, "x", udp=True) is None
    assert str(sent(with_http, 9376, "x")).startswith("HTTP/1.1 400 Bad Request")


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        ("hostName\n", "p"),
        ("echo Hello there", "hello there"),
        ("clientIP", "10.0.0.9:1"),
        ("serverport", "8081"),
        ("what", ""),
        ("", ""),
    ],
)
def test_netexec_has_commands_over_udp(data: str, answer: str) -> None:
    process = started("/agnhost", "netexec")
    assert sent(process, 8081, data, udp=True) == answer
    assert sent(process, 8080, data, udp=True) is None
    without = started("/agnhost", "netexec", "--udp-port", "-1")
    assert sent(without, 8081, data, udp=True) is None


def test_a_client_in_the_cluster_needs_a_token() -> None:
    process = started("/agnhost", "inclusterclient")
    assert process.exit_code == 1
    assert "serviceaccount/token: no such file or directory" in printed(process)
