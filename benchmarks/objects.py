"""What the vocabulary costs: reading manifests, parsing quantities, building pod views.

Run as ``python benchmarks/objects.py [rounds]``. Each figure is the best of several rounds of CPU
time, for the machine may be shared.
"""

from __future__ import annotations

import copy
import gc
import itertools
import sys
import time
from typing import TYPE_CHECKING, Any

import msgspec
import yaml

from kubestage.objects import manifest, quantity
from kubestage.objects.views import pod as pods

if TYPE_CHECKING:
    from collections.abc import Callable

MANIFEST_OBJECTS = 100
JSON_BYTES = 10_000_000
MAX_SHARE = 0.30
MAX_PARSE_US = 1.0
MAX_VIEW_US = 30.0

SPREAD = {"labelSelector": {"matchLabels": {"app": "web"}}}
POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "web-7d4b9c6f5-abcde",
        "namespace": "shop",
        "uid": "0b6f1c1e-0000-4000-8000-000000000001",
        "labels": {"app": "web", "pod-template-hash": "7d4b9c6f5"},
        "annotations": {"example.com/revision": "42"},
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "ownerReferences": [{"kind": "ReplicaSet", "name": "web-7d4b9c6f5", "controller": True}],
    },
    "spec": {
        "containers": [
            {
                "name": "web",
                "image": "registry.example.com/shop/web:1.42",
                "args": ["--port=8080", "--verbose"],
                "env": [{"name": f"SETTING_{index}", "value": "on"} for index in range(8)],
                "ports": [{"containerPort": 8080, "protocol": "TCP"}],
                "resources": {
                    "requests": {"cpu": "250m", "memory": "512Mi"},
                    "limits": {"cpu": "1", "memory": "1Gi"},
                },
                "volumeMounts": [{"name": "cache", "mountPath": "/cache"}],
                "readinessProbe": {"httpGet": {"path": "/ready", "port": 8080}},
            },
            {
                "name": "proxy",
                "image": "registry.example.com/shop/proxy:7",
                "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}},
            },
        ],
        "nodeSelector": {"disk": "ssd"},
        "tolerations": [
            {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"},
            {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"},
        ],
        "topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", **SPREAD}
        ],
        "volumes": [{"name": "cache", "emptyDir": {}}],
        "schedulerName": "default-scheduler",
        "priority": 0,
    },
    "status": {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False"}]},
}


def best(work: Callable[[], Any], rounds: int, repeat: int = 1) -> float:
    """The least CPU time in seconds of one call."""
    times = []
    for _ in range(rounds):
        started = time.process_time()
        for _ in range(repeat):
            work()
        times.append(time.process_time() - started)
    return min(times) / repeat


def report(name: str, figure: str, verdict: bool | None = None) -> None:
    mark = "" if verdict is None else ("  ok" if verdict else "  MISSED")
    print(f"  {name:<58} {figure:>16}{mark}")


def _numbered(index: int) -> dict[str, Any]:
    pod = copy.deepcopy(POD)
    pod["metadata"]["name"] = f"web-{index}"
    pod["metadata"]["uid"] = f"0b6f1c1e-0000-4000-8000-{index:012d}"
    return pod


def quantities(rounds: int) -> None:
    print("quantity parse (seen before)")
    texts = ["250m", "512Mi", "1", "1.5Gi", "100e3", "12Ti", "7500u", "3000"]
    for name, work in (
        ("parse", lambda: [quantity.parse(text) for text in texts]),
        ("value_of", lambda: [quantity.value_of(text) for text in texts]),
    ):
        each_us = best(work, rounds, 20_000) / len(texts) * 1e6
        report(f"quantity.{name}", f"{each_us:.3f} us", each_us < MAX_PARSE_US)
    fresh = itertools.count(1)
    spent = best(lambda: quantity.parse(f"{next(fresh)}m"), rounds, 10_000)
    report("quantity.parse of a new text", f"{spent * 1e6:.3f} us")


def pod_views(rounds: int) -> None:
    print("pod view")
    twins = itertools.cycle([_numbered(index) for index in range(500)])
    spent = best(lambda: pods.of(next(twins)), rounds, 5_000)
    report("pods of one template", f"{spent * 1e6:.2f} us", spent * 1e6 < MAX_VIEW_US)
    strangers = [_numbered(index) for index in range(1_000 * rounds)]
    for index, pod in enumerate(strangers):
        pod["spec"]["nodeSelector"] = {"disk": f"ssd-{index}"}
    # The collector shall not walk the pods of this benchmark while views are timed.
    gc.collect()
    gc.freeze()
    unseen = iter(strangers)
    spent = best(lambda: pods.of(next(unseen)), rounds, 1_000)
    report("each pod of its own template", f"{spent * 1e6:.2f} us", spent * 1e6 < MAX_VIEW_US)
    gc.unfreeze()


def reading(rounds: int) -> None:
    print("reading manifests: the share that is ours")
    objects = [_numbered(index) for index in range(MANIFEST_OBJECTS)]
    text = yaml.safe_dump_all(objects)
    spent = best(lambda: manifest.load_text(text, "bench.yaml"), rounds)
    bare = best(lambda: list(yaml.load_all(text, yaml.CSafeLoader)), rounds)
    _share(f"YAML, {MANIFEST_OBJECTS} objects, {len(text) / 1e3:.0f} kB", spent, bare)
    count = JSON_BYTES // len(msgspec.json.encode(POD)) + 1
    items = [_numbered(index) for index in range(count)]
    data = msgspec.json.encode({"apiVersion": "v1", "kind": "List", "items": items})
    spent = best(lambda: manifest.load_text(data, "bench.json"), rounds)
    bare = best(lambda: msgspec.json.decode(data), rounds)
    _share(f"JSON, {count} objects, {len(data) / 1e6:.1f} MB", spent, bare)


def _share(name: str, spent: float, bare: float) -> None:
    share = max(0.0, 1 - bare / spent)
    report(f"{name}: ours", f"{spent * 1e3:.1f} ms")
    report(f"{name}: bare parser", f"{bare * 1e3:.1f} ms")
    report(f"{name}: share that is ours", f"{share:.0%}", share < MAX_SHARE)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    quantities(rounds)
    pod_views(rounds)
    reading(rounds)


if __name__ == "__main__":
    main()
