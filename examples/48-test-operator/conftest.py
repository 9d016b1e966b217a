"""The operator at work on the cluster of a test."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING

import pytest
from kopf.testing import KopfRunner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.testing import ClusterServer

OPERATOR = pathlib.Path(__file__).with_name("webapp_operator.py")


@pytest.fixture
def operated(
    cluster_server: ClusterServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ClusterServer]:
    monkeypatch.setenv("KUBECONFIG", cluster_server.kubeconfig)
    with KopfRunner(["run", "--standalone", "--all-namespaces", str(OPERATOR)]) as runner:
        yield cluster_server
    assert runner.exit_code == 0
    assert runner.exception is None
