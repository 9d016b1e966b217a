"""``kubestage load --kubeconfig``: the same load against an API server, over HTTP in real time."""

from __future__ import annotations

import json
import pathlib
import signal
import subprocess
import sys
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.results.load import reading
from tests import deadlines
from tests.cli import loads
from tests.deadlines import HANG_S
from tests.server.served import Served, nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.terminal import Terminal

COMMAND = [sys.executable, "-c", "from kubestage import cli; cli.main()", "load"]
_NAMESPACES = "SELECT name FROM calls WHERE kind = 'Namespace' AND verb = 'create'"
SLOW = loads.CONFIG.replace("DefaultParam .CL2_PODS 4", "DefaultParam .CL2_PODS 500")


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """A cluster of three nodes whose time is ours."""
    with Served("--pace", "realtime", objects=nodes(3)) as server:
        yield server


def _names(served: Served, path: str) -> list[str]:
    """What there is of a kind."""
    with urllib.request.urlopen(f"{_address(served)}{path}") as answer:
        items: list[dict[str, Any]] = json.load(answer)["items"]
    return [item["metadata"]["name"] for item in items]


def _address(served: Served) -> str:
    return next(word for word in served.address.split() if word.startswith("http")).rstrip(".,")


def _wait_for_pods(served: Served) -> None:
    deadlines.until(lambda: _names(served, "/api/v1/pods"))


def test_a_real_cluster_is_loaded_judged_and_left_as_it_was(
    served: Served, terminal: Terminal
) -> None:
    before = _names(served, "/api/v1/namespaces")
    words = ["--kubeconfig", str(served.kubeconfig), "--report-dir", "out", "-o", "json"]
    result = terminal.run("load", loads.write(), *words)
    told = json.loads(result.out)
    assert (result.code, told["tests"][0]["errors"]) == (0, [])
    assert told["tests"][0]["verdicts"][0]["samples"] == 4
    assert _names(served, "/api/v1/namespaces") == before
    facts = json.loads(pathlib.Path("out/cl2-metadata.json").read_text())
    assert facts["nodes"] == "3"
    assert facts["cluster"] == _address(served)


def test_namespaces_of_a_real_cluster_have_another_prefix_each_time(
    served: Served, terminal: Terminal
) -> None:
    words = [loads.write(), "--kubeconfig", str(served.kubeconfig), "--report-dir", "out"]
    found = []
    for _ in range(2):
        assert terminal.run("load", *words).code == 0
        with reading.open_report("out") as report:
            found += [row["name"] for row in report.rows(_NAMESPACES)]
    assert len(set(found)) == 2


def test_ctrl_c_cleans_up_and_leaves_with_130(served: Served, terminal: Terminal) -> None:
    del terminal
    before = _names(served, "/api/v1/namespaces")
    words = [loads.write(SLOW), "--kubeconfig", str(served.kubeconfig)]
    process = subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    _wait_for_pods(served)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=HANG_S)
    assert process.returncode == 130
    assert err == (
        "Interrupted: cleaning up. Press Ctrl-C again to exit at once.\n"
        "Interrupted: nothing was kept, as there is no --report-dir.\n"
    )
    assert out.startswith("small: interrupted after ")
    assert _names(served, "/api/v1/namespaces") == before
    assert _names(served, "/api/v1/pods") == []


def test_a_second_ctrl_c_leaves_at_once_and_says_what_is_left(terminal: Terminal) -> None:
    del terminal
    config = SLOW.replace("number: 1", "number: 1, prefix: left")
    with Served("--pace", "realtime", objects=nodes(1)) as own:
        words = [loads.write(config), "--kubeconfig", str(own.kubeconfig)]
        process = subprocess.Popen(
            [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        _wait_for_pods(own)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert process.stderr.readline().startswith("Interrupted")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=HANG_S)
    assert process.returncode == 130
    # The cluster may have been asked to delete it already, between the two.
    head, _, names = err.partition("\n")
    assert head in ("Left behind:", "Being deleted by the cluster:")
    assert names == (
        "  namespace/left-1\nInterrupted: nothing was kept, as there is no --report-dir.\n"
    )


def test_who_cannot_be_reached_is_told(terminal: Terminal) -> None:
    pathlib.Path("config").write_text(
        "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:9'}}]\n"
        "contexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x\n"
    )
    result = terminal.run("load", loads.write(), "--kubeconfig", "config")
    assert (result.code, result.out) == (2, "")
    assert "http://127.0.0.1:9: the cluster does not answer" in result.err
