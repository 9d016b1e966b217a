"""Queues that work otherwise than their row in the table says, and the claim that tells.

Of the figures of a row others may hold: the mean time in an M/M/1 is the same whoever is next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.traffic.requests import (
    FCFS,
    LEAST_REQUESTS,
    PROCESSOR_SHARING,
    RANDOM,
    SKENARIO_CPU,
    Service,
)
from tests.traffic.queueing import claims, table

if TYPE_CHECKING:
    from tests.traffic.queueing.claims import Verdict

FEWER: Final = 3
"""So many times fewer requests than in the table: the intervals are wider, and yet they tell."""

_SHARING: Final = Service(PROCESSOR_SHARING)
_QUEUE: Final = Service(FCFS)
_SKENARIO: Final = {"service": Service(SKENARIO_CPU), "unit_ns": 1_000_000_000}
"""It counts in whole milliseconds, so services have to be longer."""


class Wrong(NamedTuple):
    """A row of the table, what of it should fail, and how the queue differs."""

    name: str
    claim: str
    changes: dict[str, Any]


WRONG: Final = {
    "a queue where a core is shared, by its mean": Wrong(
        "M/G/1-PS ρ=.8 fixed", "W", {"service": _QUEUE}
    ),
    "a queue where a core is shared, highly variable services": Wrong(
        "M/G/1-PS ρ=.8 hyperexponential", "W", {"service": _QUEUE}
    ),
    "a queue where a core is shared, by the time of short ones": Wrong(
        "M/G/1-PS ρ=.8 exponential", "W of x=0.3…0.7, over x", {"service": _QUEUE}
    ),
    "a queue where ten cores are shared": Wrong("M/G/10-PS λ=8 fixed", "W", {"service": _QUEUE}),
    "a core that is shared where there is a queue": Wrong(
        "M/M/1 λ=.8", "sojourn p99", {"service": _SHARING}
    ),
    "two workers of half the speed": Wrong(
        "M/M/1 λ=.8", "W", {"service": Service(FCFS, workers=2)}
    ),
    "services that do not vary": Wrong("M/M/1 λ=.8", "W", {"law": "fixed"}),
    "services that vary": Wrong("M/D/1 ρ=.5", "Wq", {"law": "exponential"}),
    "two queues where there is one": Wrong("M/M/2 λ=1.5", "W", {"cores": 1, "replicas": 2}),
    "ten queues where there is one, of which the shortest is taken": Wrong(
        "M/M/10 λ=9",
        "C",
        {"cores": 1, "replicas": 10, "service": Service(FCFS, routing=LEAST_REQUESTS)},
    ),
    "random routing instead of round robin to two": Wrong(
        "round robin to 2, ρ=.8", "Wq", {"service": Service(FCFS, routing=RANDOM)}
    ),
    "random routing instead of round robin to ten": Wrong(
        "round robin to 10, ρ=.8", "Wq", {"service": Service(FCFS, routing=RANDOM)}
    ),
    "the shortest queue instead of round robin to ten": Wrong(
        "round robin to 10, ρ=.8", "Wq", {"service": Service(FCFS, routing=LEAST_REQUESTS)}
    ),
    "a place to wait where there should be none": Wrong(
        "Erlang B a=8 c=10", "blocking", {"service": Service(FCFS, max_requests=11)}
    ),
    "one place more": Wrong("M/M/1/5 λ=.8", "blocking", {"service": Service(FCFS, max_requests=6)}),
    "limited cores where no request should wait": Wrong(
        "M/G/∞ λ=8 exponential", "mean N", {"is_io": False, "cores": 10}
    ),
    "Skenario's model where there is a queue": Wrong("M/M/1 λ=.8", "W", _SKENARIO),
    "Skenario's model where a core is shared": Wrong("M/G/1-PS ρ=.8 fixed", "W", _SKENARIO),
}


def judge(wrong: Wrong) -> Verdict:
    """What is claimed of a queue, tried on one that works otherwise."""
    row = table.ROWS[wrong.name]
    (verdict,) = claims.judge(
        row._replace(
            system=row.system._replace(**wrong.changes),
            customers=row.customers // FEWER,
            claims=[claim for claim in row.claims if claim.name == wrong.claim],
        )
    )
    return verdict
