"""A user's measures are measures of every run of a sweep."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING

import pytest

from kubestage.sweep import sweep
from kubestage.testing import make_deployment, make_node, make_pod
from tests.cli import clusters, loads

if TYPE_CHECKING:
    from kubestage.sweep import Table

OWN = """
from kubestage.scheduler.framework import measure

@measure("emptyNodes", at="step", better="more", unit="nodes")
def empty(moment):
    return int((moment.columns.pod_count == 0).sum())
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("own.py").write_text(OWN)


def _swept(command: str, **axes: str) -> Table:
    return sweep(f"{command} --measure own.py:empty", axes, seeds="1..2", jobs=1)


def test_of_manifests() -> None:
    clusters.write("all.json", make_node("a"), make_pod("web"))
    table = _swept("run all.json", nodes="2,4")
    assert [row.measures["emptyNodes"] for row in table.rows] == [2, 4, 2, 4]
    info = table.measures["emptyNodes.max"]
    assert (info.better, info.unit) == ("more", "nodes")


def test_of_living_runs() -> None:
    clusters.write("all.json", make_node("a"), make_deployment("web"))
    table = _swept("run all.json --for 1m", nodes="1,3")
    assert [row.measures["emptyNodes"] for row in table.rows] == [1, 3, 1, 3]


def test_of_loads() -> None:
    table = _swept(f"load {loads.write()} --nodes 2")
    assert {"emptyNodes", "emptyNodes.mean", "emptyNodes.max"} <= table.measures.keys()
    assert all(row.measures["emptyNodes.max"] == 2 for row in table.rows)
