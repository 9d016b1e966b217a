"""How many pods a rolling update may have too many, and how many too few."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from kubestage.golang import integers

if TYPE_CHECKING:
    from kubestage.aliases import Json


def is_rolling(spec: Json) -> bool:
    """Whether a Deployment replaces its pods bit by bit."""
    return bool(spec["strategy"]["type"] == "RollingUpdate")


def max_surge(spec: Json) -> int:
    """How many pods there may be beyond the desired ones."""
    return _of(spec)[0] if is_rolling(spec) else 0


def max_unavailable(spec: Json) -> int:
    """How many of the desired pods may be unavailable."""
    replicas: int = spec["replicas"]
    if not is_rolling(spec) or not replicas:
        return 0
    return min(_of(spec)[1], replicas)


def scaled(amount: int | str, total: int, *, round_up: bool) -> int:
    """A number, or a percentage of a total."""
    if isinstance(amount, int):
        return amount
    hundredths = integers.parse(amount.removesuffix("%")) * total
    return -(-hundredths // 100) if round_up else hundredths // 100


def _of(spec: Json) -> tuple[int, int]:
    rolling = spec["strategy"].get("rollingUpdate") or {}
    surge, unavailable = rolling.get("maxSurge") or 0, rolling.get("maxUnavailable") or 0
    return _resolve(surge, unavailable, spec["replicas"])


@functools.lru_cache(maxsize=1024)
def _resolve(surge: int | str, unavailable: int | str, replicas: int) -> tuple[int, int]:
    above = scaled(surge, replicas, round_up=True)
    below = scaled(unavailable, replicas, round_up=False)
    # Rounding may leave no room to move: then one pod may be missing, for quota may forbid more.
    return above, below if above or below else 1
