"""What a served cluster begins with."""

from __future__ import annotations

import time

import pytest

from kubestage.runs.observer import Observer
from kubestage.server.launch import cluster
from kubestage.server.launch.options import ServeOptions
from kubestage.testing import make_pod


@pytest.mark.parametrize("start", [None, "1960-01-01T00:00:00Z"])
def test_a_clock_before_1970_makes_no_negative_versions_nor_names(
    start: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: -(10**18))
    options = ServeOptions(in_memory=True, nodes=1, start=start)
    observer = Observer()
    stage = cluster.build(options, cluster.read(options, observer), observer).stage
    stage.store.create(make_pod("web"))
    stage.run("1m")
    assert stage.store.revision > 0
    for collection in stage.store.collections():
        for obj in collection.objects.values():
            assert int(obj["metadata"]["resourceVersion"]) > 0
            assert ".-" not in obj["metadata"]["name"]
    assert stage.store.read(("v1", "Event"))
