"""``kubestage export``: traces of kept runs of every kind, and of a server."""

from __future__ import annotations

import gzip
import json
import pathlib
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.testing import make_deployment, make_node
from tests.cli import clusters, loads, scenarios, servers
from tests.results.history.test_perfetto import check

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal


@pytest.fixture(autouse=True)
def _without_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts take their time, and are looked at elsewhere."""
    monkeypatch.setattr("kubestage.results.report.drawings.NEEDED", ("no_such_library",))


def read(path: str) -> dict[str, Any]:
    data = pathlib.Path(path).read_bytes()
    found: dict[str, Any] = json.loads(gzip.decompress(data) if path.endswith(".gz") else data)
    check(found)
    return found


def processes(trace: dict[str, Any]) -> list[str]:
    named = [each for each in trace["traceEvents"] if each["name"] == "process_name"]
    return [each["args"]["name"] for each in named]


def test_a_scenario_is_written_under_its_name(terminal: Terminal) -> None:
    scenarios.keep(scenarios.rivalry())
    done = terminal.run("export", "kept")
    assert (done.code, done.err) == (0, "")
    expected = "kept.perfetto.json.gz: 4 pods, 11 slices; open it at https://ui.perfetto.dev\n"
    assert done.out == expected
    found = processes(read("kept.perfetto.json.gz"))
    assert found == ["Cluster", "Pods without a node", "n1", "n2"]


def test_a_living_cluster_by_workload(terminal: Terminal) -> None:
    web = make_deployment("web", replicas=2, cpu="500m")
    clusters.write("cluster.json", make_node("a", cpu="4"), web)
    terminal.run("run", "cluster.json", "--for", "10m", "--out", "kept")
    done = terminal.run("export", "kept", "-o", "trace.json", "--group-by", "workload")
    assert (done.code, done.err) == (0, "")
    trace = read("trace.json")
    assert processes(trace) == ["Cluster", "apps/Deployment/default/web"]
    ready = [each["dur"] for each in trace["traceEvents"] if each["name"] == "ready"]
    assert ready == [597_999e3] * 2


def test_a_rehearsal_and_a_load(terminal: Terminal) -> None:
    web = make_deployment("web", replicas=2, cpu="500m")
    nodes = [make_node(name, cpu="4") for name in "ab"]
    clusters.write("cluster.json", *nodes, web)
    done = terminal.run("rehearse", "drain", "a", "-f", "cluster.json", "--out", "drained")
    assert done.code == 0
    done = terminal.run("export", "drained", "-o", "drained.json")
    assert (done.code, done.err) == (0, "")
    found = [each["name"] for each in read("drained.json")["traceEvents"] if each["ph"] == "X"]
    assert "cordoned" in found
    loads.write()
    terminal.run("load", "load.yaml", "--nodes", "2", "--report-dir", "loaded")
    done = terminal.run("export", "loaded", "-o", "loaded.json")
    assert (done.code, done.err) == (0, "")
    assert any(each["name"] == "ready" for each in read("loaded.json")["traceEvents"])


def test_the_standard_output_has_nothing_but_the_trace(terminal: Terminal) -> None:
    scenarios.keep(scenarios.rivalry())
    done = terminal.run("export", "kept", "-o", "-")
    assert (done.code, done.err) == (0, "")
    check(json.loads(done.out))
    assert terminal.run("export", "kept", "-o", "-").out == done.out


def test_several_runs_have_a_file_each(terminal: Terminal) -> None:
    for name in ("first", "second"):
        scenarios.keep(scenarios.rivalry(), out=f"both/{name}")
    done = terminal.run("export", "both")
    assert done.code == 0
    assert processes(read("first.perfetto.json.gz")) == processes(read("second.perfetto.json.gz"))
    done = terminal.run("export", "both", "-o", "one.json")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: both: holds 2 runs: first, second\n  fix: leave out -o")
    assert not pathlib.Path("one.json").exists()


def test_a_server_exports_what_it_remembers(terminal: Terminal, tmp_path: pathlib.Path) -> None:
    with servers.serving(tmp_path, "--in-memory", "--nodes", "2") as server:
        done = terminal.run("export", "--server", server.address, "-o", "served.json")
        assert (done.code, done.err) == (0, "")
    assert read("served.json")["otherData"]["groupBy"] == "node"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Error: RUN: no run is named\n  fix: name the directory of a run, or --server URL\n"),
        (["kept", "--server", "http://127.0.0.1:9"], "Error: RUN: a run and a server are named\n"),
        (["missing"], "Error: missing: no such run\n"),
        (["--server", "http://127.0.0.1:9"], "Error: no server runs at http://127.0.0.1:9\n"),
        (["kept", "--format", "pprof"], 'Error: unknown format "pprof"\n'),
        (["kept", "--group-by", "zone"], 'Error: unknown group "zone"\n'),
        (["kept", "-o", "."], "Error: .: is a directory\n"),
        (["kept", "-o", "no/such/place.json"], "Error: no/such/place.json: "),
    ],
)
def test_what_cannot_be_exported_is_refused(
    terminal: Terminal, arguments: list[str], message: str
) -> None:
    scenarios.keep(scenarios.rivalry())
    done = terminal.run("export", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(message)
