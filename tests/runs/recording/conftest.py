"""A served cluster that the tests of this folder share, and a proxy in front of it for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.remote.fault_proxy import FaultProxy
from tests.runs.recording.recorded_cluster import ServedCluster
from tests.server.served import Served, nodes

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    # Usage is measured every 15 s otherwise.
    quick = ("--setting", "metrics.resolution=1s", "--setting", "metrics.delay=100ms")
    with Served("--pace", "realtime", *quick, objects=nodes(3)) as running:
        yield running


@pytest.fixture
def cluster(served: Served) -> ServedCluster:
    return ServedCluster(served.address)


@pytest.fixture
def proxy(served: Served, tmp_path: pathlib.Path) -> Iterator[FaultProxy]:
    with FaultProxy(served.kubeconfig, tmp_path) as running:
        yield running
