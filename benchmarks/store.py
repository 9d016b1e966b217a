"""What the store costs: creates and binds a second, memory of a large cluster, lists, watches.

Run as ``python benchmarks/store.py``. Times are CPU time of one core: the machine may be shared.
"""

from __future__ import annotations

import argparse
import gc
import pathlib
import resource
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.objects.views import pod as pod_views
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.event_recorder import SeriesRecorder
from kubestage.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.objects.views.pod import PodView

POD, NODE = ("v1", "Pod"), ("v1", "Node")
NODES, PODS, APPS = 5_000, 150_000, 20
BURST, BURSTS, MANY = 1_000, 30, 400_000


def new_store() -> Store:
    return Store(Clock(), Streams(1))


def pod(app: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "generateName": f"{app}-5d5c8f6b7c-",
            "labels": {"app": app, "pod-template-hash": "5d5c8f6b7c"},
            "ownerReferences": [
                {
                    "apiVersion": "apps/v1",
                    "kind": "ReplicaSet",
                    "name": f"{app}-5d5c8f6b7c",
                    "uid": "6f0c9a3e-0000-4000-8000-000000000000",
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
        },
        "spec": {
            "containers": [
                {
                    "name": "main",
                    "image": "registry.example/app:1.2.3",
                    "ports": [{"containerPort": 8080}],
                    "env": [{"name": "MODE", "value": "production"}],
                    "resources": {
                        "requests": {"cpu": "250m", "memory": "256Mi"},
                        "limits": {"memory": "512Mi"},
                    },
                    "readinessProbe": {"httpGet": {"path": "/ready", "port": 8080}},
                }
            ],
            "topologySpreadConstraints": [
                {
                    "maxSkew": 1,
                    "topologyKey": "topology.kubernetes.io/zone",
                    "whenUnsatisfiable": "ScheduleAnyway",
                    "labelSelector": {"matchLabels": {"app": app}},
                }
            ],
        },
    }


def node(index: int) -> dict[str, Any]:
    name = f"node-{index:05d}"
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/hostname": name,
                "topology.kubernetes.io/zone": f"zone-{index % 3}",
                "node.kubernetes.io/instance-type": "m5.4xlarge",
            },
        },
        "status": {
            "capacity": {"cpu": "16", "memory": "64Gi", "pods": "110"},
            "allocatable": {"cpu": "15800m", "memory": "62Gi", "pods": "110"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def seconds(work: Callable[[], object]) -> float:
    """CPU time."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def best(work: Callable[[], object], times: int = 5) -> float:
    return min(seconds(work) for _ in range(times))


def creates() -> Iterator[str]:
    store = new_store()
    watch = store.watch(POD)
    templates = [pod(f"app-{index}") for index in range(APPS)]

    def few(count: int = 20_000) -> None:
        for index in range(count):
            store.create(templates[index % APPS])
            watch.poll()

    def fresh(count: int = 2_000) -> None:
        for index in range(count):
            template = pod("fresh")
            template["metadata"]["labels"]["run"] = f"{index}-{store.resource_version}"
            store.create(template)
            watch.poll()

    few(1_000)
    yield f"creates, {APPS} templates, one watcher   {20_000 / best(few, 3):>10,.0f} /s"
    yield f"creates, every template new            {2_000 / best(fresh, 3):>10,.0f} /s"


def bindings() -> Iterator[str]:
    """What is written for each pod that is scheduled; the best burst is the undisturbed one."""
    store = new_store()
    recorder, template = SeriesRecorder(store), pod("bound")
    taken: dict[str, list[float]] = {}

    def timed(what: str, work: Callable[[dict[str, Any], int], object]) -> None:
        gc.collect()
        gc.disable()
        taken.setdefault(what, []).append(
            seconds(lambda: [work(each, index) for index, each in enumerate(pods)])
        )
        gc.enable()

    def assign(each: dict[str, Any], index: int) -> None:
        metadata = each["metadata"]
        store.assign(f"default/{metadata['name']}", f"node-{index % 100}", metadata["uid"])

    def announce(each: dict[str, Any], _: int) -> None:
        recorder.event(each, "Normal", "Scheduled", "Binding", "assigned", "default-scheduler")

    for _ in range(BURSTS):
        pods = [store.create(template) for _ in range(BURST)]
        timed("binding a pod", assign)
        timed("its Event", announce)
    for what, found in taken.items():
        yield f"{what:<38} {min(found) / BURST * 1e6:>10.2f} us"


def fill(store: Store, *, bind: bool) -> None:
    templates = [pod(f"app-{index}") for index in range(APPS)]
    for index in range(NODES):
        store.create(node(index))
    for index in range(PODS):
        created = store.create(templates[index % APPS])
        if bind:
            name = created["metadata"]["name"]
            store.bind(name, "default", f"node-{index % NODES:05d}")


def reads(store: Store) -> Iterator[str]:
    def scan_label() -> list[Any]:
        pods = store.read(POD).values()
        return [each for each in pods if each["metadata"]["labels"].get("app") == "app-7"]

    def scan_node() -> list[Any]:
        pods = store.read(POD).values()
        return [each for each in pods if each["spec"].get("nodeName") == "node-00042"]

    by_label = best(lambda: store.list(POD, label_selector="app=app-7"))
    by_node = best(lambda: store.list(POD, field_selector="spec.nodeName=node-00042"))
    yield f"list by label ({PODS // APPS:,} of {PODS:,})        {by_label * 1e3:>10,.2f} ms"
    yield f"  the same by a scan                   {best(scan_label, 3) * 1e3:>10,.2f} ms"
    yield f"list by spec.nodeName ({PODS // NODES} of {PODS:,})    {by_node * 1e6:>10,.0f} us"
    yield f"  the same by a scan                   {best(scan_node, 3) * 1e3:>10,.2f} ms"
    page = best(lambda: store.list(POD, limit=500))
    yield f"first page of 500                      {page * 1e3:>10,.2f} ms"


def watching(store: Store) -> Iterator[str]:
    start = store.resource_version
    changes = 2_000
    for index, key in enumerate(list(store.read(POD))[:changes]):
        name = key.partition("/")[2]
        patch = {"metadata": {"annotations": {"seen": str(index)}}}
        store.patch(POD, name, patch, "default")
    watchers = [
        store.watch(POD, resource_version=start, label_selector=f"app=app-{index % APPS}")
        for index in range(1_000)
    ]
    plain = [store.watch(POD, resource_version=start) for _ in range(1_000)]
    rate = 1_000 * changes / seconds(lambda: [watch.poll() for watch in plain])
    yield f"watch delivery, 1,000 watchers         {rate:>10,.0f} events/s"
    rate = 1_000 * changes / seconds(lambda: [watch.poll() for watch in watchers])
    yield f"  each with a label selector           {rate:>10,.0f} changes looked at/s"


def rss_mib() -> float:
    """The most memory this process has held; getrusage would count the parent's, too."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def parts() -> None:
    """The memory of a pod by what becomes of it, with ten of them on a node."""
    store = new_store()
    recorder = SeriesRecorder(store)
    templates = [pod(f"app-{index}") for index in range(APPS)]
    views: list[PodView] = []

    def create() -> None:
        for index in range(MANY):
            store.create(templates[index % APPS])

    def view() -> None:
        views.extend(pod_views.of(each, key) for key, each in store.read(POD).items())

    def bind() -> None:
        for index, each in enumerate(views):
            bound = store.assign(each.key, f"node-{index // 10:06d}", each.uid)
            views[index] = msgspec.structs.replace(each, raw=bound)

    def announce() -> None:
        for each in views:
            note = f"Successfully assigned {each.key} to node-000000"
            recorder.event(each.raw, "Normal", "Scheduled", "Binding", note, "default-scheduler")

    begin = before = _held_bytes()
    for what, work in (
        ("created", create),
        ("its view", view),
        ("bound", bind),
        ("its Event", announce),
    ):
        work()
        held = _held_bytes()
        print(f"a pod: {what:<31} {(held - before) / MANY:>10,.0f} bytes")
        before = held
    print(f"a pod in all                           {(before - begin) / MANY:>10,.0f} bytes")


def _held_bytes() -> int:
    gc.collect()
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def large(*, bind: bool) -> None:
    before = rss_mib()
    store = new_store()
    took = seconds(lambda: fill(store, bind=bind))
    what = "created and bound" if bind else "created"
    print(f"{NODES:,} nodes, {PODS:,} pods {what} in {took:.1f} s:")
    print(f"RSS                                    {rss_mib():>10,.0f} MiB (empty: {before:,.0f})")
    if bind:
        for line in (*reads(store), *watching(store)):
            print(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    choices = ("parts", "created", "bound")
    parser.add_argument("--large", choices=choices, help="one part, in this process")
    chosen = parser.parse_args().large
    if chosen == "parts":
        parts()
        return
    if chosen is not None:
        large(bind=chosen == "bound")
        return
    for line in (*creates(), *bindings()):
        print(line)
    for part in choices:
        subprocess.run([sys.executable, __file__, "--large", part], check=True)


if __name__ == "__main__":
    main()
