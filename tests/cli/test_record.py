"""``kubestage record``: help, the role, errors; tests/runs/recording has recordings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from kubestage.cli import record_view
from kubestage.runs.recording.result import RecordStatus
from kubestage.sources import canonical_kinds

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal


def _status(**values: object) -> RecordStatus:
    known = {"elapsed_s": 0.0, "changes": 7, "samples": 0, "objects": 3, "kinds": 2,
             "size_bytes": 2**20, "behind_s": 0.0, "problems": []}  # fmt: skip
    return RecordStatus(**{**known, **values})  # type: ignore[arg-type]


def test_the_role_may_list_and_watch(terminal: Terminal) -> None:
    done = terminal.run("record", "--print-rbac")
    assert done.code == 0
    rules = yaml.safe_load(done.out)["rules"]
    usage = rules.pop()
    assert usage["apiGroups"] == ["metrics.k8s.io"]
    assert {verb for rule in rules for verb in rule["verbs"]} == {"list", "watch"}
    named = {(rule["apiGroups"][0], each) for rule in rules for each in rule["resources"]}
    listed = canonical_kinds.listed(secrets=False, config=False)
    assert named == {(each.group, each.plural) for each in listed}
    assert "secrets" not in done.out
    assert "secrets" in terminal.run("record", "--print-rbac", "--with-secrets").out
    assert "metrics" not in terminal.run("record", "--print-rbac", "--no-usage").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no folder is named"),
        (["--out", "rec", "--kubeconfig", "missing"], "missing"),
        (["--out", "rec", "--for", "soon"], "invalid duration"),
    ],
)
def test_errors_name_what_is_wrong(terminal: Terminal, words: list[str], said: str) -> None:
    done = terminal.run("record", *words)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_log_has_a_line_a_minute_and_one_when_something_breaks(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with record_view.RecordObserver() as observer:
        for second in range(1, 125):
            is_broken = 70 <= second < 80
            problems = ["pods: connection refused"] if is_broken else []
            observer.on_recording(
                _status(elapsed_s=float(second), problems=problems, behind_s=second - 70.0)
            )
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert lines[0] == "7 changes, 1.0 MiB, 3 objects of 2 kinds"
    assert lines[1].endswith("interrupted for 0 s: pods: connection refused")
    assert "interrupted" not in lines[2]
