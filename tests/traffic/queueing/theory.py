"""What theory says of queues, for services of one unit of time on average."""

from __future__ import annotations

import math


def erlang_b(load: float, servers: int) -> float:
    """The share of calls that are lost where nobody waits."""
    blocked = 1.0
    for busy in range(1, servers + 1):
        blocked = load * blocked / (busy + load * blocked)
    return blocked


def erlang_c(load: float, servers: int) -> float:
    """The share of customers who have to wait for one of several servers."""
    blocked, busy = erlang_b(load, servers), load / servers
    return blocked / (1 - busy * (1 - blocked))


def wait(load: float, servers: int = 1) -> float:
    """The mean wait for one of several servers, exponential services (M/M/c)."""
    return erlang_c(load, servers) / (servers - load)


def wait_percentile(load: float, servers: int, percent: float) -> float:
    """The wait that so many percent do not exceed (M/M/c), if more than the others wait."""
    return math.log(erlang_c(load, servers) / (1 - percent / 100)) / (servers - load)


def sojourn_percentile(load: float, percent: float) -> float:
    """The time in an M/M/1 that so many percent do not exceed: it is exponential."""
    return -math.log1p(-percent / 100) / (1 - load)


def wait_by_variation(load: float, variation: float) -> float:
    """The mean wait in an M/G/1, by the squared coefficient of variation of services."""
    return load * (1 + variation) / (2 * (1 - load))


def wait_in_turn(load: float, replicas: int) -> float:
    """The mean wait where a Poisson stream is dealt to M/1 queues in turn (En/M/1).

    The root of sigma = A(1 - sigma) below one says it, A being the transform of the time between
    the arrivals of one queue.
    """
    rate, sigma = load * replicas, 0.0
    for _ in range(10_000):
        sigma = (rate / (rate + 1 - sigma)) ** replicas
    return sigma / (1 - sigma)


def blocked(load: float, places: int) -> float:
    """The share turned away by one server with so many places, its own among them (M/M/1/K)."""
    return (1 - load) * load**places / (1 - load ** (places + 1))


def geometric(load: float, count: int) -> float:
    """How often so many are in an M/M/1, or in an M/G/1 that shares its processor."""
    return (1 - load) * load**count


def poisson(load: float, count: int) -> float:
    """How often so many are where nobody ever waits (M/G/infinity)."""
    return math.exp(-load) * load**count / math.factorial(count)
