"""What charts cost a server: during a burst of pods, to take its changes in, and to draw.

Run as ``python benchmarks/charts.py [PODS]``. A burst is created through the application in this
process, with the record of charts, without, and without again: the difference of the last two is
the error of the measurement, and less than that is not measured. Then the record takes in all
changes of the burst, and every chart is drawn once. All times are CPU time.
"""

from __future__ import annotations

import asyncio
import gc
import resource
import statistics
import sys
import time
from typing import Any

import msgspec

from kubestage.results.charts import served as served_charts
from kubestage.results.life.replay import LifeReplay
from kubestage.server.assembly import AssemblyOptions, Served
from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod

PODS = 5_000
NODES = 200
ROUNDS = 6
# The same twice: what differs between them is the error of the measurement.
CASES = ("none", "none again", "charts")
PATH = "/api/v1/namespaces/default/pods"


async def post(application: Any, body: bytes) -> None:
    """One request that must succeed."""
    sent: list[Any] = []
    messages = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> Any:
        return next(messages)

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {
        "type": "http", "method": "POST", "path": PATH, "query_string": b"", "headers": headers,
    }  # fmt: skip
    await application(scope, receive, send)
    assert sent[0]["status"] == 201, sent


def stage() -> Stage:
    made = Stage(1)
    made.add_scheduler()
    made.load([make_node(f"node-{number}", cpu="64", pods="250") for number in range(NODES)])
    made.add_controllers()
    return made


async def burst(bodies: list[bytes], *, has_charts: bool) -> tuple[float, Served]:
    """The CPU time until all pods run, and the server."""
    server = Served(stage(), AssemblyOptions())
    if not has_charts:
        server.live.state.charts = None
    server.start()
    gc.collect()
    began = time.process_time()
    for body in bodies:
        await post(server.application, body)
    while not server.pacer.is_quiet:
        await asyncio.sleep(0)
    return time.process_time() - began, server


def take_in(server: Served) -> None:
    timeline = server.live.state.timeline
    assert timeline is not None
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    replay = LifeReplay(timeline.history, server.live.store.kinds)
    steps: list[float] = []
    at = time.thread_time()
    for _ in replay.steps():
        now = time.thread_time()
        steps.append(now - at)
        at = now
    took = time.process_time() - began
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(
        f"taking in {replay.next:,} changes: {took:.2f} s, {1e6 * took / replay.next:.1f} us each, "
        f"longest step {1e3 * max(steps):.1f} ms, {memory:.0f} MiB more"
    )
    life = replay.life(server.live.stage.clock.unix_ns)
    for entry in served_charts.of_life(life):
        if not entry.is_empty:
            began = time.process_time()
            size = len(msgspec.json.encode(served_charts.specification(entry, life)))
            took = time.process_time() - began
            print(f"drawing {entry.name}: {1e3 * took:.0f} ms, {size:,} B")


async def main(pods: int) -> None:
    bodies = [msgspec.json.encode(make_pod(f"pod-{number}", cpu="100m")) for number in range(pods)]
    times: dict[str, list[float]] = {name: [] for name in CASES}
    await (await burst(bodies, has_charts=True))[1].close()
    for number in range(ROUNDS):
        # Each case comes first, in the middle and last equally often: what a round leaves behind
        # is a burden to the next.
        for at in range(len(CASES)):
            name = CASES[(number + at) % len(CASES)]
            took, server = await burst(bodies, has_charts=name == "charts")
            times[name].append(took)
            await server.close()
            del server
    for name, found in times.items():
        middle, spread = statistics.median(found), statistics.quantiles(found, n=4)
        print(f"{name:10} median {middle:.3f} s, quartiles {spread[0]:.3f} to {spread[2]:.3f}")
    plain = statistics.median(times["none"])
    for name in ("none again", "charts"):
        share = statistics.median(times[name]) / plain - 1
        print(f"{name} against none: {100 * share:+.1f} %")
    _, server = await burst(bodies, has_charts=True)
    take_in(server)
    await server.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else PODS))
