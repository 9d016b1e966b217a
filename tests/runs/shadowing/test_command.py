"""``kubestage shadow`` on the command line: a table, JSON, Ctrl-C, and a log."""

from __future__ import annotations

import json
import os
import signal
import threading
from typing import TYPE_CHECKING

import pytest

from kubestage.cli import app, failures, shadow_view
from kubestage.runs.shadowing.result import (
    ArrivalCounts,
    PlacementCounts,
    ShadowStatus,
    StepCounts,
)
from tests.deadlines import until
from tests.server.served import Served

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

PENDING = """
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default}
spec: {containers: [{name: web, image: nginx}]}
"""


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    options = ("--nodes", "2", "--pace", "still", "--scheduler", "none")
    with Served(*options, objects=PENDING) as running:
        yield running


def _run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = failures.guard(app.run, ["shadow", *words])
    out, errors = capsys.readouterr()
    return code, out, errors


def test_the_summary_is_a_table_or_json(
    served: Served, capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path
) -> None:
    words = ["--kubeconfig", str(served.kubeconfig), "--for", "1ms"]
    code, out, errors = _run(capsys, *words, "--fork", "outage node-0", "--every", "1h")
    assert (code, out) == (0, "0 placements; 1 pending on 2 nodes\n")
    assert errors.startswith("outage node-0: ")
    report = tmp_path / "report.jsonl"
    code, out, errors = _run(capsys, *words, "--out", str(report), "-o", "json")
    assert (code, errors) == (0, "")
    assert json.loads(out)["status"]["pending"] == 1
    (line,) = report.read_text().splitlines()
    assert json.loads(line)["predicted"] == ["node-0", "node-1"]


def test_ctrl_c_ends_it_with_a_summary(
    served: Served, capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path
) -> None:
    report = tmp_path / "report.jsonl"

    def press() -> None:
        until(lambda: report.exists() and report.read_text())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    code, out, errors = _run(capsys, "--kubeconfig", str(served.kubeconfig), "--out", str(report))
    thread.join()
    assert (code, out) == (0, "0 placements; 1 pending on 2 nodes\n")
    assert "Ctrl-C" in errors


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--kubeconfig", "missing"], "missing"),
        (["--ask", "dance"], '"dance" is no question'),
        (["--config", "missing.yaml"], "missing.yaml"),
    ],
)
def test_errors_name_what_is_wrong(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    code, _, errors = _run(capsys, *words)
    assert code == 2
    assert said in errors
    assert "Traceback" not in errors


def test_misses_are_lines_and_rates_are_shown_each_minute(
    capsys: pytest.CaptureFixture[str],
) -> None:
    placement = {"type": "placement", "hit": False, "pod": "shop/web", "node": "a", "why": "b is"}
    with shadow_view.ShadowObserver() as observer:
        observer.on_report({**placement, "predicted": list("bcdefgh"), "predictedCount": 7})
        observer.on_report({**placement, "predicted": [], "predictedCount": 0})
        observer.on_report({**placement, "hit": True})
        observer.on_report({**placement, "hit": True, "wasHit": True})
        observer.on_report({**placement, "hit": True, "wasHit": False})
        observer.on_report({"type": "step", "hit": False, "hpa": "shop/web", "from": 2, "to": 5,
                          "predicted": 4, "why": "4 by its metrics"})  # fmt: skip
        observer.on_report({"type": "step", "hit": None, "hpa": "shop/web"})
        observer.on_report({"type": "arrival", "hit": False, "node": "n", "pool": "", "why": "so"})
        observer.on_report({"type": "prediction"})
        for second in range(1, 130):
            observer.on_shadow(_status(float(second), problems=["pods: x"] if second == 70 else []))
    assert capsys.readouterr().err.splitlines() == [
        "miss: shop/web went to a, predicted b, c, d, e, f and 2 more: b is",
        "miss: shop/web went to a, predicted no node: b is",
        "no miss after all: shop/web went to a",
        "miss: HPA shop/web from 2 to 5, predicted 4: 4 by its metrics",
        "miss: node n of pool ? came: so",
        _status(60.0, []).text(),
        _status(70.0, ["pods: x"]).text(),
        _status(71.0, []).text(),
    ]
    with shadow_view.ShadowObserver(shows_all=False) as observer:
        observer.on_report({**placement, "predicted": [], "predictedCount": 0})
    assert capsys.readouterr().err == ""


def _status(elapsed_s: float, problems: list[str]) -> ShadowStatus:
    return ShadowStatus(
        elapsed_s=elapsed_s, nodes=3, objects=9, pending=1, behind_s=2.0, problems=problems,
        placements=PlacementCounts(predicted=8, best=6, possible=7, feasible=8),
        steps=StepCounts(steps=2, exact=1), arrivals=ArrivalCounts(arrivals=1, expected=1),
    )  # fmt: skip


def test_the_line_has_the_rates() -> None:
    assert _status(1.0, ["pods: x"]).text() == (
        "8 placements: 87.5% among the best nodes, 100.0% among those that fit; "
        "2 HPA steps, 1 exact; 1 new node, 1 expected; 1 pending on 3 nodes; "
        "interrupted for 2 s: pods: x"
    )
