"""The table: queues that theory knows exactly, and its figures."""

from __future__ import annotations

from typing import Final

from kubestage.traffic.requests import FCFS, PROCESSOR_SHARING, Service
from tests.traffic.queueing import measures, theory
from tests.traffic.queueing.claims import Claim, Row
from tests.traffic.queueing.supply import ERLANG, HYPEREXPONENTIAL, VARIATIONS, System

SHARING: Final = Service(PROCESSOR_SHARING)


def _single() -> Row:
    percentiles = [
        Claim(
            f"sojourn p{percent}",
            theory.sojourn_percentile(0.8, percent),
            within,
            measures.sojourn_percentile(percent),
        )
        for percent, within in ((50, 0.02), (95, 0.035), (99, 0.06))
    ]
    claims = [
        Claim("L", 4.0, 0.03, measures.level),
        Claim("Lq", 3.2, 0.035, measures.waiting),
        Claim("W", 5.0, 0.03, measures.sojourn),
        Claim("Wq", 4.0, 0.035, measures.wait),
        Claim("utilisation", 0.8, 0.005, measures.utilisation),
    ]
    return Row(System("M/M/1 λ=.8", 0.8), 120_000, claims + percentiles)


def _several(rate: float, servers: int, customers: int, within: float) -> Row:
    """One replica with as many cores as servers, and therefore as many workers."""
    chance, wait = theory.erlang_c(rate, servers), theory.wait(rate, servers)
    claims = [
        Claim("C", chance, within / 3, measures.share_waiting),
        Claim("Wq", wait, within, measures.wait),
        Claim("W", wait + 1, within / 2, measures.sojourn),
        Claim("L", rate * (wait + 1), within / 2, measures.level),
        Claim("utilisation", rate / servers, 0.007, measures.utilisation),
    ]
    if (rate, servers) == (8, 10):
        expected = theory.wait_percentile(rate, servers, 95)
        claims.append(Claim("wait p95", expected, within, measures.wait_percentile(95)))
    name = f"M/M/{servers} λ={f'{rate:g}'.lstrip('0')}"
    return Row(System(name, rate, cores=servers), customers, claims)


def _losing() -> list[Row]:
    lossy = System("Erlang B a=8 c=10", 8, service=Service(FCFS, max_requests=10), cores=10)
    small = System("M/M/1/5 λ=.8", 0.8, service=Service(FCFS, max_requests=5))
    rows = [(lossy, theory.erlang_b(8, 10)), (small, theory.blocked(0.8, 5))]
    return [
        Row(system, 40_000, [Claim("blocking", lost, 0.035, measures.share_lost)])
        for system, lost in rows
    ]


def _general(law: str, load: float, customers: int, within: float) -> Row:
    """One worker, services by any law."""
    variation = VARIATIONS[law]
    letter = "D" if law == "fixed" else "G"
    more = "" if law == "fixed" else f" {law}, SCV {variation:g}"
    expected = theory.wait_by_variation(load, variation)
    return Row(
        System(f"M/{letter}/1 ρ={f'{load:g}'.lstrip('0')}{more}", load, law),
        customers,
        [Claim("Wq", expected, within, measures.wait)],
    )


def _sharing(law: str, customers: int, within: float) -> Row:
    """One core that all requests share."""
    claims = [Claim("W", 5.0, within, measures.sojourn)]
    if law != "fixed":
        spans = ((0.3, 0.7), (0.8, 1.2), (1.6, 2.4))
        claims += [
            Claim(f"W of x={least}…{most}, over x", 5.0, within, measures.stretch(least, most))
            for least, most in spans
        ]
    claims += [
        Claim(
            f"P(N={count})",
            theory.geometric(0.8, count),
            within * (2 if count == 10 else 1),
            measures.share_finding(count),
        )
        for count in (0, 1, 2, 5, 10)
    ]
    return Row(System(f"M/G/1-PS ρ=.8 {law}", 0.8, law, SHARING), customers, claims)


def _sharing_cores(law: str) -> Row:
    """Ten cores shared, of which a request has one at most: as many are there as in an M/M/10."""
    wait = theory.wait(8, 10)
    claims = [
        Claim("W", wait + 1, 0.02, measures.sojourn),
        Claim("L", 8 * (wait + 1), 0.025, measures.level),
    ]
    return Row(System(f"M/G/10-PS λ=8 {law}", 8, law, SHARING, cores=10), 50_000, claims)


def _in_turn(replicas: int) -> Row:
    """A stream dealt to replicas with one worker each."""
    expected = theory.wait_in_turn(0.8, replicas)
    claims = [
        Claim("Wq", expected, 0.045, measures.wait),
        Claim("utilisation", 0.8, 0.007, measures.utilisation),
    ]
    system = System(f"round robin to {replicas}, ρ=.8", 0.8 * replicas, replicas=replicas)
    return Row(system, 80_000, claims)


def _endless(law: str) -> Row:
    """I/O only: nobody waits for anybody."""
    shares = [
        Claim(f"P(N={count})", theory.poisson(8, count), within, measures.share_finding(count))
        for count, within in ((4, 0.05), (8, 0.02), (12, 0.045))
    ]
    claims = [
        Claim("mean N", 8.0, 0.01, measures.found_mean),
        Claim("variance N", 8.0, 0.03, measures.found_variance),
        *shares,
    ]
    return Row(System(f"M/G/∞ λ=8 {law}", 8, law, SHARING, is_io=True), 50_000, claims)


ROWS: Final = {
    row.system.name: row
    for row in [
        _single(),
        _several(1.5, 2, 60_000, 0.06),
        _several(2.4, 3, 60_000, 0.06),
        _several(4, 5, 60_000, 0.06),
        _several(8, 10, 60_000, 0.08),
        _several(9, 10, 80_000, 0.10),
        *_losing(),
        _general("fixed", 0.5, 50_000, 0.02),
        _general("fixed", 0.8, 80_000, 0.03),
        _general("fixed", 0.9, 120_000, 0.05),
        _general(HYPEREXPONENTIAL, 0.8, 120_000, 0.06),
        _general(ERLANG, 0.8, 60_000, 0.04),
        _general("lognormal", 0.8, 60_000, 0.04),
        _sharing("exponential", 80_000, 0.04),
        _sharing("fixed", 60_000, 0.03),
        _sharing(ERLANG, 60_000, 0.04),
        _sharing(HYPEREXPONENTIAL, 80_000, 0.05),
        _sharing_cores("exponential"),
        _sharing_cores("fixed"),
        _in_turn(2),
        _in_turn(4),
        _in_turn(10),
        _endless("exponential"),
        _endless("fixed"),
        _endless(HYPEREXPONENTIAL),
    ]
}
