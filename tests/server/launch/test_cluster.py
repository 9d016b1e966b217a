"""What a served cluster begins with."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from kubestage.runs.observer import Observer
from kubestage.server.launch import cluster
from kubestage.server.launch.options import ServeOptions
from kubestage.store.bootstrap import Bootstrap
from kubestage.testing import make_pod

if TYPE_CHECKING:
    import pathlib

    from kubestage.server.launch.cluster import ServedCluster

SERVER = Bootstrap(address="127.0.0.1", port=6443, certificate="PEM")


def build(options: ServeOptions) -> ServedCluster:
    observer = Observer()
    inputs = cluster.read(options, observer)
    served = cluster.open_stage(options, inputs)
    cluster.fill(served, options, inputs, SERVER, observer)
    return served


@pytest.mark.parametrize("start", [None, "1960-01-01T00:00:00Z"])
def test_a_clock_before_1970_makes_no_negative_versions_nor_names(
    start: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: -(10**18))
    options = ServeOptions(in_memory=True, nodes=1, start=start)
    stage = build(options).stage
    stage.store.create(make_pod("web"))
    stage.run("1m")
    assert stage.store.revision > 0
    for collection in stage.store.collections():
        for obj in collection.objects.values():
            assert int(obj["metadata"]["resourceVersion"]) > 0
            assert ".-" not in obj["metadata"]["name"]
    assert stage.store.read(("v1", "Event"))


PRICE_CATALOG = ("kubestage.dev/v1alpha1", "PriceCatalog")


def test_prices_are_there_from_the_start_and_after_a_restart(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "mine.csv"
    options = ServeOptions(data_dir=str(tmp_path / "data"), prices=str(file))
    revisions = []
    for price in ("0.1", "0.1", "0.3"):
        # One type that no node has yet.
        file.write_text(f"instance_type,price\nm5.large,{price}\n")
        served = build(options)
        (catalog,) = served.stage.store.read(PRICE_CATALOG).values()
        assert catalog["metadata"]["name"] == "mine"
        assert catalog["spec"]["prices"] == [{"instanceType": "m5.large", "price": float(price)}]
        revisions.append(catalog["metadata"]["resourceVersion"])
        assert served.journal is not None
        served.journal.close()
    # The same prices change nothing.
    assert revisions[0] == revisions[1] != revisions[2]
