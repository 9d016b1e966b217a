"""Amounts of resources in the words of people: cores, GiB, pieces."""

from __future__ import annotations

from typing import Final

from kubestage.objects.pod_resources import CPU, EPHEMERAL_STORAGE, HUGE_PAGES_PREFIX, MEMORY

_BINARY: Final = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_STEP: Final = 1024
_MILLI: Final = 1000


def unit(resource: str) -> str:
    """How a resource is counted: ``cpu`` in thousandths, ``bytes``, or ``count``."""
    if resource == CPU:
        return "cpu"
    is_bytes = resource in (MEMORY, EPHEMERAL_STORAGE) or resource.startswith(HUGE_PAGES_PREFIX)
    return "bytes" if is_bytes else "count"


def title(resource: str) -> str:
    """The name of a resource at the head of a column."""
    return {"cpu": "CPU", "memory": "Memory", "pods": "Pods"}.get(resource, resource)


def share(part: int, whole: int, resource: str) -> str:
    """``3 of 8 cores``, ``1.5 of 64 GiB``, both in one unit."""
    kind = unit(resource)
    if kind == "count":
        return f"{part:,} of {whole:,}"
    if kind == "cpu":
        return f"{_short(part / _MILLI)} of {_short(whole / _MILLI)} cores"
    size, place = max(part, whole), 0
    while size >= _STEP and place < len(_BINARY) - 1:
        size, place = size // _STEP, place + 1
    scale = _STEP**place
    return f"{_short(part / scale)} of {_short(whole / scale)} {_BINARY[place]}"


def percent(rate: float | None) -> str:
    """``62.5%``, as charts and the command line have it.

    A trace of something is not nothing, and nearly all is not all.
    """
    if rate is None:
        return "–"
    rounded = _short(rate * 100)
    if rate > 0 and rounded == "0":
        return "< 0.1%"
    if rate < 1 and rounded == "100":
        return "> 99.9%"
    return f"{rounded}%"


def _short(number: float) -> str:
    return f"{number:,.1f}".removesuffix(".0")
