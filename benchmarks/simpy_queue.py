"""A queue with several servers in SimPy, which ours is measured against."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import simpy

if TYPE_CHECKING:
    from collections.abc import Iterator


def mean_wait(customers: int, servers: int, arrivals_per_s: float, services_per_s: float) -> float:
    environment = simpy.Environment()
    desks = simpy.Resource(environment, servers)
    arrivals, services = random.Random(1), random.Random(2)
    waited = 0.0

    def customer() -> Iterator[simpy.Event]:
        nonlocal waited
        arrived_at = environment.now
        with desks.request() as turn:
            yield turn
            waited += environment.now - arrived_at
            yield environment.timeout(services.expovariate(services_per_s))

    def source() -> Iterator[simpy.Event]:
        for _ in range(customers):
            yield environment.timeout(arrivals.expovariate(arrivals_per_s))
            environment.process(customer())  # type: ignore[arg-type]  # yields events

    environment.process(source())  # type: ignore[arg-type]  # as above
    environment.run()
    return waited / customers
