"""Clients that cost little: HTTP by hand, a request after the other on each connection."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from server_process import Served

PODS = "/api/v1/namespaces/default/pods"
NODES = "/api/v1/nodes"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


def pod(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": "web", "tier": "front"}},
        "spec": {
            "containers": [
                {
                    "name": "main",
                    "image": "registry.example/web:1.0",
                    "ports": [{"containerPort": 8080}],
                    "env": [{"name": "MODE", "value": "fast"}],
                    "resources": {
                        "requests": {"cpu": "100m", "memory": "128Mi"},
                        "limits": {"memory": "256Mi"},
                    },
                }
            ]
        },
    }


def node(name: str) -> dict[str, Any]:
    amounts = {"cpu": "32", "memory": "128Gi", "pods": "110"}
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": f"z{hash(name) % 3}"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"capacity": amounts, "allocatable": amounts},
    }


class Connection:
    """One connection that stays open."""

    def __init__(self, address: str) -> None:
        self._host, _, port = address.partition(":")
        self._port = int(port)

    async def __aenter__(self) -> Connection:
        self.reader, self.writer = await asyncio.open_connection(
            self._host, self._port, limit=1 << 20
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.close()

    async def send(self, method: str, path: str, body: bytes = b"") -> int:
        """Send a request and read the head of its answer; how long the body is, -1 if unknown."""
        head = f"{method} {path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\n"
        head += f"User-Agent: load/1.0\r\nContent-Length: {len(body)}\r\n"
        head += "Content-Type: application/json\r\nAccept: application/json\r\n\r\n"
        self.writer.write(head.encode() + body)
        answer = await self.reader.readuntil(b"\r\n\r\n")
        status = int(answer[9:12])
        if status >= 400:
            raise RuntimeError(answer.decode())
        for each in answer.lower().split(b"\r\n"):
            if each.startswith(b"content-length:"):
                return int(each[15:])
        return -1

    async def exchange(self, method: str, path: str, body: Any, content: str) -> int:
        """A whole request that may be refused; its status."""
        text = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\n"
        head += f"Content-Length: {len(text)}\r\nContent-Type: {content}\r\n\r\n"
        self.writer.write(head.encode() + text)
        answer = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        length = answer.partition(b"content-length:")[2].partition(b"\r\n")[0]
        await self.reader.readexactly(int(length))
        return int(answer[9:12])

    async def call(self, method: str, path: str, body: bytes = b"") -> int:
        """A whole request; how long the answer is."""
        length = await self.send(method, path, body)
        await self.reader.readexactly(length)
        return length


async def wait_for(address: str) -> None:
    """Until the server answers."""
    while True:
        try:
            async with Connection(address) as connection:
                await connection.call("GET", "/version")
                return
        except OSError:
            await asyncio.sleep(0.005)


async def _post(address: str, path: str, bodies: list[bytes], connections: int) -> None:
    waiting = iter(bodies)

    async def one() -> None:
        async with Connection(address) as connection:
            for body in waiting:
                await connection.call("POST", path, body)

    await asyncio.gather(*(one() for _ in range(connections)))


async def create(address: str, count: int, connections: int, name: str) -> None:
    bodies = [json.dumps(pod(f"{name}-{number}")).encode() for number in range(count)]
    await _post(address, PODS, bodies, connections)


async def create_nodes(address: str, count: int, connections: int) -> None:
    bodies = [json.dumps(node(f"node-{number}")).encode() for number in range(count)]
    await _post(address, NODES, bodies, connections)


async def read(address: str, path: str, count: int) -> int:
    """Read a list several times; how long it is."""
    length = 0
    async with Connection(address) as connection:
        for _ in range(count):
            length = await connection.call("GET", path)
    return length


async def deploy(address: str, replicas: int) -> tuple[float, list[float]]:
    """Have a Deployment come up: how long that took, and each answer of /readyz meanwhile."""
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod("web")["spec"]}
    selector = {"matchLabels": {"app": "web"}}
    spec = {"replicas": replicas, "selector": selector, "template": template}
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}}
    took: list[float] = []
    async with Connection(address) as asking, Connection(address) as looking:
        began = time.perf_counter()
        await asking.call("POST", DEPLOYMENTS, json.dumps({**body, "spec": spec}).encode())
        ready = 0
        while ready < replicas:
            for _ in range(50):
                sent = time.perf_counter()
                await looking.call("GET", "/readyz")
                took.append(time.perf_counter() - sent)
                await asyncio.sleep(0.002)
            length = await asking.send("GET", f"{DEPLOYMENTS}/web")
            found = json.loads(await asking.reader.readexactly(length))
            ready = found.get("status", {}).get("readyReplicas", 0)
        return time.perf_counter() - began, took


async def fan_out(served: Served, watchers: int, events: int) -> tuple[float, int]:
    """Deliver new pods to watchers: CPU of the server, and how many events all have read."""
    counts = [0] * watchers
    opened = asyncio.Semaphore(0)
    done = asyncio.Event()
    version = await _version(served.address)

    async def watch(index: int) -> None:
        async with Connection(served.address) as connection:
            await connection.send("GET", f"{PODS}?watch=1&resourceVersion={version}")
            opened.release()
            while counts[index] < events:
                chunk = await connection.reader.read(1 << 18)
                counts[index] += chunk.count(b'{"type":"')
        if all(count >= events for count in counts):
            done.set()

    tasks = [asyncio.ensure_future(watch(index)) for index in range(watchers)]
    for _ in range(watchers):
        await opened.acquire()
    before = served.cpu_s
    await create(served.address, events, 1, f"event-{version}")
    await asyncio.wait_for(done.wait(), 120)
    spent = served.cpu_s - before
    await asyncio.gather(*tasks)
    return spent, sum(counts)


async def _version(address: str) -> str:
    async with Connection(address) as connection:
        length = await connection.send("GET", f"{PODS}?limit=1")
        body = await connection.reader.readexactly(length)
    found: str = json.loads(body)["metadata"]["resourceVersion"]
    return found
