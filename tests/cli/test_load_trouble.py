"""``kubestage load --kubeconfig`` where something stands in the way, and is told in time."""

from __future__ import annotations

import http.server
import json
import pathlib
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from typing import TYPE_CHECKING

import pytest

from tests import deadlines
from tests.cli import loads
from tests.deadlines import HANG_S
from tests.server.served import Served, nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.terminal import Terminal

COMMAND = [sys.executable, "-c", "from kubestage import cli; cli.main()", "load"]
UNKNOWN = """
name: unknown
steps:
- name: Watch what is not there
  measurements:
  - method: WaitForControlledPodsRunning
    identifier: things
    params: {action: start, apiVersion: example.com/v1, kind: Thing}
- name: Wait for them
  measurements:
  - method: WaitForControlledPodsRunning
    identifier: things
    params: {action: gather}
"""
QUERY = """
name: query
steps:
- name: Ask
  measurements:
  - method: GenericPrometheusQuery
    identifier: things
    params: &params
      action: start
      metricName: things
      metricVersion: v1
      unit: s
      enableViolations: true
      queries: [{name: all, query: "sum(things)", threshold: 5}]
- name: Gather
  measurements:
  - method: GenericPrometheusQuery
    identifier: things
    params: {<<: *params, action: gather}
"""
OWN = """
from kubestage.cluster.access import Resource, Selection
from kubestage.measure.framework import NOTHING, Measurement


class Own(Measurement):
    def start(self, params):
        self.cluster.watch(Selection(Resource("v1", "Namespace")), self.fail)
        return NOTHING

    def fail(self, seen):
        raise TypeError("of a person's own making")
"""
NOTHING = """
name: nothing
namespace: {number: 1, prefix: nothing}
steps:
- name: Pause
  measurements:
  - {method: Sleep, identifier: pause, params: {duration: 10ms}}
"""


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """A cluster of one node whose time is ours."""
    with Served("--pace", "realtime", objects=nodes(1)) as server:
        yield server


def _begun(served: Served, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *words, "--kubeconfig", str(served.kubeconfig)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_watch_that_cannot_be_had_is_told_while_it_is_waited_for(
    served: Served, terminal: Terminal
) -> None:
    del terminal
    problem = 'watching Thing: no matches for kind "Thing" in version "example.com/v1"'
    process = _begun(served, loads.write(UNKNOWN))
    assert process.stderr is not None
    assert process.stderr.readline() == f"Warning: {problem}\n"
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=HANG_S)
    assert process.returncode == 130
    assert f"Warnings (1):\n  {problem}\n" in out


def test_a_suite_whose_clean_up_is_interrupted_is_not_over(
    served: Served, terminal: Terminal
) -> None:
    del terminal
    loads.write(NOTHING)
    pathlib.Path("suite.yaml").write_text(
        "- {identifier: first, configPath: load.yaml}\n"
        "- {identifier: second, configPath: load.yaml}\n"
    )
    process = _begun(served, "suite.yaml")
    _wait_for_deletion(f"{_address(served)}/api/v1/namespaces/nothing-1")
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=HANG_S)
    assert process.returncode == 130
    assert out.startswith("first: interrupted after ")
    assert "second" not in out


def test_a_real_cluster_is_cleaned_up_also_after_an_error_in_a_measurement(
    served: Served, terminal: Terminal
) -> None:
    pathlib.Path("own.py").write_text(OWN)
    own = "- measurements: [{method: Own, identifier: own, params: {action: start}}]"
    config = NOTHING.replace("steps:", f"steps:\n{own}").replace("prefix: nothing", "prefix: own")
    config = config.replace("10ms", "10s")
    words = ["--kubeconfig", str(served.kubeconfig), "--measurement", "own.py:Own"]
    result = terminal.run("load", loads.write(config), *words)
    assert result.code == 2
    assert result.err == (
        "Something failed: cleaning up. Press Ctrl-C to exit at once.\n"
        "Error: own.py:12: TypeError: of a person's own making\n"
    )
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{_address(served)}/api/v1/namespaces/own-1")


def _address(served: Served) -> str:
    return next(word for word in served.address.split() if word.startswith("http")).rstrip(".,")


def _wait_for_deletion(url: str) -> None:
    was_there = False
    for _ in deadlines.attempts():
        try:
            with urllib.request.urlopen(url) as found:
                was_there = True
                if "deletionTimestamp" in json.load(found)["metadata"]:
                    return
        except urllib.error.HTTPError:
            if was_there:
                return


class _Prometheus(http.server.BaseHTTPRequestHandler):
    """Answers every query of who has the token with one number."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        is_known = self.headers["Authorization"] == "Bearer sesame"
        row = {"metric": {}, "value": [1, "7"]}
        said = {"status": "success", "data": {"resultType": "vector", "result": [row]}}
        self.send_response(200 if is_known else 401)
        self.end_headers()
        self.wfile.write(json.dumps(said).encode() if is_known else b"who are you?")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def prometheus() -> Iterator[str]:
    """The address of one."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Prometheus) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_a_prometheus_is_asked_with_the_token_of_the_environment(
    served: Served, prometheus: str, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["load", loads.write(QUERY), "--kubeconfig", str(served.kubeconfig)]
    words += ["--prometheus-url", prometheus, "-o", "json"]
    refused = terminal.run(*words)
    assert (refused.code, refused.out) == (2, "")
    assert f"{prometheus}: the Prometheus does not answer" in refused.err
    assert "who are you?" in refused.err

    monkeypatch.setenv("PROMETHEUS_TOKEN", "sesame")
    result = terminal.run(*words)
    [error] = json.loads(result.out)["tests"][0]["errors"]
    assert result.code == 1
    assert "7" in error
