"""How long a test waits for its cluster: in the process, forked, over HTTP, from the shell.

Run as ``python benchmarks/fixtures.py [rounds]``. Figures are wall time, the median of the rounds
and the least one, for the machine is shared. What is loaded at the first use is counted apart.
Beside them is a fake of the API as tests make one by hand, in the manner of kmock: an HTTP server
that keeps what it is sent, and in which nothing happens.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from typing import TYPE_CHECKING, Any

from aiohttp import web

if TYPE_CHECKING:
    from collections.abc import Callable

# In milliseconds of wall time.
MAX_IN_PROCESS = 50
MAX_OVER_HTTP = 150
MAX_FORK = 20
RECORDED = (
    ("KWOK: docker run kwok/cluster to the first answer", "at best 5 s", "kwok#335"),
    ("Minikube, for the same tests", "20 to 60 s", "kwok#335"),
    ("envtest: etcd and kube-apiserver as processes", "no figure was recorded", ""),
)
IMPORT_PLUGIN = (
    "import pytest, time; t = time.perf_counter(); import kubestage.testing.pytest_plugin"
)
SERVE = "from kubestage import cli; cli.main()"


class FakeApi:
    """An API that stores objects by path, in a thread."""

    def __init__(self) -> None:
        self._objects: dict[str, Any] = {}
        self._ready = threading.Event()
        self._thread = threading.Thread(target=asyncio.run, args=(self._serve(),), daemon=True)
        self._thread.start()
        self._ready.wait()

    async def _serve(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(application)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.address = "{}:{}".format(*runner.addresses[0])
        self._ready.set()
        await self._end.wait()
        await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        if request.method == "POST":
            obj = await request.json()
            self._objects[f"{request.path}/{obj['metadata']['name']}"] = obj
            return web.json_response(obj, status=201)
        found = [obj for path, obj in self._objects.items() if path.startswith(request.path)]
        return web.json_response({"items": found})

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()


def first_answer(address: str) -> None:
    connection = http.client.HTTPConnection(address)
    connection.request("GET", "/api/v1/nodes")
    json.loads(connection.getresponse().read())
    connection.close()


def shown(name: str, walls_ms: list[float], most_ms: float | None = None) -> None:
    median_ms = statistics.median(walls_ms)
    mark = "" if most_ms is None else ("  ok" if median_ms < most_ms else "  MISSED")
    print(f"  {name:<58} {median_ms:>7.1f} ms (least {min(walls_ms):.1f} ms){mark}")


def timed(
    rounds: int, work: Callable[[], Any], after: Callable[[Any], None] | None = None
) -> list[float]:
    walls = []
    for _ in range(rounds):
        began = time.perf_counter()
        made = work()
        walls.append((time.perf_counter() - began) * 1e3)
        if after is not None:
            after(made)
    return walls


def idle(rounds: int) -> None:
    print("where no test uses it")
    code = f"{IMPORT_PLUGIN}; print((time.perf_counter() - t) * 1e3)"
    walls = [float(output([sys.executable, "-c", code])) for _ in range(rounds)]
    shown("import of the plugin by pytest", walls)


def in_process(rounds: int) -> None:
    began = time.perf_counter()
    from kubestage.testing import ClusterFactory, make_deployment  # noqa: PLC0415 - it is measured

    factory = ClusterFactory()
    factory(nodes=5)
    first_ms = (time.perf_counter() - began) * 1e3
    print("in the process of the test, 5 nodes, scheduler and controllers at work")
    shown("the first cluster, all imports included", [first_ms])
    shown("a fresh cluster", timed(rounds, lambda: ClusterFactory()(nodes=5)), MAX_IN_PROCESS)
    shown("another one of the same options", timed(rounds, lambda: factory(nodes=5)), MAX_FORK)
    base = factory(nodes=100)
    base.apply([make_deployment(f"app-{at}", replicas=10, cpu="100m") for at in range(10)])
    base.settle()
    base.fork()
    shown("a copy of a base: 100 nodes, 100 pods", timed(rounds, base.fork))
    small = factory(nodes=10)
    small.apply([make_deployment(f"app-{at}", replicas=5, cpu="100m") for at in range(4)])
    small.settle()
    small.fork()
    shown("a copy of a base: 10 nodes, 20 pods", timed(rounds, small.fork), MAX_FORK)

    def rollout() -> None:
        cluster = small.fork()
        cluster.apply(make_deployment("web", replicas=3))
        cluster.expect("deploy/web").ready(3, within="5m")

    shown("such a copy, a Deployment of 3, and its expectation", timed(rounds, rollout))


def over_http(rounds: int) -> None:
    from kubestage.testing import ClusterFactory  # noqa: PLC0415 - see above

    print("behind HTTP on the same machine, to the first answer")

    def boot() -> Any:
        server = ClusterFactory().server(nodes=5)
        first_answer(server.url.removeprefix("http://"))
        return server

    def fake() -> FakeApi:
        api = FakeApi()
        first_answer(api.address)
        return api

    boot().close()
    fake().close()
    servers: list[Any] = []
    shown("a fresh cluster", timed(rounds, boot, servers.append), MAX_OVER_HTTP)
    shown("its end", [timed(1, each.close)[0] for each in servers])
    shown("a fake that only stores (aiohttp)", timed(rounds, fake, lambda each: each.close()))


def from_the_shell(rounds: int) -> None:
    print("kubestage serve --in-memory --port 0 --ready-file F, to the first answer")

    def boot() -> subprocess.Popen[bytes]:
        file = pathlib.Path(tempfile.mkdtemp()) / "ready.json"
        command = [sys.executable, "-c", SERVE, "serve", "--in-memory", "--port", "0", "--nodes"]
        process = subprocess.Popen(
            [*command, "5", "--ready-file", str(file), "--exit-with-parent"],
            stdout=subprocess.DEVNULL,
            env=environment(),
        )
        while not file.exists():
            time.sleep(0.002)
        first_answer(json.loads(file.read_text())["url"].removeprefix("http://"))
        return process

    def end(process: subprocess.Popen[bytes]) -> None:
        process.terminate()
        process.wait()

    end(boot())
    shown("a process of its own, imports included", timed(max(rounds // 4, 3), boot, end))


def environment() -> dict[str, str]:
    """Byte code is cached, as after the first run of an installed program."""
    return {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def output(command: list[str]) -> str:
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment()
    ).stdout


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    idle(rounds)
    in_process(rounds)
    over_http(rounds)
    from_the_shell(rounds)
    print("recorded elsewhere, by others")
    for name, figure, source in RECORDED:
        print(f"  {name:<58} {figure}{f' ({source})' if source else ''}")


if __name__ == "__main__":
    main()
