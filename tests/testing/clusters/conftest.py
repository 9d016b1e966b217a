"""Clusters without pytest's fixtures for them: those have tests of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.testing import ClusterFactory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.testing import Cluster, ClusterServer


@pytest.fixture(scope="module")
def factory() -> Iterator[ClusterFactory]:
    made = ClusterFactory()
    yield made
    made.close()


@pytest.fixture
def cluster(factory: ClusterFactory) -> Cluster:
    return factory(nodes=3)


@pytest.fixture
def server(factory: ClusterFactory) -> Iterator[ClusterServer]:
    with factory.server(nodes=3) as made:
        yield made
