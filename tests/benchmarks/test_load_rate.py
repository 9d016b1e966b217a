"""The rate that a load is said to achieve is the rate of its calls."""

from __future__ import annotations

import importlib
import pathlib
from typing import Any

import pytest

from kubestage.remote import kubeconfig
from kubestage.remote.cluster import RemoteCluster
from kubestage.units import SECOND_NS
from tests.server.served import Served

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The benchmark, whose folder is no package."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("load")


def test_a_rate_is_that_of_the_gaps_between_calls(program: Any) -> None:
    even = program.rate(
        [5 * SECOND_NS + number * SECOND_NS // 50 for number in range(101)], 50, 0.101
    )
    assert even["achieved"] == pytest.approx(50)
    assert even["late_p99_ms"] == pytest.approx(0)
    assert even["cpu_us_per_call"] == pytest.approx(1000)

    late = program.rate([2 * SECOND_NS, 0, 4 * SECOND_NS], 1, 1)
    assert late["achieved"] == pytest.approx(0.5)
    assert late["late_p99_ms"] == pytest.approx(2000)


def test_both_kinds_of_client_make_all_calls(program: Any) -> None:
    with (
        Served("--api-only") as served,
        RemoteCluster(kubeconfig.load(str(served.kubeconfig))) as cluster,
    ):
        paced = program.paced(cluster, 100, 20, "paced")
        slept = program.slept(cluster, 100, 20, "slept")
    assert (paced["calls"], paced["target"]) == (20, 100)
    assert slept["calls"] == 20
    # A client that sleeps is never faster than asked.
    assert slept["achieved"] <= 100
