"""Simulated nodes below a real control plane: boot, memory, pods per second.

Run as ``python benchmarks/outside.py PROGRAMS [--nodes N] [--pods N]``; PROGRAMS is a folder with
the real kube-scheduler and kube-controller-manager of v1.36. Both sides are measured in one run:
the real programs with ``kubestage serve --simulate kubelets``, and kubestage alone. The clients of
the real programs are allowed 5,000 requests a second: with their defaults (20 and 50) it is these
that would be measured. Figures that others published are printed beside.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

QPS: Final = "5000"
PUBLISHED: Final = (
    ("KWOK: nodes or pods created per second, as its README has it", "20", ""),
    ("KWOK: what its own test demands, 10,000 pods in 60 s", "167", ""),
    ("KWOK: docker run kwok/cluster to the first answer", "at best 5 s", "kwok#335"),
    ("envtest: etcd and kube-apiserver; no nodes, nothing that runs pods", "no figure", ""),
)
_READY_S: Final = 120
_DONE_S: Final = 1800


class Measured(NamedTuple):
    """One side."""

    boot_s: float
    pods_per_s: float
    server_mib: float


def main() -> None:
    """Measure both sides and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--pods", type=int, default=2000)
    options = parser.parse_args()
    print(f"{options.nodes} nodes, a Deployment of {options.pods} pods until all are ready\n")
    print(f"{'':46}{'boot s':>8}{'pods/s':>9}{'server MiB':>12}")
    sides: tuple[tuple[str, pathlib.Path | None, list[str]], ...] = (
        ("real control plane, --simulate kubelets", options.programs, ["--simulate", "kubelets"]),
        ("kubestage alone, --pace realtime", None, ["--pace", "realtime"]),
        ("kubestage alone, --pace jump", None, []),
    )
    for name, programs, words in sides:
        found = measure(programs, words, options.nodes, options.pods)
        row = f"{found.boot_s:>8.2f}{found.pods_per_s:>9.0f}{found.server_mib:>12.0f}"
        print(f"{name:46}{row}", flush=True)
    print("\nPublished by others:")
    for name, figure, where in PUBLISHED:
        print(f"  {name}: {figure}{f' ({where})' if where else ''}")


def measure(programs: pathlib.Path | None, words: list[str], nodes: int, pods: int) -> Measured:
    """Boot a cluster, roll out a Deployment, stop."""
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        place = pathlib.Path(name)
        began = time.perf_counter()
        ready, kubeconfig = place / "ready.json", place / "kubeconfig"
        serve = [sys.executable, "-m", "kubestage", "serve", "--in-memory", "--port", "0"]
        serve += ["--nodes", str(nodes), "--ready-file", str(ready), *words]
        serve += ["--kubeconfig", str(kubeconfig), "--exit-with-parent"]
        server = stack.enter_context(_running(serve, place / "serve.log"))
        while not ready.exists():
            time.sleep(0.01)
        url = json.loads(ready.read_text())["url"]
        if programs is not None:
            for program in _control_plane(programs, kubeconfig, place):
                stack.enter_context(_running(program, place / f"{program[0].name}.log"))
        # A pod that runs: from then on everybody is at work.
        _create(url, "first", 1)
        _wait(url, "first", 1, _READY_S)
        boot_s = time.perf_counter() - began
        began = time.perf_counter()
        _create(url, "many", pods)
        _wait(url, "many", pods, _DONE_S)
        seconds = time.perf_counter() - began
        return Measured(boot_s, pods / seconds, _resident_mib(server.pid))


def _control_plane(
    programs: pathlib.Path, kubeconfig: pathlib.Path, place: pathlib.Path
) -> Iterator[list[Any]]:
    key = place / "service-accounts.key"
    subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
    common = [
        f"--kubeconfig={kubeconfig}", "--leader-elect=false", "--secure-port=0",
        f"--kube-api-qps={QPS}", f"--kube-api-burst={QPS}",
    ]  # fmt: skip
    manager = f"--service-account-private-key-file={key}"
    yield [programs.resolve() / "kube-controller-manager", *common, manager]
    yield [programs.resolve() / "kube-scheduler", *common]


@contextlib.contextmanager
def _running(words: list[Any], log: pathlib.Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as opened:
        process = subprocess.Popen(words, stdout=opened, stderr=opened, env=dict(os.environ))
        try:
            yield process
        finally:
            process.terminate()
            process.wait()


def _create(url: str, name: str, replicas: int) -> None:
    labels = {"app": name}
    container = {"name": "c", "image": "nginx", "resources": {"requests": {"cpu": "10m"}}}
    body = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }
    request = urllib.request.Request(
        f"{url}/apis/apps/v1/namespaces/default/deployments",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        response.read()


def _wait(url: str, name: str, replicas: int, most_s: float) -> None:
    deadline = time.monotonic() + most_s
    path = f"{url}/apis/apps/v1/namespaces/default/deployments/{name}"
    while True:
        with urllib.request.urlopen(path) as response:
            status = json.load(response).get("status", {})
        if status.get("readyReplicas", 0) >= replicas:
            return
        if time.monotonic() > deadline:
            raise SystemExit(f"{name}: {status.get('readyReplicas', 0)} of {replicas} are ready")
        time.sleep(0.1)


def _resident_mib(pid: int) -> float:
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    [line] = [each for each in lines if each.startswith("VmRSS:")]
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main()
