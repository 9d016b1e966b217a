"""How far a replay agrees with its recording, over the API."""

from __future__ import annotations

import json
import urllib.request
from typing import TYPE_CHECKING, Any

from kubestage.runs.opening import open_runs
from kubestage.runs.replaying import ReplayOptions, replay
from kubestage.runs.run import run
from kubestage.runs.run_options import RunOptions
from kubestage.server.launch import opening
from tests.runs.replaying import recordings

if TYPE_CHECKING:
    import pathlib


def _get(address: str, path: str) -> Any:
    with urllib.request.urlopen(f"{address}{path}") as response:
        return json.load(response)


def test_a_replay_has_it_and_other_runs_have_none(tmp_path: pathlib.Path) -> None:
    recording = recordings.make(tmp_path / "rec", recordings.PACKING)
    result = replay(recording, ReplayOptions(without=("n5",), out=str(tmp_path / "replayed")))
    run(recording, RunOptions(run_for="1m", out=str(tmp_path / "other")))
    with opening.show(open_runs([tmp_path / "replayed", tmp_path / "other"])) as shown:
        found = _get(shown.address, "/kubestage/v1/agreement")["replay"]
        other = _get(shown.address, "/clusters/other/kubestage/v1/agreement")
        document = _get(shown.address, "/kubestage/v1/openapi")
    assert other == {"replay": None}
    assert "/kubestage/v1/agreement" in document["paths"]
    assert found["recording"] == "rec"
    assert found["isWhatIf"]
    assert found["sameNode"] == f"{result.agreement.same_node_share:.1%}"
    assert result.baseline is not None
    assert found["baseline"] == f"{result.baseline.same_node_share:.1%}"
    assert result.decisions is not None
    assert [each["pod"] for each in found["misses"]] == [x.pod for x in result.decisions.misses]
    assert (found["recordedNodes"], found["replayedNodes"][-1]) == ([[0.0, 6]], [0.0, 5])
    assert {"name": "pods placed", "recorded": "14", "replayed": "14"} in found["figures"]
    assert {each["workload"] for each in found["elsewhere"]} >= {"deployment/default/api"}
