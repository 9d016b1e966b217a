"""SimKube's own traces, where they are beside the repository."""

from __future__ import annotations

import pathlib

import pytest

from kubestage.objects import gvk
from kubestage.runs import importing
from kubestage.runs.run import run
from kubestage.runs.run_options import RunOptions

DATA = pathlib.Path(__file__).parents[3] / "shared" / "data" / "simkube"
TRACES = {
    "bare-pods.sktrace.json": ({"Pod": 4}, 4),
    "cronjob.sktrace.json": ({}, 2),
    "dsb-scaling.sktrace.json": ({"Deployment": 27}, 46),
    "large_trace.json.gz": ({"Deployment": 27}, 250),
}


@pytest.mark.skipif(not DATA.is_dir(), reason="the traces are not beside the repository")
@pytest.mark.parametrize("name", TRACES)
def test_a_trace_is_imported_and_runs(name: str, tmp_path: pathlib.Path) -> None:
    objects, changes = TRACES[name]
    result = importing.import_cluster([DATA / name], str(tmp_path / "out"))
    assert result.spec.objects == objects
    assert result.spec.recording is not None
    assert result.spec.recording.changes == changes
    assert not result.spec.left_out
    if objects:
        options = RunOptions(nodes=10, run_for="1m")
        pods = run(str(tmp_path / "out"), options).stage.store.read(gvk.POD)
        assert len(pods) >= sum(objects.values())
        assert all(pod["spec"].get("nodeName") for pod in pods.values())
