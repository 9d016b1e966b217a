"""Figures that are read off a run."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.traffic.queueing.trial import Seen


def level(seen: Seen) -> float:
    """How many there are."""
    return seen.level


def waiting(seen: Seen) -> float:
    """How many wait."""
    return seen.waiting


def utilisation(seen: Seen) -> float:
    """How busy cores are."""
    return seen.utilisation


def sojourn(seen: Seen) -> float:
    """How long those who are served are there."""
    return float(seen.sojourn[seen.is_served].mean())


def wait(seen: Seen) -> float:
    """How long those who are served wait."""
    return float(seen.wait[seen.is_served].mean())


def share_waiting(seen: Seen) -> float:
    """How many of all have to wait."""
    return float((seen.wait > 0).mean())


def share_lost(seen: Seen) -> float:
    """How many of all are turned away."""
    return float((~seen.is_served).mean())


def found_mean(seen: Seen) -> float:
    """How many those who come find there."""
    return float(seen.found.mean())


def found_variance(seen: Seen) -> float:
    """How much that varies."""
    return float(seen.found.var())


def sojourn_percentile(percent: float) -> Callable[[Seen], float]:
    """The time that so many percent are not there longer than."""
    return functools.partial(_percentile_of_sojourn, percent=percent)


def wait_percentile(percent: float) -> Callable[[Seen], float]:
    """The time that so many percent do not wait longer than."""
    return functools.partial(_percentile_of_wait, percent=percent)


def share_finding(count: int) -> Callable[[Seen], float]:
    """How many of those who come find so many there."""
    return functools.partial(_share_finding, count=count)


def stretch(least: float, most: float) -> Callable[[Seen], float]:
    """How many times their service those are there whose service is between the two."""
    return functools.partial(_stretch, least=least, most=most)


def _percentile_of_sojourn(seen: Seen, percent: float) -> float:
    return float(np.percentile(seen.sojourn, percent))


def _percentile_of_wait(seen: Seen, percent: float) -> float:
    return float(np.percentile(seen.wait, percent))


def _share_finding(seen: Seen, count: int) -> float:
    return float((seen.found == count).mean())


def _stretch(seen: Seen, least: float, most: float) -> float:
    chosen = (seen.service >= least) & (seen.service < most)
    return float(seen.sojourn[chosen].sum() / seen.service[chosen].sum())
