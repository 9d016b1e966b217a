"""Trace files that manifests name are read where the manifest is, and become part of the object."""

from __future__ import annotations

import gzip
import json
import pathlib
from typing import TYPE_CHECKING

import pytest

from kubestage.runs.inputs import manifests
from kubestage.testing import make_deployment
from tests.cli import clusters

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.cli.terminal import Terminal


ROWS = "time,rps\n0,10\n60,20\n"
HEAD = """\
apiVersion: kubestage.dev/v1alpha1
kind: Traffic
metadata: {name: load}
spec:
  target: {kind: Deployment, name: web}
  pattern:
"""
TRACE = HEAD + "    trace: {file: data/qps.csv, scale: 2}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    made = tmp_path / "here" / "data"
    made.mkdir(parents=True)
    (made / "qps.csv").write_text(ROWS)
    return made.parent


def _pattern(manifest: str) -> Json:
    pathlib.Path("here/load.yaml").write_text(manifest)
    loaded = manifests.load(["here/load.yaml"])
    assert loaded.problems == []
    (document,) = loaded.documents
    pattern: Json = document.object["spec"]["pattern"]
    return pattern


def test_a_file_is_replaced_by_its_rows() -> None:
    assert _pattern(TRACE) == {"trace": {"csv": ROWS, "scale": 2}}


def test_each_part_of_a_sum_has_its_file() -> None:
    manifest = HEAD + "    sum:\n    - poisson: {rps: 1}\n    - trace: {file: data/qps.csv}\n"
    assert _pattern(manifest) == {"sum": [{"poisson": {"rps": 1}}, {"trace": {"csv": ROWS}}]}


def test_a_file_may_be_compressed_and_may_have_a_byte_order_mark(folder: pathlib.Path) -> None:
    (folder / "data/qps.csv").write_bytes(gzip.compress(b"\xef\xbb\xbf" + ROWS.encode()))
    assert _pattern(TRACE)["trace"]["csv"] == ROWS


def test_a_traffic_within_a_scenario_or_a_list_gets_its_rows() -> None:
    traffic = {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "Traffic",
        "metadata": {"name": "load"},
        "spec": {
            "target": {"kind": "Deployment", "name": "web"},
            "pattern": {"trace": {"file": "data/qps.csv"}},
        },
    }
    event = {"id": "a", "operation": "Create", "createOperation": {"object": traffic}}
    scenario = {
        "apiVersion": "simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1",
        "kind": "Scenario",
        "metadata": {"name": "s"},
        "spec": {"events": [{"id": "b", "operation": "Done", "doneOperation": {}}, event]},
    }
    listed = {"apiVersion": "v1", "kind": "List", "items": [traffic, scenario]}
    pathlib.Path("here/all.json").write_text(json.dumps(listed))
    alone, within = (each.object for each in manifests.load(["here/all.json"]).documents)
    assert alone["spec"]["pattern"] == {"trace": {"csv": ROWS}}
    created = within["spec"]["events"][1]["createOperation"]["object"]
    assert created["spec"]["pattern"] == {"trace": {"csv": ROWS}}
    assert within["spec"]["events"][0] == scenario["spec"]["events"][0]  # type: ignore[index] # a Scenario's


def test_what_names_no_file_is_left_as_it_was_written() -> None:
    for pattern in ("trace: {csv: 'arrival'}", "trace: {file: 5}", "sum: {}", "trace: []"):
        pathlib.Path("here/load.yaml").write_text(f"{HEAD}    {pattern}\n")
        loaded = manifests.load(["here/load.yaml"])
        assert loaded.problems == []
        assert len(loaded.documents) == 1


def test_a_file_that_is_not_there_is_told_at_its_line(terminal: Terminal) -> None:
    pathlib.Path("here/load.yaml").write_text(TRACE.replace("qps", "rps"))
    result = terminal.run("validate", "here/load.yaml")
    assert result.out == (
        "here/load.yaml:7: spec.pattern.trace.file: no such file: here/data/rps.csv\n"
        "  fix: name a CSV file, its path relative to the manifest\n\n"
        "1 object in 1 file: 0 valid, 1 invalid\n"
    )
    assert result.code == 2


def test_a_wrong_row_is_told_with_the_line_of_its_file(
    terminal: Terminal, folder: pathlib.Path
) -> None:
    (folder / "data/qps.csv").write_text("time,rps\n60,1\n0,1\n")
    pathlib.Path("here/load.yaml").write_text(TRACE)
    result = terminal.run("validate", "here/load.yaml")
    assert result.out.startswith(
        "here/data/qps.csv:3: 0: is before the row above it\n"
        "  fix: sort the rows by time, and add up those of the same time\n"
    )
    assert result.code == 2


@pytest.mark.parametrize(
    "data", [b"\xff\xfe\x00", b"\x1f\x8bno", gzip.compress(b"arrival", mtime=0)[:-4]]
)
def test_a_file_that_is_no_text_is_told(
    terminal: Terminal, folder: pathlib.Path, data: bytes
) -> None:
    (folder / "data/qps.csv").write_bytes(data)
    pathlib.Path("here/load.yaml").write_text(TRACE)
    result = terminal.run("validate", "here/load.yaml")
    assert result.out.startswith("here/data/qps.csv: is no text\n")


def test_a_run_refuses_a_bad_file_and_a_bad_pattern_before_anything_runs(
    terminal: Terminal,
) -> None:
    clusters.write("here/web.json", make_deployment("web"))
    for pattern, told in (
        ("trace: {file: none.csv}", "here/load.yaml:7: spec.pattern.trace.file: no such file"),
        ("poisson: {rps: -3}", "here/load.yaml:7: spec.pattern.poisson.rps: Invalid value: -3"),
        ("sinus: {}", "here/load.yaml:7: spec.pattern.sinus: Forbidden: unknown pattern"),
    ):
        pathlib.Path("here/load.yaml").write_text(f"{HEAD}    {pattern}\n")
        result = terminal.run("run", "here")
        assert result.code == 2
        assert result.err.startswith(f"Error: {told}")
