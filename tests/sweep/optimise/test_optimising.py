"""Whole searches: of a small cluster, with what is kept, resumed and applied."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.sweep import results
from kubestage.sweep.base_run import Base
from kubestage.sweep.optimise import applying, documents, optimise, page
from kubestage.sweep.report.sweep_report import report

if TYPE_CHECKING:
    import pathlib

    from kubestage.sweep.optimise.result import OptimiseResult

PODS = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 10
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: main
        image: registry.example/web:1
        resources: {requests: {cpu: 500m}}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
"""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("inputs") / "web.yaml"
    path.write_text(PODS)
    return str(path)


def _options(**others: Any) -> dict[str, Any]:
    known: dict[str, Any] = {
        "trials": 8, "seeds": 2, "finalists": 2, "final_seeds": 4, "jobs": 1, "batch": 4,
        "minimise": "nodesUsed", "subject_to": "pending<=0",
    }  # fmt: skip
    return {**known, **others}


def _search(inputs: str, **others: Any) -> OptimiseResult:
    words = ["run", inputs, "--node", "cpu=2,pods=110"]
    return optimise(words, {"nodes": "1..8"}, **_options(**others))


@pytest.fixture(scope="module")
def found(inputs: str) -> OptimiseResult:
    return _search(inputs, sampler="grid")


def test_the_smallest_cluster_that_is_large_enough(found: OptimiseResult) -> None:
    assert found.best == {"nodes": 3}
    assert found.finals.is_decided
    assert found.headline() == "Best for least nodesUsed with pending<=0: nodes=3."
    assert [each.is_feasible for each in found.trials] == [False, False, *[True] * 6]


def test_a_sampler_finds_the_same(inputs: str) -> None:
    assert _search(inputs, trials=16).best == {"nodes": 3}


def test_the_values_are_to_be_typed(found: OptimiseResult) -> None:
    (line,) = found.apply
    assert line.startswith("kubestage run ")
    assert line.endswith("--nodes 3")


def test_fields_of_objects_become_patches(inputs: str) -> None:
    base = Base.read(["run", inputs, "--nodes", "3", "--for", "1m"])
    path = "deploy/web:spec.template.spec.containers[main].resources.requests.cpu"
    assert applying.lines(base, {"deploy/web:spec.replicas": 4}) == [
        """kubectl patch deployment web -n shop --type=merge -p '{"spec": {"replicas": 4}}'"""
    ]
    (line,) = applying.lines(base, {"deploy/web:spec.replicas": 4, path: "1"})
    assert '{"op": "replace", "path": "/spec/replicas", "value": 4}' in line
    pointer = "/spec/template/spec/containers/0/resources/requests/cpu"
    assert f'"path": "{pointer}", "value": "1"' in line
    settings = applying.lines(base, {"setting.hpa.tolerance": "0.2"})
    assert settings[0].endswith("--setting hpa.tolerance=0.2")


def test_every_format_has_the_answer(found: OptimiseResult) -> None:
    text = documents.formatted(found, "table")
    assert text.startswith("Best for least nodesUsed with pending<=0: nodes=3.\n")
    assert "Apply it:" in text
    data = json.loads(documents.formatted(found, "json"))
    assert (data["best"], data["decided"]) == ({"nodes": 3}, True)
    assert data["finalists"][0]["status"] == "best"
    assert len(data["trials"]) == 8
    markdown = documents.formatted(found, "markdown")
    assert "| nodes | nodesUsed | BESIDE THE FIRST |" in markdown
    lines = documents.formatted(found, "csv").splitlines()
    assert lines[0] == "trial,nodes,nodesUsed,seeds,feasible,repeated,ended"
    assert len(lines) == 9
    assert found.to_dict()["answer"] in page.render(found).replace("&lt;", "<")


