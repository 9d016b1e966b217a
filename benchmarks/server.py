"""What the server costs: creates, lists, watches, memory, and how soon it answers.

Run as ``python benchmarks/server.py``. The server is a process of its own on one core, pinned
where the system lets us; the load comes from this one. Figures are CPU time of the server, because
the machine may be shared, and the best of several rounds; the reference is a real kube-apiserver
with etcd on the same work, and how fast this machine is against the one that it ran on is found out
in the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import pathlib
import sys
import time

import server_load
from scheduler_calibration import Calibration
from server_process import Served

FOLDER = pathlib.Path(__file__).parents[2] / "shared" / "bench"
ROUNDS = 3
CREATES, CONNECTIONS = 5_000, 32
LISTED, LISTS = 5_000, 20
WATCHERS, EVENTS, MANY = 200, 300, 1_000
NODES, PODS, REPLICAS = 5_000, 50_000, 5_000


def reference() -> tuple[dict[str, float], float]:
    """What the real server did, and how fast this machine is against the one it ran on."""
    if not FOLDER.exists():
        return {}, 1.0
    stated = json.loads((FOLDER / "reference.json").read_text())["kube_apiserver_per_core"]
    calibration = Calibration(FOLDER)
    calibration.take(3)
    return stated, calibration.speed


def line(what: str, figure: str, other: str = "") -> None:
    print(f"{what:42} {figure:>22}   {other}", flush=True)


def start_up() -> None:
    """From the shell to the first answer."""
    took = []
    for _ in range(5):
        began = time.perf_counter()
        with Served("--in-memory") as served:
            asyncio.run(server_load.wait_for(served.address))
            took.append(time.perf_counter() - began)
    line("first answer, from the shell", f"{1000 * min(took):.0f} ms")


def creates(real: dict[str, float], speed: float, *options: str) -> None:
    with Served(*options) as served:
        asyncio.run(server_load.create(served.address, 500, CONNECTIONS, "warm"))
        rounds = []
        for turn in range(ROUNDS):
            before, began = served.cpu_s, time.perf_counter()
            asyncio.run(server_load.create(served.address, CREATES, CONNECTIONS, f"pod-{turn}"))
            rounds.append((served.cpu_s - before, time.perf_counter() - began))
    spent, took = (min(each) for each in zip(*rounds, strict=True))
    per_core = CREATES / spent
    stated = real.get("pod_creates_per_second", 0) * speed
    against = f"{per_core / stated:.1f}x the real server's {stated:.0f}" if stated else ""
    kept = "in memory" if "--in-memory" in options else "durable"
    line(f"pod creates, {kept}", f"{per_core:,.0f}/s per core", against)
    line("    as it was seen by 32 clients", f"{CREATES / took:,.0f}/s")


def lists(real: dict[str, float], speed: float) -> None:
    with Served("--in-memory") as served:
        asyncio.run(server_load.create(served.address, LISTED, CONNECTIONS, "pod"))
        size = asyncio.run(server_load.read(served.address, server_load.PODS, 2))
        rounds = []
        for _ in range(ROUNDS):
            before = served.cpu_s
            asyncio.run(server_load.read(served.address, server_load.PODS, LISTS))
            rounds.append(served.cpu_s - before)
        spent_ms = 1000 * min(rounds) / LISTS
    stated = real.get("list_5000_pods_ms", 0) / speed
    against = f"{stated / spent_ms:.0f}x the real server's {stated:.0f} ms" if stated else ""
    line(f"list of {LISTED:,} pods ({size / 1e6:.1f} MB)", f"{spent_ms:.1f} ms", against)


def watches(real: dict[str, float], speed: float) -> None:
    with Served("--in-memory") as served:
        rounds = []
        for turn in range(ROUNDS):
            before = served.cpu_s
            asyncio.run(server_load.create(served.address, EVENTS, 1, f"alone-{turn}"))
            alone = served.cpu_s - before
            spent, delivered = asyncio.run(server_load.fan_out(served, WATCHERS, EVENTS))
            rounds.append((spent - alone) / delivered)
        each_us = 1e6 * min(rounds)
        stated = real.get("watch_us_per_delivery_200_watchers", 0) / speed
        against = f"{stated / each_us:.1f}x the real server's {stated:.0f} us" if stated else ""
        line(f"a delivery to one of {WATCHERS} watchers", f"{each_us:.1f} us", against)
        _, delivered = asyncio.run(server_load.fan_out(served, MANY, 50))
        line(f"{MANY:,} watchers hold", f"{delivered:,} events delivered")


def memory() -> None:
    with Served("--in-memory") as served:
        asyncio.run(server_load.create_nodes(served.address, NODES, CONNECTIONS))
        asyncio.run(server_load.create(served.address, PODS, CONNECTIONS, "pod"))
        asyncio.run(server_load.read(served.address, server_load.PODS, 1))
        peak = served.peak_bytes
    line(f"{NODES:,} nodes and {PODS:,} pods", f"{peak / 2**20:,.0f} MiB at most")


def live() -> None:
    """With everything at work: whether others are served while a large Deployment comes up."""
    with Served("--in-memory", whole=True) as served:
        asyncio.run(server_load.create_nodes(served.address, NODES, CONNECTIONS))
        took, answers = asyncio.run(server_load.deploy(served.address, REPLICAS))
        peak = served.peak_bytes
    answers.sort()
    line(f"{REPLICAS:,} replicas on {NODES:,} nodes are ready", f"{took:.1f} s")
    worst, most = answers[-1], answers[len(answers) * 99 // 100]
    line("    an answer meanwhile", f"{1000 * worst:.0f} ms at most", f"99 %: {1000 * most:.0f} ms")
    line("    memory", f"{peak / 2**20:,.0f} MiB at most")


PARTS = ("start", "creates", "lists", "watches", "memory", "live")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=PARTS, help=f"of {', '.join(PARTS)}")
    chosen = parser.parse_args().parts
    if unknown := sorted(set(chosen) - set(PARTS)):
        sys.exit(f"unknown: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    real, speed = reference()
    if real:
        line("this machine, against the reference", f"{speed:.2f}x")
    if "start" in chosen:
        start_up()
    if "creates" in chosen:
        creates(real, speed)
        creates(real, speed, "--in-memory")
    if "lists" in chosen:
        lists(real, speed)
    if "watches" in chosen:
        watches(real, speed)
    if "memory" in chosen:
        memory()
    if "live" in chosen:
        live()


if __name__ == "__main__":
    main()
