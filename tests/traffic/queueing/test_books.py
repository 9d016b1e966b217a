"""The books of a run: the utilisation law, and that a mistake in them is found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kubestage.traffic import record as columns
from kubestage.traffic.fast.engine import FastRequests
from kubestage.traffic.record import Record
from kubestage.traffic.requests import (
    FCFS,
    LEAST_REQUESTS,
    PROCESSOR_SHARING,
    RANDOM,
    ROUND_ROBIN,
    Service,
)
from tests.traffic.queueing import claims, measures, trial
from tests.traffic.queueing.claims import Claim, Row
from tests.traffic.queueing.supply import UNIT, Supply, System

if TYPE_CHECKING:
    from numpy.typing import NDArray

HALF = [Claim("utilisation", 0.5, 0.02, measures.utilisation)]


@pytest.mark.parametrize("routing", [ROUND_ROBIN, LEAST_REQUESTS, RANDOM])
@pytest.mark.parametrize("discipline", [PROCESSOR_SHARING, FCFS])
def test_two_cores_of_work_keep_four_replicas_half_busy(discipline: str, routing: str) -> None:
    """As 10 requests a second of 200 ms do: however they are served, and whoever gets them."""
    service = Service(discipline, routing=routing)  # type: ignore[arg-type]  # one of the known
    system = System(f"{discipline} {routing}", 2, service=service, replicas=4)
    (verdict,) = claims.judge(Row(system, 10_000, HALF))
    assert verdict.holds, str(verdict)


def test_what_is_turned_away_uses_nothing() -> None:
    system = System("M/M/1/5 λ=2", 2, service=Service(FCFS, max_requests=5))
    seen = trial.run(system, 5_000, 1)
    expected = 2 * seen.is_served.mean()
    assert seen.utilisation == pytest.approx(expected, rel=0.05)
    assert seen.utilisation < 1


def test_what_arrived_is_there_waits_or_is_served() -> None:
    seen = trial.run(System("M/M/1", 0.8), 5_000, 1)
    assert seen.level == pytest.approx(seen.waiting + seen.utilisation)
    assert np.abs(seen.sojourn - seen.wait - seen.service).max() < 2 / UNIT


class Dropping(Record):
    """Forgets the first end that it is told."""

    def add_ends(self, ends: NDArray[np.int64]) -> None:
        super().add_ends(ends[1:])


class Late(Record):
    """Has the first end later by a nanosecond."""

    def add_ends(self, ends: NDArray[np.int64]) -> None:
        late = ends.copy()
        late[:1, columns.ENDED_NS] += 1
        super().add_ends(late)


@pytest.mark.parametrize(
    ("record", "complaint"),
    [(Dropping, "a request got lost"), (Late, "Little's law does not hold")],
    ids=["lost", "late"],
)
@pytest.mark.parametrize("discipline", [PROCESSOR_SHARING, FCFS])
def test_a_mistake_in_the_books_is_found(
    discipline: str, record: type[Record], complaint: str
) -> None:
    service = Service(discipline)  # type: ignore[arg-type]  # one of the known
    supply = Supply(System("books", 0.8), 100 * UNIT, seed=1)
    requests = FastRequests(service, supply, record=record(), compiled=False)
    requests.add_replica("a", 1)
    requests.advance(50 * UNIT)
    with pytest.raises(AssertionError, match=complaint):
        requests.check()
