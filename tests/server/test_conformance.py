"""Every recorded request gets the recorded answer, or there is a reason why not."""

from __future__ import annotations

import asyncio
import pathlib

from tests.golden import conformance, conformance_known
from tests.server.served import Served

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "conformance.md"


def test_answers_are_those_of_the_real_server() -> None:
    results = asyncio.run(conformance.replay(conformance.sequences()))
    different = [result for result in results if result.differences]
    unexplained = [
        f"{result.where}: {result.differences[0]}"
        for result in different
        if not conformance_known.reason(result)
    ]
    assert unexplained == []
    assert len(different) <= 0.03 * len(results)
    answered = [result for result in results if result.recorded.get("status") != 500]
    unlike = [result for result in answered if result.differences]
    assert len(unlike) <= 0.01 * len(answered), "but for the real server's own mistakes"


OVER_THE_NETWORK = (
    "configmaps-errors",
    "pods-",
    "content-negotiation",
    "json-strictness",
    "crd-crud",
    "events-two-views",
)


def test_over_the_network_answers_are_the_same() -> None:
    chosen = [
        each
        for each in conformance.sequences()
        if each["name"].startswith(OVER_THE_NETWORK) and not each.get("exclusive")
    ]
    assert len(chosen) > 10
    with Served(*conformance.OPTIONS) as served:
        results = asyncio.run(conformance.replay_at(served.address, chosen))
    unexplained = [
        f"{result.where}: {result.differences[0]}"
        for result in results
        if result.differences and not conformance_known.reason(result)
    ]
    assert unexplained == []


def test_users_are_told_where_answers_differ() -> None:
    page = PAGE.read_text()
    for reason in conformance_known.REASONS.values():
        assert reason in page
