"""What is counted: thousandths of a core and bytes, as whole numbers; and how these are written."""

from __future__ import annotations

import math
from typing import Final

import msgspec

from kubestage.objects import quantity

Resources = dict[str, int]
"""Amounts by resource: millicores of ``cpu``, bytes of ``memory``."""

ResourceList = dict[str, str]
"""Amounts by resource, as the API writes them."""

CPU: Final = "cpu"
MEMORY: Final = "memory"
BOTH: Final = (CPU, MEMORY)

MAX_AMOUNT: Final = 10**14
_NOT_A_NUMBER: Final = -(2**63)
_UNITS: Final = (("Ti", 1 << 40), ("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10))


def from_float(amount: float) -> int:
    """A whole amount: what lies behind the point is dropped."""
    if math.isnan(amount):
        # What Go makes of it on amd64; floors above zero hide it.
        return _NOT_A_NUMBER
    if amount > MAX_AMOUNT:
        return MAX_AMOUNT
    return int(max(amount, 0.0))


def scale(amount: int, factor: float) -> int:
    """An amount times a factor."""
    return from_float(amount * factor)


class Format(msgspec.Struct, frozen=True):
    """How recommendations are written: rounded up to multiples, or in large units."""

    humanize_memory: bool = False
    round_cpu_millicores: int = 1
    round_memory_bytes: int = 1

    def write(self, resources: Resources) -> ResourceList:
        """Amounts as texts."""
        return {
            name: self._cpu(amount) if name == CPU else self._memory(amount)
            for name, amount in resources.items()
        }

    def _cpu(self, amount: int) -> str:
        return str(quantity.from_milli(_round_up(amount, self.round_cpu_millicores)))

    def _memory(self, amount: int) -> str:
        rounded = _round_up(amount, self.round_memory_bytes)
        if self.humanize_memory and rounded:
            return quantity.parse(humanized(rounded)).canonical
        return str(quantity.from_int(rounded, quantity.BINARY_SI))


def humanized(bytes_: int) -> str:
    """Bytes with two digits of the largest unit that fits."""
    for unit, size in _UNITS:
        if bytes_ >= size:
            return f"{bytes_ / size:.2f}{unit}"
    return str(bytes_)


def _round_up(amount: int, multiple: int) -> int:
    if multiple <= 1 or not amount:
        return amount
    return math.ceil(amount / multiple) * multiple


def from_quantities(resources: ResourceList) -> Resources:
    """Requests as whole amounts: missing ones are zero."""
    return {
        CPU: quantity.milli_value_of(resources.get(CPU)),
        MEMORY: quantity.value_of(resources.get(MEMORY)),
    }
