"""Requests that failed while a rehearsal went on, where there is Traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.results.life import requests

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.stage import Stage


class TrafficLoss(msgspec.Struct, frozen=True, rename="camel"):
    """How the requests of one Traffic fared."""

    traffic: str
    requests: int
    failed: int


def counts(stage: Stage) -> dict[str, tuple[int, int]]:
    """How many requests there were until now, and how many of them failed, by Traffic."""
    if stage.traffic is None:
        return {}
    found = {}
    for key, record in stage.traffic.records().items():
        short = requests.in_short(key, record)
        found[key] = (short["requests"], short["failed"])
    return found


def since(stage: Stage, before: Mapping[str, tuple[int, int]]) -> list[TrafficLoss]:
    """The same of the time since an earlier count."""
    found = []
    for key, (number, failed) in sorted(counts(stage).items()):
        earlier = before.get(key, (0, 0))
        found.append(TrafficLoss(key, number - earlier[0], failed - earlier[1]))
    return found
