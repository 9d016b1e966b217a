"""Amounts of resources as people write them: steps of round numbers, and their text."""

from __future__ import annotations

from typing import Final

from kubestage.objects import pod_resources, quantity

_KI: Final = 1 << 10
_MI: Final = 1 << 20
_GI: Final = 1 << 30
# From this amount on, amounts are multiples of that one. CPU is in thousandths.
_CPU_STEPS: Final = ((100_000, 1000), (1000, 100), (100, 10), (0, 1))
_BYTE_STEPS: Final = (
    (1024 * _GI, 64 * _GI), (16 * _GI, 512 * _MI), (_GI, 128 * _MI), (128 * _MI, 16 * _MI),
    (_MI, _MI), (0, _KI),
)  # fmt: skip
_BYTES: Final = (pod_resources.MEMORY, pod_resources.EPHEMERAL_STORAGE)


def is_bytes(resource: str) -> bool:
    """Whether a resource is counted in bytes."""
    return resource in _BYTES or resource.startswith(pod_resources.HUGE_PAGES_PREFIX)


def step_at(resource: str, amount: int) -> int:
    """How far the next round amount above this one is away."""
    if resource == pod_resources.CPU:
        steps: tuple[tuple[int, int], ...] = _CPU_STEPS
    elif resource.startswith(pod_resources.HUGE_PAGES_PREFIX):
        return quantity.value_of(resource.removeprefix(pod_resources.HUGE_PAGES_PREFIX))
    elif resource in _BYTES:
        steps = _BYTE_STEPS
    else:
        # Of devices every one counts; what comes by the thousand is rounded to two digits.
        return 1 if amount < 1000 else int(10 ** (len(str(amount)) - 2))
    return next(step for least, step in steps if amount >= least)


def round_down(resource: str, amount: int) -> int:
    """The largest round amount that is not above this one."""
    return amount - amount % step_at(resource, amount)


def round_amounts(resource: str, below: int) -> list[int]:
    """All round amounts above zero and below this one, from the smallest to the largest."""
    found = []
    amount = step_at(resource, 0)
    while amount < below:
        found.append(amount)
        amount += step_at(resource, amount)
    return found


def text(resource: str, amount: int) -> str:
    """An amount as a manifest has it: ``9300m``, ``1536Mi``, ``2``."""
    if resource == pod_resources.CPU:
        whole, rest = divmod(amount, 1000)
        return str(whole) if not rest else f"{amount}m"
    if not is_bytes(resource):
        return str(amount)
    for unit, name in ((_GI, "Gi"), (_MI, "Mi"), (_KI, "Ki")):
        if amount and amount % unit == 0:
            return f"{amount // unit}{name}"
    return str(amount)


def spoken(resource: str, amount: int) -> str:
    """An amount as a sentence has it: ``9.3 cpu``, ``1.5Gi memory``."""
    return f"{bare(resource, amount)} {resource}"


def bare(resource: str, amount: int) -> str:
    """The same without the name of the resource."""
    if resource == pod_resources.CPU:
        return f"{amount / 1000:g}"
    if not is_bytes(resource):
        return f"{amount:,}"
    for unit, name in ((_GI, "Gi"), (_MI, "Mi"), (_KI, "Ki")):
        if abs(amount) >= unit:
            # Rounded down, so that no more is promised than there is.
            return f"{amount * 10 // unit / 10:g}{name}"
    return str(amount)
