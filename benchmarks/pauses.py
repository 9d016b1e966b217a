"""How long one request keeps others waiting: the longest pause of small reads under large requests.

Run as ``python benchmarks/pauses.py [NAME...]``. The server is a process of its own on one core.
While a large request is served, a client on another connection reads a small object again and
again; the longest that it waits for an answer is the pause. The bar is 250 ms.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import server_load
from server_process import Served

if TYPE_CHECKING:
    from collections.abc import Callable

BAR_MS = 250
MAPS = "/api/v1/namespaces/default/configmaps"
SMALL = "/api/v1/namespaces/default"
SCENARIOS = "/apis/simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1/scenarios"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
OBJECTS = 50_000


class Case(NamedTuple):
    """A large request; `options` are those of the server."""

    method: str
    path: str
    body: Callable[[], bytes] = lambda: b""
    content_type: str = "application/json"
    accept: str = "application/json"
    objects: int = 0
    before: tuple[str, str, Any] | None = None
    is_stream: bool = False
    options: tuple[str, ...] = ()


def as_json(obj: Any) -> bytes:
    return json.dumps(obj).encode()


def yaml_map() -> bytes:
    lines = [f"  k{number}: v" for number in range(240_000)]
    return "\n".join(["metadata: {name: large}", "data:", *lines]).encode()


def json_map() -> bytes:
    data = {f"k{number}": "v" for number in range(100_000)}
    return as_json({"metadata": {"name": "large"}, "data": data})


def containers(count: int) -> list[Any]:
    return [
        {"name": f"c{number}", "image": "x", "ports": [{"containerPort": 80}]}
        for number in range(count)
    ]


def wide_pod() -> bytes:
    return as_json({"metadata": {"name": "large"}, "spec": {"containers": containers(2000)}})


def long_environment() -> bytes:
    env = [{"name": f"V{number}", "value": "x"} for number in range(60_000)]
    spec = {"containers": [{"name": "a", "image": "x", "env": env}]}
    return as_json({"metadata": {"name": "large"}, "spec": spec})


def applied_map() -> bytes:
    data = {f"k{number}": "v" for number in range(100_000)}
    typed = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "large"}}
    return as_json({**typed, "data": data})


def json_patch() -> bytes:
    return as_json(
        [{"op": "add", "path": f"/data/k{number}", "value": "v"} for number in range(10_000)]
    )


def list_patch() -> bytes:
    place = "/metadata/finalizers/0"
    return as_json(
        [{"op": "add", "path": "/metadata/finalizers", "value": ["x.io/a"]}]
        + [{"op": "add", "path": place, "value": f"x.io/{number}"} for number in range(9_000)]
    )


def definition() -> bytes:
    fields = {
        f"f{number}": {"type": "object", "properties": {"a": {"type": "string"}}}
        for number in range(20_000)
    }
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}}
    version = {
        "name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema},
    }  # fmt: skip
    names = {"plural": "widgets", "kind": "Widget", "singular": "widget", "listKind": "WidgetList"}
    spec = {"group": "x.io", "scope": "Namespaced", "names": names, "versions": [version]}
    return as_json({"metadata": {"name": "widgets.x.io"}, "spec": spec})


def profiles() -> bytes:
    found = []
    for number in range(20_000):
        found.append(f"- schedulerName: s{number}")
        found.append(f"  percentageOfNodesToScore: {number % 100}")
        found.append("  plugins: {score: {disabled: [{name: ImageLocality}]}}")
    typed = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    return (typed + "profiles:\n" + "\n".join(found)).encode()


def scenario(count: int, shape: Callable[[Any], bytes] = as_json) -> Callable[[], bytes]:
    def body() -> bytes:
        events = [
            {
                "id": f"e{number}",
                "step": number // 100,
                "operation": "Create",
                "createOperation": {"object": server_load.pod(f"p{number}")},
            }
            for number in range(count)
        ]
        return shape({"metadata": {"name": "large"}, "spec": {"events": events}})

    return body


def snapshot() -> bytes:
    items = [server_load.pod(f"imported-{number}") for number in range(20_000)]
    return as_json({"apiVersion": "v1", "kind": "List", "items": items})


TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
META = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
PODS = server_load.PODS
MERGE, JSON_PATCH = "application/merge-patch+json", "application/json-patch+json"
APPLY = "application/apply-patch+yaml"
LARGE_MAP = ("POST", MAPS, {"metadata": {"name": "large"}, "data": {"x": "y"}})
CASES: dict[str, Case] = {
    "ConfigMap of 240,000 lines of YAML": Case("POST", MAPS, yaml_map, "application/yaml"),
    "ConfigMap of 100,000 keys": Case("POST", MAPS, json_map),
    "the same, applied": Case("PATCH", f"{MAPS}/large?fieldManager=a", applied_map, APPLY),
    "the same, patched in": Case("PATCH", f"{MAPS}/large", json_map, MERGE, before=LARGE_MAP),
    "JSON patch of 10,000 operations": Case(
        "PATCH", f"{MAPS}/large", json_patch, JSON_PATCH, before=LARGE_MAP
    ),
    "JSON patch of 9,000 insertions": Case(
        "PATCH", f"{MAPS}/large", list_patch, JSON_PATCH, before=LARGE_MAP
    ),
    "pod of 2,000 containers": Case("POST", PODS, wide_pod),
    "pod of 60,000 variables": Case("POST", PODS, long_environment),
    "definition of 20,000 fields": Case("POST", CRDS, definition),
    "scheduler configuration of 2.6 MB": Case(
        "PUT",
        "/kubestage/v1/scheduler/configuration",
        profiles,
        options=("--scheduler", "built-in"),
    ),
    "Scenario of 3,000 events": Case("POST", SCENARIOS, scenario(3_000)),
    "Scenario of 60,000 events": Case("POST", SCENARIOS, scenario(60_000)),
    "import of 20,000 pods": Case("POST", "/kubestage/v1/import", snapshot),
    "list of 50,000 pods": Case("GET", PODS, objects=OBJECTS),
    "the same by a field": Case(
        "GET", f"{PODS}?fieldSelector=status.phase%21%3DRunning,spec.nodeName%3Dx", objects=OBJECTS
    ),
    "the same by many labels": Case(
        "GET",
        f"{PODS}?labelSelector=app%20in%20({','.join(f'a{number}' for number in range(3000))})",
        objects=OBJECTS,
    ),
    "the same as a table": Case("GET", PODS, accept=TABLE, objects=OBJECTS),
    "the same as metadata": Case("GET", PODS, accept=META, objects=OBJECTS),
    "the same as YAML": Case("GET", PODS, accept="application/yaml", objects=OBJECTS),
    "watch of 50,000 pods from 0": Case(
        "GET", f"{PODS}?watch=1&resourceVersion=0&timeoutSeconds=3", objects=OBJECTS, is_stream=True
    ),
    "deletion of 50,000 pods": Case("DELETE", f"{PODS}?gracePeriodSeconds=0", objects=OBJECTS),
    "export of 50,000 pods": Case("GET", "/kubestage/v1/export", objects=OBJECTS),
    "emptying of 50,000 pods": Case("POST", "/kubestage/v1/reset", objects=OBJECTS),
    "OpenAPI v2": Case("GET", "/openapi/v2"),
}


async def request(address: str, case: Case, body: bytes) -> int:
    """The large request; the code of its answer."""
    host, _, port = address.partition(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 24)
    head = f"{case.method} {case.path} HTTP/1.1\r\nHost: {address}\r\nUser-Agent: load/1.0\r\n"
    head += f"Content-Length: {len(body)}\r\nContent-Type: {case.content_type}\r\n"
    writer.write(f"{head}Accept: {case.accept}\r\nConnection: close\r\n\r\n".encode() + body)
    first = await reader.readline()
    while await reader.read(1 << 20):
        pass
    writer.close()
    return int(first[9:12])


async def probe(address: str, pauses: list[float]) -> None:
    """Read a small object again and again; how long each time took."""
    async with server_load.Connection(address) as connection:
        while True:
            began = time.perf_counter()
            # The last one may be broken off: it has waited for so long, too.
            with contextlib.suppress(asyncio.CancelledError):
                await connection.call("GET", SMALL)
                pauses.append(time.perf_counter() - began)
                await asyncio.sleep(0.002)
                continue
            pauses.append(time.perf_counter() - began)
            return


async def prepare(address: str, case: Case) -> None:
    """What has to be there before."""
    await server_load.wait_for(address)
    if case.before is not None:
        async with server_load.Connection(address) as connection:
            method, path, obj = case.before
            await connection.call(method, path, as_json(obj))
    if case.objects:
        await server_load.create(address, case.objects, 16, f"pod-{time.monotonic_ns()}")


async def measure(address: str, case: Case) -> tuple[int, float, float]:
    """Code, duration and the longest pause of others."""
    body = case.body()
    pauses: list[float] = []
    probing = asyncio.ensure_future(probe(address, pauses))
    await asyncio.sleep(0.2)
    pauses.clear()
    began = time.perf_counter()
    code = await request(address, case, body)
    took_s = time.perf_counter() - began
    await asyncio.sleep(0.5)
    probing.cancel()
    await probing
    return code, took_s, max(pauses)


def show(name: str, served: Served, case: Case) -> None:
    code, took_s, pause_s = asyncio.run(measure(served.address, case))
    size = f"{served.peak_bytes >> 20} MiB"
    note = "" if 1000 * pause_s <= BAR_MS else f"above {BAR_MS} ms"
    print(
        f"{name:36} {code}  {took_s:7.2f} s  longest pause {1000 * pause_s:8.0f} ms  "
        f"{size:>9}  {note}",
        flush=True,
    )


def main() -> None:
    chosen = sys.argv[1:]
    cases = {
        name: case
        for name, case in CASES.items()
        if not chosen or any(each in name for each in chosen)
    }
    for name, case in cases.items():
        if not case.objects:
            with Served("--in-memory", *case.options) as served:
                asyncio.run(prepare(served.address, case))
                show(name, served, case)
    crowded = {name: case for name, case in cases.items() if case.objects}
    if not crowded:
        return
    with Served("--in-memory") as served:
        is_full = False
        for name, case in crowded.items():
            if not is_full:
                asyncio.run(prepare(served.address, case))
            show(name, served, case)
            is_full = case.method == "GET"


if __name__ == "__main__":
    main()
