"""Requests: SimPy's M/M/10 beside ours, Skenario's own run against its reference, and more.

Run as ``python benchmarks/traffic.py [rounds]``; with ``--long`` a hundred million requests follow.
Figures are CPU time on one core, the best of the rounds, and include the drawing of arrivals and
demands and the keeping of the record. What was measured elsewhere is scaled to this machine as it
is now (``--bench FOLDER`` has the calibration and the figures).
"""

from __future__ import annotations

import argparse
import json
import pathlib
import resource
import time
from typing import TYPE_CHECKING, Any

import simpy_queue
from scheduler_calibration import Calibration

from kubestage.sim import CountsOnly, Environment
from kubestage.traffic import spec as specs
from kubestage.traffic.fast.compiling import COMPILED
from kubestage.traffic.fast.engine import FastRequests
from kubestage.traffic.feed import Feed
from kubestage.traffic.movements import MovementRequests
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.traffic.requests import Requests


CUSTOMERS = 200_000
SERVERS, ARRIVALS_PER_S, SERVICES_PER_S = 10, 8.0, 1.0
SHARED = pathlib.Path(__file__).parents[2] / "shared" / "bench"


def traffic(pattern: Json, cpu: str, io: str = "0s", **more: Any) -> specs.Spec:
    request = {"cpu": cpu, "io": io, "timeout": more.pop("timeout", "forever")}
    target = {"kind": "Deployment", "name": "web"}
    return specs.read({"spec": {"target": target, "pattern": pattern, "request": request, **more}})


QUEUE = traffic(
    {"poisson": {"rps": ARRIVALS_PER_S}}, "exp(1s)", service={"discipline": "FCFS", "workers": 10}
)
STEP = {"step": {"rps": 1000, "after": "0s"}}
SKENARIO = traffic(STEP, "20ms", "20ms", timeout="10s", service={"discipline": "SkenarioCPU"})
SHARING = traffic(STEP, "exp(40ms)", "10ms", timeout="10s")
WAITING = traffic(STEP, "exp(40ms)", service={"discipline": "FCFS"})
LEAST = traffic(STEP, "exp(40ms)", routing="LeastRequests", service={"discipline": "FCFS"})


def fast(spec: specs.Spec, replicas: int, cores: float, seconds: float) -> Requests:
    requests = FastRequests(spec.service, Feed(spec, 1, "benchmark", 1))
    for at in range(replicas):
        requests.add_replica(f"web-{at}", cores)
    requests.advance(round(seconds * SECOND_NS))
    requests.check()
    return requests


def moved(spec: specs.Spec, replicas: int, cores: float, seconds: float) -> Requests:
    environment = Environment(recorder=CountsOnly())
    feed = Feed(spec, 1, "benchmark", 1)
    requests = MovementRequests(environment, "benchmark", spec.service, feed)
    for at in range(replicas):
        requests.add_replica(f"web-{at}", cores)
    environment.run(round(seconds * SECOND_NS))
    requests.check()
    return requests


def run_simpy_queue() -> float:
    return simpy_queue.mean_wait(CUSTOMERS, SERVERS, ARRIVALS_PER_S, SERVICES_PER_S)


def best(rounds: int, *runs: Callable[[], object]) -> list[float]:
    """CPU seconds of each, the runs taking turns so that a noisy moment hits all."""
    least = [float("inf")] * len(runs)
    for _ in range(rounds):
        for which, run in enumerate(runs):
            began = time.process_time()
            run()
            least[which] = min(least[which], time.process_time() - began)
    return least


def show(title: str, seconds: float, movements: int, than: str = "") -> None:
    rate = movements / seconds / 1e6
    print(f"  {title:<52}{seconds:>8.3f} s {rate:>8.2f} M movements/s  {than}")


def compare_with_simpy(rounds: int) -> None:
    seconds = CUSTOMERS / ARRIVALS_PER_S
    ours, by_movements, theirs = best(
        rounds,
        lambda: fast(QUEUE, 1, SERVERS, seconds),
        lambda: moved(QUEUE, 1, SERVERS, seconds / 10),
        run_simpy_queue,
    )
    print(f"M/M/{SERVERS}, {CUSTOMERS:,} customers, 3 movements each (goal 30x)")
    show("SimPy", theirs, 3 * CUSTOMERS)
    show("in bulk", ours, 3 * CUSTOMERS, f"{theirs / ours:.0f}x")
    show(
        "movement by movement (a tenth of it)", by_movements, 3 * CUSTOMERS // 10,
        f"{theirs / by_movements / 10:.2f}x",
    )  # fmt: skip


def compare_with_skenario(rounds: int, folder: pathlib.Path | None) -> None:
    calibration = Calibration(folder)
    calibration.take(3)
    rows = {
        "Skenario's CPU model, 20 ms + 20 ms": SKENARIO,
        "processor sharing, exp(40 ms) + 10 ms": SHARING,
        "first come, first served, exp(40 ms)": WAITING,
        "the same, to the replica with the fewest": LEAST,
    }
    print("1,000 RPS for 600 s on 61 replicas of one core (goal 3 s, and 10x Skenario)")
    theirs = 62_000.0
    if folder is not None:
        stated = json.loads((folder / "reference.json").read_text())
        theirs = stated["skenario"]["1000rps_600s"]
    for title, spec in rows.items():
        (seconds,) = best(rounds, lambda spec=spec: fast(spec, 61, 1.0, 600))  # type: ignore[misc]
        calibration.take(1)
        ratio = 1_800_000 / seconds / (theirs * (calibration.speed or 1.0))
        show(title, seconds, 1_800_000, f"{ratio:.0f}x Skenario")
    if calibration.speed is not None:
        print(f"  (this machine: {calibration.speed:.2f} of the reference)")


def run_long() -> None:
    spec = traffic({"poisson": {"rps": 10_000}}, "exp(4ms)")
    requests = FastRequests(spec.service, Feed(spec, 1, "benchmark", 1))
    for at in range(61):
        requests.add_replica(f"web-{at}", 1.0)
    began = time.process_time()
    print("A hundred million requests, processor sharing on 61 replicas")
    for part in range(1, 11):
        requests.advance(part * 1_000 * SECOND_NS)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        spent = time.process_time() - began
        print(f"  {requests.record.arrived:>12,} requests {spent:>8.1f} s, {peak:.0f} MB at most")
    requests.check()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", nargs="?", type=int, default=3)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--bench", type=pathlib.Path, default=SHARED)
    options = parser.parse_args()
    began = time.perf_counter()
    COMPILED.load()
    print(f"The kernel is ready after {time.perf_counter() - began:.2f} s")
    compare_with_simpy(options.rounds)
    compare_with_skenario(options.rounds, options.bench if options.bench.is_dir() else None)
    if options.long:
        run_long()


if __name__ == "__main__":
    main()
