"""The churn that recordings are measured with is recorded whole."""

from __future__ import annotations

import importlib
import pathlib
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.sources import continuing
from kubestage.sources.imported import reference_of

if TYPE_CHECKING:
    from kubestage.aliases import Json

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The benchmark, whose folder is no package."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("record")


def test_what_happened_is_what_is_recorded(program: Any, tmp_path: pathlib.Path) -> None:
    cluster = program.Cluster(10)
    found = program.measure(cluster, tmp_path, 1)
    assert found["samples of usage"].startswith("266,")
    log = continuing.load(tmp_path / "recording")
    assert log is not None
    recorded: dict[Any, Json] = {reference_of(each): each for each in log.states.objects()}
    assert len(recorded) == 10 + 200 + 3 + 10
    for each in (*cluster.nodes, *cluster.pods, *cluster.scalers, *cluster.deployments):
        assert recorded[reference_of(each)] == each
