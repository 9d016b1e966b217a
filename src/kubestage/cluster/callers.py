"""Who makes a call, as API Priority and Fairness distinguishes calls."""

from __future__ import annotations

from typing import Final, NamedTuple

from kubestage.cluster.priority_levels import WORKLOAD_HIGH, WORKLOAD_LOW

_SYSTEM: Final = "kube-system"


class Caller(NamedTuple):
    """A priority level, and one of its flows."""

    level: str
    flow: str


CLIENTS: Final = Caller("", "")
"""The clients of a load: their level is that of the profile."""


def of_account(namespace: str, name: str) -> Caller:
    """Who calls with the token of a service account."""
    level = WORKLOAD_HIGH if namespace == _SYSTEM else WORKLOAD_LOW
    return Caller(level, f"{namespace}/{name}")
