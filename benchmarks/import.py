"""How long a live import of a large cluster takes, and what it costs to read and run the folder.

Run it: ``python benchmarks/import.py [--nodes N] [--pods N]``, by default 5,000 nodes and 100,000
pods. The cluster is served by ``kubestage serve`` in a process of its own; import and run are
commands in others, whose peaks of memory are printed. So are the time on the wall and that of the
processor: on a machine that does other work, they differ.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.testing import make_node

if __package__ in (None, ""):
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from benchmarks.server_process import Served

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json

WORKLOADS: Final = 200
ZONES: Final = "abc"
MIB: Final = 2**20
_COMMAND: Final = "from kubestage.cli import main; raise SystemExit(main())"


class Cost(NamedTuple):
    """What a command took."""

    wall_s: float
    cpu_s: float
    peak_bytes: int

    def __str__(self) -> str:
        peak = self.peak_bytes / MIB
        return f"{self.wall_s:>8.1f} s {self.cpu_s:>8.1f} s cpu {peak:>8,.0f} MiB"


def main() -> None:
    """Serve a cluster, import it, and run the folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--pods", type=int, default=100_000)
    parser.add_argument("--skip-run", action="store_true", help="import it only")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        dump = folder / "cluster.json"
        dump.write_bytes(msgspec.json.encode(_list(arguments.nodes, arguments.pods)))
        print(f"{'cluster':<12} {dump.stat().st_size / MIB:>8,.0f} MiB of JSON", flush=True)
        began = time.perf_counter()
        with Served("--in-memory", str(dump)) as served:
            print(
                f"{'serve':<12} {time.perf_counter() - began:>8.1f} s until it listens", flush=True
            )
            config = _kubeconfig(folder, served.address)
            out = folder / "cluster"
            words = ("import", "--kubeconfig", config, "--out", str(out))
            print(f"{'import':<12} {command(*words)}", flush=True)
        size = sum(each.stat().st_size for each in out.rglob("*") if each.is_file())
        print(f"{'folder':<12} {size / MIB:>8,.0f} MiB", flush=True)
        if not arguments.skip_run:
            print(f"{'run':<12} {command('run', str(out), '-o', 'json')}", flush=True)
            print(f"{'run 1m':<12} {command('run', str(out), '--for', '1m')}", flush=True)


def command(*words: str) -> Cost:
    """Run a command of kubestage, and measure its process."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", _COMMAND, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    printed = process.stderr.read().decode()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode:
        raise SystemExit(f"kubestage {' '.join(words)}: {printed}")
    wall_s = time.perf_counter() - began
    return Cost(wall_s, used.ru_utime + used.ru_stime, 1024 * used.ru_maxrss)


def _kubeconfig(folder: pathlib.Path, address: str) -> str:
    config = {
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": f"http://{address}"}}],
        "users": [{"name": "u", "user": {}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
    }  # fmt: skip
    (folder / "kubeconfig").write_text(json.dumps(config))
    return str(folder / "kubeconfig")


def _list(nodes: int, pods: int) -> Json:
    return {"apiVersion": "v1", "kind": "List", "items": list(_objects(nodes, pods))}


def _objects(nodes: int, pods: int) -> Iterator[Json]:
    """Nodes, and Deployments with their ReplicaSets and running pods, as a cluster has them."""
    for number in range(nodes):
        node = make_node(f"node-{number:05}", cpu="32", memory="128Gi", zone=ZONES[number % 3])
        yield _stored(node, f"node-{number}")
    for number in range(WORKLOADS):
        replicas = pods // WORKLOADS + (number < pods % WORKLOADS)
        yield from _workload(f"app-{number:03}", replicas, range(number, pods, WORKLOADS), nodes)


def _workload(name: str, replicas: int, numbers: Sequence[int], nodes: int) -> Iterator[Json]:
    labels = {"app": name}
    hashed = {**labels, "pod-template-hash": "5d5f6c7b9"}
    container = {
        "name": "main", "image": f"registry.example/{name}:1", "imagePullPolicy": "IfNotPresent",
        "resources": {"requests": {"cpu": "250m", "memory": "512Mi"}},
    }  # fmt: skip
    spec: dict[str, Any] = {"containers": [container], "restartPolicy": "Always"}
    template = {"metadata": {"labels": labels}, "spec": spec}
    selector = {"matchLabels": labels}
    full = {"replicas": replicas, "selector": selector, "template": template}
    status = {"replicas": replicas, "readyReplicas": replicas, "availableReplicas": replicas,
              "observedGeneration": 1}  # fmt: skip
    deployment = _object("apps/v1", "Deployment", name, spec=full, status={
        **status, "updatedReplicas": replicas,
    })  # fmt: skip
    deployment["metadata"]["annotations"] = {"deployment.kubernetes.io/revision": "1"}
    yield deployment
    owned = {
        **full,
        "selector": {"matchLabels": hashed},
        "template": {"metadata": {"labels": hashed}, "spec": spec},
    }
    set_name = f"{name}-5d5f6c7b9"
    replica_set = _object("apps/v1", "ReplicaSet", set_name, spec=owned, status=status)
    replica_set["metadata"] |= {
        "labels": hashed, "annotations": {"deployment.kubernetes.io/revision": "1"},
        "ownerReferences": [_owner(deployment)],
    }  # fmt: skip
    yield replica_set
    owners = [_owner(replica_set)]
    for number in numbers:
        pod = _object("v1", "Pod", f"{set_name}-{number:05x}", spec={
            **spec, "nodeName": f"node-{number % nodes:05}", "schedulerName": "default-scheduler",
        }, status=_running())  # fmt: skip
        pod["metadata"] |= {"labels": hashed, "ownerReferences": owners}
        yield pod


def _running() -> Json:
    since = "2026-01-01T00:00:00Z"
    kinds = ("Initialized", "Ready", "ContainersReady", "PodScheduled")
    return {
        "phase": "Running", "startTime": since,
        "conditions": [{"type": kind, "status": "True", "lastTransitionTime": since}
                       for kind in kinds],
        "containerStatuses": [{
            "name": "main", "ready": True, "started": True, "restartCount": 0, "image": "app:1",
            "imageID": "app@sha256:0", "state": {"running": {"startedAt": since}},
        }],
    }  # fmt: skip


def _object(api_version: str, kind: str, name: str, **parts: Any) -> Json:
    metadata = {"name": name, "namespace": "default", "generation": 1}
    return _stored({"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}, name)


def _stored(obj: Json, uid: str) -> Json:
    """As a cluster has it: with a uid, a version and a time."""
    recorded = {"uid": uid, "resourceVersion": "1", "creationTimestamp": "2026-01-01T00:00:00Z"}
    return {**obj, "metadata": {**obj["metadata"], **recorded}}


def _owner(obj: Json) -> Json:
    return {
        "apiVersion": obj["apiVersion"], "kind": obj["kind"], "name": obj["metadata"]["name"],
        "uid": obj["metadata"]["uid"], "controller": True, "blockOwnerDeletion": True,
    }  # fmt: skip


if __name__ == "__main__":
    main()
