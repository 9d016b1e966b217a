"""What the past of a served cluster costs: to record it, to read it, to go back to it.

Run as ``python benchmarks/history.py [PODS]``. The server is in this process, and so is its client.
A pause is the longest that the event loop did not come round meanwhile. The bars: recording takes
less than 3 % of a burst of pods, and no request about the past makes others wait for 250 ms.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import pathlib
import sys
import time
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from tests.server import calling

from kubestage import Stage
from kubestage.results.history.cluster_history import ClusterHistory
from kubestage.server.assembly import AssemblyOptions, Served
from kubestage.server.pacing import Mode
from kubestage.stage.collections import COLLECTIONS
from kubestage.testing import make_deployment, make_node, make_pod

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from kubestage.store.log import Change

BURST = 3_000
API = "/kubestage/v1"
PODS = "/api/v1/namespaces/default/pods"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


class Spent:
    """How much time recording has taken."""

    def __init__(self) -> None:
        self.seconds = self.longest_s = 0.0
        self.changes = 0
        record = ClusterHistory.on_change

        def timed(history: ClusterHistory, change: Change) -> None:
            began = time.perf_counter()
            record(history, change)
            took = time.perf_counter() - began
            self.seconds += took
            self.longest_s = max(self.longest_s, took)
            self.changes += 1

        ClusterHistory.on_change = timed  # type: ignore[method-assign]


@contextlib.asynccontextmanager
async def pauses(name: str) -> AsyncIterator[None]:
    """Print how long a block took, and the longest pause of the event loop meanwhile."""
    longest = 0.0

    async def beat() -> None:
        nonlocal longest
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.001)
            longest = max(longest, time.perf_counter() - before)

    beating = asyncio.ensure_future(beat())
    began = time.perf_counter()
    yield
    took = time.perf_counter() - began
    beating.cancel()
    print(f"{name:44} {took * 1000:8.0f} ms, longest pause {longest * 1000:6.1f} ms")


async def call(served: Served, method: str, path: str, body: Any = None, **query: Any) -> Any:
    headers = {"host": "localhost", "accept-encoding": "gzip"}
    answer = await calling.call(served.application, method, path, body, headers, **query)
    assert answer.status < 300, answer.body
    return answer


def new(nodes: int, mode: Mode = Mode.JUMP) -> Served:
    stage = Stage(implicit_namespaces=False, history=sys.maxsize)
    stage.add_scheduler(recording="none")
    stage.add_controllers()
    stage.apply([make_node(f"n{number}", cpu="64", memory="256Gi") for number in range(nodes)])
    served = Served(stage, AssemblyOptions(mode=mode))
    served.start()
    gc.freeze()
    gc.set_threshold(*COLLECTIONS)
    return served


async def burst() -> None:
    """Pods that a client creates one by one, while they are scheduled and start."""
    spent = Spent()
    served = new(100)
    began = time.perf_counter()
    for number in range(BURST):
        await call(served, "POST", PODS, make_pod(f"p{number}", cpu="10m"))
    while not served.pacer.is_quiet:
        await asyncio.sleep(0)
    took = time.perf_counter() - began
    each = spent.seconds / spent.changes
    print(
        f"burst of {BURST} pods: {spent.changes} changes, {each * 1e6:.2f} us each, "
        f"{spent.seconds / took:.1%} of {took:.1f} s; longest {spent.longest_s * 1000:.2f} ms"
    )
    await served.close()


async def past(pods: int) -> None:
    """A large cluster, whose past is read."""
    served = new(max(pods // 100, 1), Mode.PAUSED)
    await call(served, "POST", DEPLOYMENTS, make_deployment("web", replicas=pods))
    async with pauses(f"{pods} pods start"):
        await call(served, "POST", f"{API}/clock/advance", {"duration": "1s"}, timeout="50s")
        while served.live.state.tasks:
            await asyncio.sleep(0.1)
    await call(served, "POST", f"{API}/clock/advance", {"duration": "10s"}, timeout="50s")
    while served.live.state.tasks:
        await asyncio.sleep(0.1)
    history = (await call(served, "GET", f"{API}/history")).json
    middle = history["begin"]
    print(f"  {history}")
    async with pauses("history/map, whole"):
        answer = await call(served, "GET", f"{API}/history/map")
    print(f"  {len(answer.body):,} bytes")
    async with pauses("history/map, nothing new"):
        await call(served, "GET", f"{API}/history/map", after=history["sequence"])
    async with pauses("history/marks, whole"):
        await call(served, "GET", f"{API}/history/marks")
    async with pauses("the first list of a past moment"):
        await call(served, "GET", f"/at/{middle}/api/v1/pods", limit=500)
    async with pauses("the second"):
        await call(served, "GET", f"/at/{middle}/api/v1/pods", limit=500)
    async with pauses("a fork"):
        await call(served, "POST", f"{API}/clusters", {"at": middle})
    async with pauses("the fork is removed"):
        await call(served, "DELETE", f"{API}/clusters/fork-1")
    await served.close()


if __name__ == "__main__":
    asyncio.run(burst())
    asyncio.run(past(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000))
