"""An M/M/c queue from plain stocks: customers arrive, wait, are served, and leave.

The logic is in the stocks' ``add`` and ``remove``: when a customer enters the queue or frees
a server, the next customer is called; when one reaches a server, the end of the service is
scheduled. (They call ``ArrayStock.add(self, ...)`` instead of ``super()``, which is slow in
Python 3.11, because a benchmark of the engine uses this model.)
"""

from __future__ import annotations

import math

from kubestage.sim import (
    ArrayStock,
    Arrivals,
    CountsOnly,
    Delay,
    Entity,
    Environment,
    Exponential,
    MapStock,
    Model,
    Movement,
    SinkStock,
    Streams,
)

SECOND_NS = 1_000_000_000


class Customer(Entity):
    __slots__ = ("arrived_at",)

    arrived_at: int


class Waiting(ArrayStock[Customer]):
    """The queue in front of the servers."""

    def __init__(self, queue: Queue) -> None:
        super().__init__("Waiting", "Customer")
        self.queue = queue

    def add(self, entity: Customer) -> None:
        ArrayStock.add(self, entity)
        queue = self.queue
        entity.arrived_at = queue.environment.clock.now_ns
        queue.call_next()


class Serving(MapStock[Customer]):
    """The customers at the servers: each leaves when its own service ends."""

    def __init__(self, queue: Queue, service: Delay) -> None:
        super().__init__("Serving", "Customer")
        self.queue = queue
        self.service = service

    def add(self, entity: Customer) -> None:
        MapStock.add(self, entity)
        queue = self.queue
        environment = queue.environment
        now = environment.clock.now_ns
        queue.idle_servers -= 1
        queue.started += 1
        queue.waited_ns += now - entity.arrived_at
        environment.add_to_schedule(
            Movement("finish_service", now + self.service.draw_ns(), self, queue.served, entity)
        )
        queue.call_next()

    def remove(self, what: Entity | None = None) -> Customer | None:
        customer = MapStock.remove(self, what)
        if customer is not None:
            self.queue.idle_servers += 1
            self.queue.call_next()
        return customer


class Queue(Model):
    """One queue, first come first served, and some servers."""

    def __init__(
        self,
        environment: Environment,
        streams: Streams,
        *,
        servers: int,
        arrivals_per_s: float,
        services_per_s: float,
        customers: int | None = None,
    ) -> None:
        super().__init__(environment, "queue")
        interval = Exponential(streams.stream("arrivals"), SECOND_NS / arrivals_per_s)
        service = Exponential(streams.stream("service"), SECOND_NS / services_per_s)
        self.idle_servers = servers
        self.started = 0
        self.waited_ns = 0
        self.served: SinkStock[Customer] = SinkStock("Served", "Customer", keeps_entities=False)
        self.serving = Serving(self, service)
        self.waiting = Waiting(self)
        self.begin_service = Movement("begin_service", 0, self.waiting, self.serving)
        self.arrivals = Arrivals(
            environment, "Arrivals", "Customer", Customer, self.waiting, interval, limit=customers
        )
        for stock in (self.arrivals, self.waiting, self.serving, self.served):
            self.own(stock)

    def call_next(self) -> None:
        """If a server is idle and a customer waits, move the first customer there, now."""
        if self.idle_servers and self.waiting.count and not self.begin_service.ticket:
            environment = self.environment
            environment.add_to_schedule(self.begin_service, environment.clock.now_ns)


def mean_wait(servers: int, arrivals_per_s: float, services_per_s: float) -> float:
    """The mean wait according to theory (Erlang C), in seconds."""
    load = arrivals_per_s / services_per_s
    terms = [load**k / math.factorial(k) for k in range(servers)]
    all_busy = load**servers / math.factorial(servers) * servers / (servers - load)
    return all_busy / (sum(terms) + all_busy) / (servers * services_per_s - arrivals_per_s)


def build(environment: Environment, streams: Streams) -> Queue:
    """The model that ``kubestage simulate main.py`` runs."""
    return Queue(environment, streams, servers=5, arrivals_per_s=4, services_per_s=1)


def main() -> None:
    environment = Environment(halt_time=4 * 3600 * SECOND_NS, recorder=CountsOnly())
    queue = build(environment, Streams(seed=7))
    environment.run()
    for stock in queue.stocks.values():
        print(f"{stock.name:<9}{stock.count:>6}")
    print(f"movements completed {environment.completed_count}, ignored {environment.ignored_count}")
    print(f"mean wait {queue.waited_ns / queue.started / SECOND_NS:.3f} s", end=", ")
    print(f"in theory {mean_wait(5, 4, 1):.3f} s")


if __name__ == "__main__":
    main()