def test_a_limit_that_nothing_meets_is_the_answer(inputs: str) -> None:
    none = _search(inputs, subject_to="pending<-1", sampler="grid", trials=4)
    assert none.best is None
    assert none.headline().startswith("No setting was found for least nodesUsed with pending<-1.")
    assert "Nearest to the limits is nodes=3" in none.headline()
    assert none.apply == []


def test_what_is_kept_is_a_sweep(inputs: str, tmp_path: pathlib.Path) -> None:
    kept = _search(inputs, sampler="grid", out=tmp_path / "search")
    table = results.open(tmp_path / "search")
    assert table.rows == kept.rows.rows
    assert results.is_complete(tmp_path / "search")
    names = {each.name for each in (tmp_path / "search").iterdir()}
    assert {"sweep.sqlite", "optimise.yaml", "optimise.json", "report.html"} <= names
    shown = report(table)
    assert len(shown.settings) == 8
    assert shown.measures


def test_jobs_and_resuming_change_no_byte(inputs: str, tmp_path: pathlib.Path) -> None:
    def content(name: str) -> dict[str, bytes]:
        return {each.name: each.read_bytes() for each in sorted((tmp_path / name).iterdir())}

    _search(inputs, trials=10, out=tmp_path / "one")
    _search(inputs, trials=10, out=tmp_path / "two", jobs=2)
    one = content("one")
    assert one == content("two")
    again = _search(inputs, trials=10, out=tmp_path / "two", resume=True)
    assert content("two") == one
    assert again.best == {"nodes": 3}


def test_a_search_that_was_killed_is_completed(inputs: str, tmp_path: pathlib.Path) -> None:
    # It ends itself in the middle of its runs, as kill -9 would.
    program = f"""
import os, signal
from kubestage.sweep import store
from kubestage.sweep.optimise import optimise
add, rows = store.RowStore.add, []
def dying(self, row):
    add(self, row)
    rows.append(row)
    if len(rows) == 9:
        self.commit()
        os.kill(os.getpid(), signal.SIGKILL)
store.RowStore.add = dying
optimise(["run", {inputs!r}, "--node", "cpu=2,pods=110"], {{"nodes": "1..8"}},
         **{_options(trials=10, out=str(tmp_path / "killed"))!r})
"""
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True)
    assert done.returncode == -9, done.stderr
    with pytest.raises(InputError, match="not complete"):
        _search(inputs, trials=10, out=tmp_path / "killed")
    resumed = _search(inputs, trials=10, out=tmp_path / "killed", resume=True)
    whole = _search(inputs, trials=10, out=tmp_path / "whole")
    assert resumed.to_dict() == whole.to_dict()
    for name in ("sweep.sqlite", "optimise.json", "report.html"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.parametrize(
    ("vary", "options", "problem"),
    [
        ({}, {}, "nothing says what is searched"),
        ({"node": "1..8"}, {"minimise": ()}, "nothing says what is best"),
        ({"nodess": "1..8"}, {}, r"did you mean nodes\?"),
        ({"nodes": "1..8"}, {"minimise": "pendng"}, r"did you mean pending\?"),
        ({"nodes": "1..8"}, {"subject_to": "nodesUsd<3"}, r"did you mean nodesUsed\?"),
        ({"nodes": "1..8"}, {"level": 3}, "no confidence level"),
        ({"nodes": "uniform(1,8)"}, {"sampler": "cmaes"}, "one objective and no limits"),
        ({"nodes": "1..8"}, {"resume": True}, "nothing says what to resume"),
    ],
)
def test_bad_searches_are_refused(
    inputs: str, vary: dict[str, str], options: dict[str, Any], problem: str
) -> None:
    words = ["run", inputs, "--nodes", "2"]
    with pytest.raises(InputError, match=problem):
        optimise(words, vary, **_options(**options))


def test_a_directory_with_other_files_is_refused(inputs: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(InputError, match="has other files"):
        _search(inputs, out=tmp_path)
    with pytest.raises(InputError, match="no search to resume"):
        _search(inputs, out=tmp_path / "new", resume=True)
