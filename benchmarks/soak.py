"""How much memory a server has while clients change a thousand objects again and again.

Run as ``python benchmarks/soak.py [--rate 300] [--minutes 60]``; with ``--rate 0`` the same
requests come as fast as they are served. Printed are the curve, and how flat its last two thirds
are. Patches, reads, lists, deletions and new objects of several kinds are mixed; one watch of each
kind is open. Not part of ``make bench``: a whole run takes long.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from typing import Any

from server_load import Connection, create_nodes, pod
from server_process import Served

OBJECTS, CONNECTIONS, NODES, POINTS = 1_000, 16, 20, 30
MEBIBYTE = 1 << 20
DEFAULT = "namespaces/default"
PATHS = {
    "ConfigMap": f"/api/v1/{DEFAULT}/configmaps",
    "Pod": f"/api/v1/{DEFAULT}/pods",
    "Service": f"/api/v1/{DEFAULT}/services",
    "Deployment": f"/apis/apps/v1/{DEFAULT}/deployments",
}
KINDS = ("ConfigMap",) * 10 + ("Pod",) * 6 + ("Service",) * 3 + ("Deployment",)
MERGE = "application/merge-patch+json"


def new(kind: str, name: str, stream: random.Random) -> dict[str, Any]:
    """An object as a client would create it."""
    metadata = {"name": name, "labels": {"app": name}}
    if kind == "ConfigMap":
        return {"metadata": metadata, "data": {"text": "x" * stream.randrange(100, 3_000)}}
    if kind == "Service":
        return {"metadata": metadata, "spec": {"selector": {"app": name}, "ports": [{"port": 80}]}}
    spec = pod(name)["spec"]
    if kind == "Pod":
        return {"metadata": metadata, "spec": spec}
    template = {"metadata": {"labels": {"app": name}}, "spec": spec}
    selector = {"matchLabels": {"app": name}}
    return {
        "metadata": metadata,
        "spec": {"replicas": 2, "selector": selector, "template": template},
    }


class Churn:
    """The requests: each name is in one request at a time."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._stream = random.Random(20)
        self._free = [(KINDS[n % len(KINDS)], f"o-{n}") for n in range(OBJECTS)]
        self._there: set[str] = set()
        self.done = self.refused = self.watched = 0

    async def request(self, connection: Connection) -> None:
        """One request, of a random sort."""
        free = self._free
        at = self._stream.randrange(len(free))
        free[at], free[-1] = free[-1], free[at]
        kind, name = free.pop()
        method, path, body, content = self._chosen(kind, name)
        try:
            status = await connection.exchange(method, path, body, content)
        finally:
            free.append((kind, name))
        self.done += 1
        # What is still terminating cannot be there again.
        self.refused += status >= 400
        if method == "POST" and status < 300:
            self._there.add(name)
        elif method == "DELETE" and status < 300:
            self._there.discard(name)

    def _chosen(self, kind: str, name: str) -> tuple[str, str, Any, str]:
        stream, path = self._stream, PATHS[kind]
        one, draw = f"{path}/{name}", stream.random()
        if name not in self._there:
            return "POST", path, new(kind, name, stream), "application/json"
        if draw < 0.03:
            return "DELETE", one, {"gracePeriodSeconds": 0}, "application/json"
        if draw < 0.04:
            return "GET", f"{path}?limit=100", None, ""
        if draw < 0.40:
            return "GET", one, None, ""
        patch: dict[str, Any] = {"metadata": {"annotations": {"soak": f"{stream.random()}"}}}
        if kind == "ConfigMap" and draw > 0.7:
            patch = {"data": {"text": f"{draw}" * stream.randrange(5, 150)}}
        if kind == "Deployment" and draw > 0.9:
            patch = {"spec": {"replicas": stream.randrange(1, 4)}}
        return "PATCH", one, patch, MERGE

    async def watch(self, kind: str) -> None:
        """Read what a watch has to say, and start again when it ends."""
        while True:
            async with Connection(self._address) as connection:
                await connection.send("GET", f"{PATHS[kind]}?watch=1&resourceVersion=0")
                while chunk := await connection.reader.read(1 << 18):
                    self.watched += chunk.count(b'{"type":"')


async def _work(churn: Churn, address: str, requests: int, rate: float) -> None:
    began = time.perf_counter()
    async with Connection(address) as connection:
        while churn.done < requests:
            if rate:
                ahead = churn.done / rate - (time.perf_counter() - began)
                await asyncio.sleep(max(ahead, 0))
            await churn.request(connection)


async def soak(served: Served, requests: int, rate: float) -> list[int]:
    """Do so many requests, and print the memory on the way."""
    await create_nodes(served.address, NODES, 4)
    churn = Churn(served.address)
    watches = [asyncio.ensure_future(churn.watch(kind)) for kind in PATHS]
    working = [
        asyncio.ensure_future(_work(churn, served.address, requests, rate))
        for _ in range(CONNECTIONS)
    ]
    began, curve = time.perf_counter(), [served.resident_bytes]
    print(f"{'requests':>10} {'refused':>8} {'events':>10} {'seconds':>8} {'CPU s':>8} {'MiB':>6}")
    while not all(each.done() for each in working):
        await asyncio.wait(working, timeout=1)
        if churn.done >= len(curve) * requests / POINTS:
            curve.append(served.resident_bytes)
            print(
                f"{churn.done:10} {churn.refused:8} {churn.watched:10} "
                f"{time.perf_counter() - began:8.0f} {served.cpu_s:8.0f} "
                f"{curve[-1] / MEBIBYTE:6.0f}",
                flush=True,
            )
    await asyncio.gather(*working)
    for each in watches:
        each.cancel()
    await asyncio.gather(*watches, return_exceptions=True)
    return curve


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=300.0, help="requests a second; 0: no limit")
    parser.add_argument("--minutes", type=float, default=60.0, help="how long, at 300 a second")
    parser.add_argument("serve", nargs="*", help="more options of `kubestage serve`, after --")
    options = parser.parse_args()
    requests = round((options.rate or 300) * 60 * options.minutes)
    with Served(*options.serve, whole=True) as served:
        curve = asyncio.run(soak(served, requests, options.rate))
        print(json.dumps([round(each / MEBIBYTE) for each in curve]))
        late = curve[len(curve) // 3 :]
        print(
            f"last two thirds: {min(late) / MEBIBYTE:.0f} to {max(late) / MEBIBYTE:.0f} MiB, "
            f"{100 * (max(late) / min(late) - 1):.0f} % apart"
        )


if __name__ == "__main__":
    main()
