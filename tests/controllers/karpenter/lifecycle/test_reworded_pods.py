"""What is passed over of waiting pods changes nothing: otherwise a run has the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.scheduler import status_patches
from kubestage.testing import make_pod, make_pod_disruption_budget
from tests.controllers.karpenter.lifecycle.stages import make_web, run, scale, staged

if TYPE_CHECKING:
    import pytest

    from kubestage.store.log import Change


def _live() -> tuple[bytes, list[Change]]:
    """Nodes come one by one, and pods that fit nowhere are tried again each time.

    Nothing controls two of them, which their budget complains of at every change.
    """
    changes: list[Change] = []
    stage, written = staged(), list[bytes]()

    def _note(change: Change) -> None:
        changes.append(change)
        written.append(f"{change.revision} {change.type} {change.key}".encode())
        written.append(msgspec.json.encode(change.new))

    stage.store.subscribe(_note)
    stage.apply(make_web(3, cpu="500", name="huge"))
    stage.apply(make_pod_disruption_budget("huge", max_unavailable=1))
    for name in ("bare", "other"):
        stage.apply(make_pod(name, cpu="500", labels={"app": "bare"}))
    for name in ("bare", "twice"):
        budget = make_pod_disruption_budget(name, max_unavailable=1)
        budget["spec"]["selector"] = {"matchLabels": {"app": "bare"}}
        stage.apply(budget)
    stage.apply(make_web(1, cpu="3"))
    for replicas in (2, 4, 7, 3):
        run(stage, 150)
        scale(stage, replicas)
    run(stage, 900)
    return b"\n".join(written), changes


def test_runs_are_the_same_if_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    written, changes = _live()
    reworded = {each.key.partition("/")[2] for each in changes if each.is_reworded}
    assert {"bare", "other"} < reworded
    monkeypatch.setattr(status_patches, "reword", lambda *_: False)
    in_steps, changes = _live()
    assert in_steps == written
    assert {each.key.partition("/")[2] for each in changes if each.is_reworded} == reworded
    monkeypatch.setattr(status_patches, "_is_reworded", lambda *_: False)
    in_full, changes = _live()
    assert not any(each.is_reworded for each in changes)
    assert in_full == written
