"""Loads: how steady the rate over HTTP is, and how long large loads take in virtual time.

Run as ``python benchmarks/load.py``. The rate is what a load of pods achieves against a served
stage in a process of its own, by when its calls were sent; beside it is what a client gets that
sleeps between calls, as ClusterLoader2 does. ``virtual`` runs ClusterLoader2's own ``load`` test
with 100 nodes from the shell, if its files are in ``../shared``; ``--large`` adds 5,000 nodes and
150,000 pods. ``--json FILE`` keeps the results.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

import server_load
from server_process import Served

from kubestage.cluster.access import Call, Resource
from kubestage.clusterloader import config
from kubestage.clusterloader.run import LoadRun, Work
from kubestage.measure.facilities import Facilities
from kubestage.measure.measurements import Measurements
from kubestage.measure.registry import Registry
from kubestage.remote.access import Access
from kubestage.remote.cluster import RemoteCluster
from kubestage.sim.streams import Streams
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.cluster.access import Answer


CONFIGS = pathlib.Path(__file__).parents[2] / "shared" / "data" / "clusterloader2"
KUBESTAGE = [sys.executable, "-c", "from kubestage import cli; cli.main()"]
RATES = (50, 200)
SECONDS = 10
WITHIN = 0.02
POD = Resource("v1", "Pod")
# Where it is set, every start compiles anew what has changed since the installation: 0.7 s.
_NO_BYTE_CODE = "PYTHONDONTWRITEBYTECODE"
# What the runs in virtual time must stay under: nodes, seconds of CPU, MiB.
VIRTUAL = (100, 12, 560)
LARGE = (5_000, 5 * 60, 2048)


class Pods:
    """The template of the load."""

    def objects(self, _: str, mapping: Mapping[str, Any]) -> list[Json]:
        return [server_load.pod(mapping["Name"])]

    def raw_objects(self, _: str) -> list[Json]:
        return [server_load.pod("raw")]


def paced(cluster: RemoteCluster, qps: float, count: int, prefix: str) -> Json:
    """A load of so many pods a second: what was achieved, how late calls were, what they cost."""
    phase = config.Phase(
        (config.ObjectSpec("pod", "pod"),),
        count,
        "rate",
        namespace_range=config.NamespaceRange(1, 1),
    )
    loaded = config.Config(
        steps=(config.Step(phases=(phase,)),),
        tuning_sets=(config.TuningSet("rate", config.QpsLoad(qps)),),
        namespaces=config.Namespaces(1, prefix, delete_automanaged=False),
    )
    streams = Streams(0)
    measurements = Measurements(Registry(), cluster, streams, Facilities())
    run = LoadRun(Work(loaded, Pods(), {}), cluster, measurements, streams)
    spent_s = time.process_time()
    run.start()
    cluster.run(lambda: run.is_over)
    spent_s = time.process_time() - spent_s
    assert run.result.passed, run.result.errors[:3]
    log = run.result.calls
    rows = zip(log.sent_ns, log.kinds, strict=True)
    return {"target": qps, **rate([at for at, kind in rows if kind == "Pod"], qps, spent_s)}


def slept(cluster: RemoteCluster, qps: float, count: int, prefix: str) -> Json:
    """The same by a client that sends a call, sleeps, and sends the next."""
    sent_ns: list[int] = []
    moments = cluster.moments
    names = iter([f"{prefix}-{number}" for number in range(count)])

    def send() -> None:
        name = next(names, None)
        if name is not None:
            body = server_load.pod(name)
            call = Call(verb="create", resource=POD, namespace="default", body=body)
            cluster.call(call, answered)
            moments.at(moments.now_ns + int(SECOND_NS / qps), send)

    def answered(answer: Answer) -> None:
        assert answer.error is None, answer.error
        sent_ns.append(answer.sent_ns)

    send()
    cluster.run(lambda: len(sent_ns) == count)
    return rate(sent_ns, qps, 0)


def rate(sent_ns: list[int], qps: float, spent_s: float) -> Json:
    """What the times of calls come to."""
    sent_ns = sorted(sent_ns)
    late_ms = sorted(
        (at - sent_ns[0] - number * SECOND_NS / qps) / 1e6 for number, at in enumerate(sent_ns)
    )
    return {
        "calls": len(sent_ns),
        "achieved": (len(sent_ns) - 1) * SECOND_NS / (sent_ns[-1] - sent_ns[0]),
        "late_p50_ms": late_ms[len(late_ms) // 2],
        "late_p99_ms": late_ms[len(late_ms) * 99 // 100],
        "cpu_us_per_call": 1e6 * spent_s / len(sent_ns),
    }


def rates(seconds: int) -> list[Json]:
    """All rates, each beside that of a client that sleeps."""
    rows = []
    print(
        f"{'target':>8} {'achieved':>10} {'off by':>8} {'late p99':>10} {'CPU/call':>10}   sleeping"
    )
    for qps in RATES:
        with (
            Served("--in-memory") as served,
            RemoteCluster(Access(server=f"http://{served.address}")) as cluster,
        ):
            paced(cluster, 500, 200, "warm")
            row = paced(cluster, qps, qps * seconds, f"rate-{qps}")
            row["sleeping"] = slept(cluster, qps, qps * seconds, f"slept-{qps}")["achieved"]
        row["off"] = row["achieved"] / qps - 1
        row["holds"] = abs(row["off"]) <= WITHIN
        rows.append(row)
        print(
            f"{qps:>6}/s {row['achieved']:>8.2f}/s {100 * row['off']:>7.2f}% "
            f"{row['late_p99_ms']:>7.2f} ms {row['cpu_us_per_call']:>7.0f} us "
            f"{row['sleeping']:>8.2f}/s   {'' if row['holds'] else 'MISSED'}",
            flush=True,
        )
    return rows


def virtual(nodes: int, limit_s: float, limit_mib: float) -> Json | None:
    """ClusterLoader2's ``load`` on a stage, as a person would start it."""
    file = CONFIGS / "load" / "config.yaml"
    if not file.exists():
        print(f"{'load in virtual time':32} skipped: {file} is not there")
        return None
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder, "output")
        arguments = ["load", str(file), "--nodes", str(nodes), "--report-dir", folder]
        began = time.perf_counter()
        process = os.posix_spawn(
            sys.executable,
            [*KUBESTAGE, *arguments],
            {name: value for name, value in os.environ.items() if name != _NO_BYTE_CODE},
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 1, str(output), os.O_WRONLY | os.O_CREAT, 0o600),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
        )
        _, status, usage = os.wait4(process, 0)
        took_s = time.perf_counter() - began
        table = output.read_text()
    peak_mib = usage.ru_maxrss / 1024
    cpu_s = usage.ru_utime + usage.ru_stime
    code = os.waitstatus_to_exitcode(status)
    # A load that misses an objective has run all the same.
    holds = code in (0, 1) and cpu_s <= limit_s and peak_mib <= limit_mib
    print(
        f"load, {nodes:,} nodes: {took_s:,.1f} s, {cpu_s:,.1f} s of CPU (under {limit_s:,.0f}), "
        f"{peak_mib:,.0f} MiB (under {limit_mib:,.0f}), exit {code}   {'' if holds else 'MISSED'}",
        flush=True,
    )
    if code:
        print(table)
    return {
        "nodes": nodes,
        "took_s": took_s,
        "cpu_s": cpu_s,
        "peak_mib": peak_mib,
        "exit_code": code,
        "holds": holds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["rate", "virtual"], help="rate, virtual")
    parser.add_argument("--large", action="store_true", help="5,000 nodes as well")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="of each rate")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="keep the results")
    chosen = parser.parse_args()
    results: dict[str, list[Json]] = {}
    if "rate" in chosen.parts:
        results["rate"] = rates(chosen.seconds)
    if "virtual" in chosen.parts:
        found = [virtual(*VIRTUAL)] + ([virtual(*LARGE)] if chosen.large else [])
        results["virtual"] = [each for each in found if each is not None]
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(results, indent=2) + "\n")
    if not all(row["holds"] for rows in results.values() for row in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
