"""Who works through the requests of a stream: in bulk, or movement by movement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.traffic.fast.engine import FastRequests
from kubestage.traffic.movements import MovementRequests

if TYPE_CHECKING:
    from kubestage.sim.environment import Environment
    from kubestage.traffic.requests import Feed, Requests, Service


def make(
    environment: Environment, name: str, service: Service, feed: Feed, *, traces: bool
) -> Requests:
    """One for the requests of a feed; with `traces` each movement is one of the environment."""
    if traces:
        return MovementRequests(environment, name, service, feed)
    return FastRequests(service, feed, environment.clock.now_ns)
