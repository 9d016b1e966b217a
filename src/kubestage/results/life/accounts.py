"""Accounts of money: what is paid for, who pays, and sums that grow with time."""

from __future__ import annotations

from typing import NamedTuple

from kubestage.units import HOUR_NS


class Payer(NamedTuple):
    """Whose share of a node's price it is."""

    pool: str
    namespace: str
    workload: str
    is_daemon: bool


class Purchase(NamedTuple):
    """As what a node is paid for."""

    pool: str
    instance_type: str
    capacity_type: str


class Account:
    """An amount that grows at a rate per hour, which changes now and then."""

    __slots__ = ("_since_ns", "per_hour", "total")

    def __init__(self, now_ns: int) -> None:
        self.per_hour = 0.0
        self.total = 0.0
        self._since_ns = now_ns

    def add(self, per_hour: float, now_ns: int) -> None:
        """The rate is higher or lower from now on."""
        self.reach(now_ns)
        self.per_hour += per_hour

    def reach(self, now_ns: int) -> None:
        """Count until now."""
        self.total += self.per_hour * (now_ns - self._since_ns) / HOUR_NS
        self._since_ns = now_ns


class Bill(NamedTuple):
    """What a machine costs per hour; `decided` is the price that Karpenter decides with."""

    purchase: Purchase
    price: float | None
    decided: float | None
