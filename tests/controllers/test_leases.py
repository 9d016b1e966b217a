from __future__ import annotations

from typing import Any

import pytest

from kubestage.controllers import leases
from kubestage.objects import timestamps
from kubestage.units import SECOND_NS

_START = timestamps.parse_time("2026-01-01T00:00:00Z")


def _lease(every: str | None) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": "n1"}
    if every is not None:
        metadata["annotations"] = {leases.RENEWED_EVERY: every}
    return {"metadata": metadata, "spec": {"renewTime": "2026-01-01T00:00:00.000000Z"}}


@pytest.mark.parametrize(
    ("every", "now", "renewed"),
    [("10s", 0, 0), ("10s", 9, 0), ("10s", 10, 10), ("8s", 31, 24), ("10s", -5, 0), (None, 31, 0)],
)
def test_a_lease_that_renews_itself_does_so_at_its_interval(
    every: str | None, now: int, renewed: int
) -> None:
    lease = _lease(every)
    found = leases.renewed_at_ns(lease, _START + now * SECOND_NS)
    assert found == _START + renewed * SECOND_NS
    assert leases.renews_itself(lease) == (every is not None)


def test_a_lease_without_a_time_was_never_renewed() -> None:
    assert leases.renewed_at_ns({"metadata": {"name": "n1"}}, _START) is None
