from __future__ import annotations

from typing import Any

import pytest

from kubestage.controllers.deployment import fenceposts


def _spec(replicas: int, surge: int | str, unavailable: int | str) -> dict[str, Any]:
    rolling = {"maxSurge": surge, "maxUnavailable": unavailable}
    return {
        "replicas": replicas,
        "strategy": {"type": "RollingUpdate", "rollingUpdate": rolling},
    }


@pytest.mark.parametrize(
    ("replicas", "surge", "unavailable", "expected"),
    [
        (10, "25%", "25%", (3, 2)),
        (1, "25%", "25%", (1, 0)),
        (4, 0, "25%", (0, 1)),
        (3, "34%", "34%", (2, 1)),
        (5, 2, 0, (2, 0)),
        (2, 0, "1%", (0, 1)),
        (1, 0, "1%", (0, 1)),
        (3, 0, 7, (0, 3)),
        (0, 2, 2, (2, 0)),
    ],
)
def test_the_surge_is_rounded_up_and_what_may_be_missing_down(
    replicas: int, surge: int | str, unavailable: int | str, expected: tuple[int, int]
) -> None:
    spec = _spec(replicas, surge, unavailable)
    assert (fenceposts.max_surge(spec), fenceposts.max_unavailable(spec)) == expected


def test_recreation_knows_neither() -> None:
    spec = {"replicas": 5, "strategy": {"type": "Recreate"}}
    assert (fenceposts.max_surge(spec), fenceposts.max_unavailable(spec)) == (0, 0)
    assert not fenceposts.is_rolling(spec)
