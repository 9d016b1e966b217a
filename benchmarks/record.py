"""How large a recording of a day becomes, and what it costs: an hour of churn, extrapolated.

Run it: ``python benchmarks/record.py [--nodes N] [--minutes N]``. Objects have the size that they
have in real clusters, and change as there: kubelets report the status of nodes every five minutes,
HPAs what they read every 15 seconds, pods come and go with rollouts and Jobs. Values that differ in
reality are random here, so that they do not compress better. Usage is sampled every minute.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import pathlib
import random
import resource
import tempfile
import time
from typing import TYPE_CHECKING, Any, Final

from kubestage.sources import continuing, segments, usage
from kubestage.sources.change_log import ChangeLog, LogIdentity
from kubestage.sources.imported import format_ns, reference_of
from kubestage.sources.usage import UsageSample, UsageWriter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json

SECOND: Final = 10**9
START: Final = 1_772_359_200 * SECOND
PODS_A_NODE: Final = 20
HEARTBEAT_S: Final = 300
HPA_SHARE: Final = 0.3
"""HPAs for each node."""
CHURN: Final = 0.1
"""The share of pods that are replaced in an hour."""
MIB: Final = 2**20


class Cluster:
    """Objects of a cluster, and what happens to them."""

    def __init__(self, nodes: int) -> None:
        self.random = random.Random(1)
        self.version = 1_000_000
        self.nodes = [self._node(number) for number in range(nodes)]
        self.pods = [self._pod(number) for number in range(nodes * PODS_A_NODE)]
        self.scalers = [self._scaler(number) for number in range(int(nodes * HPA_SHARE))]
        self.deployments = [self._deployment(number) for number in range(nodes)]
        self.made = len(self.pods)

    def _metadata(self, name: str, namespace: str = "") -> Json:
        self.version += 1
        found = {
            "name": name, "uid": self._word(36), "resourceVersion": str(self.version),
            "creationTimestamp": "2026-02-20T08:00:00Z",
            "labels": {"app.kubernetes.io/name": name[:20], "team": self._word(8),
                       "pod-template-hash": self._word(10)},
            "annotations": {"checksum/config": self._word(64)},
        }  # fmt: skip
        return {**found, "namespace": namespace} if namespace else found

    def _word(self, size: int) -> str:
        return "".join(self.random.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=size))

    def _node(self, number: int) -> Json:
        images = [
            {"names": [f"registry.example/{self._word(12)}@sha256:{self._word(64)}",
                       f"registry.example/{self._word(12)}:v1"], "sizeBytes": number * 7919}
            for _ in range(50)
        ]  # fmt: skip
        kinds = ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready", "NetworkUnavailable")
        conditions = [_condition(each, "False") for each in kinds]
        amounts = {"cpu": "15890m", "memory": "57769656Ki", "pods": "110",
                   "ephemeral-storage": "95551679124"}  # fmt: skip
        status = {"capacity": amounts, "allocatable": amounts, "conditions": conditions,
                  "images": images, "addresses": [{"type": "InternalIP", "address": "10.1.2.3"}],
                  "nodeInfo": {"machineID": self._word(32), "kubeletVersion": "v1"}}  # fmt: skip
        return {"apiVersion": "v1", "kind": "Node", "metadata": self._metadata(f"ip-10-{number}"),
                "spec": {"providerID": f"aws:///{self._word(20)}"}, "status": status}  # fmt: skip

    def _pod(self, number: int) -> Json:
        env = [{"name": f"SETTING_{each}", "value": self._word(12)} for each in range(15)]
        containers = [
            {"name": name, "image": f"registry.example/{name}:1.{number % 50}", "env": env,
             "resources": {"requests": {"cpu": "250m", "memory": "512Mi"}},
             "volumeMounts": [{"name": "token", "mountPath": "/var/run/secrets", "readOnly": True}]}
            for name in ("main", "sidecar")[: 1 + number % 3 // 2]
        ]  # fmt: skip
        spec = {"containers": containers, "serviceAccountName": "default", "nodeName": "",
                "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists",
                                 "effect": "NoExecute", "tolerationSeconds": 300}]}  # fmt: skip
        name = f"app-{number % 500}-{self._word(10)}-{self._word(5)}"
        return {"apiVersion": "v1", "kind": "Pod", "spec": spec, "status": {"phase": "Pending"},
                "metadata": self._metadata(name, f"team-{number % 100}")}  # fmt: skip

    def _scaler(self, number: int) -> Json:
        status = {"currentReplicas": 3, "desiredReplicas": 3, "currentMetrics": [
            {"type": "Resource", "resource": {"name": "cpu", "current": {}}}],
            "conditions": [_condition(each, "True") for each in ("AbleToScale", "ScalingActive")],
        }  # fmt: skip
        return {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
                "metadata": self._metadata(f"app-{number}", f"team-{number % 100}"),
                "spec": {"minReplicas": 2, "maxReplicas": 20}, "status": status}  # fmt: skip

    def _deployment(self, number: int) -> Json:
        template = {"spec": self._pod(number)["spec"]}
        return {"apiVersion": "apps/v1", "kind": "Deployment",
                "metadata": self._metadata(f"app-{number}", f"team-{number % 100}"),
                "spec": {"replicas": 20, "template": template},
                "status": {"replicas": 20, "readyReplicas": 20}}  # fmt: skip

    def changed(self, obj: Json, at_ns: int) -> Json:
        """A copy with another version, to write to."""
        self.version += 1
        found = {**obj, "status": copy.deepcopy(obj["status"])}
        found["metadata"] = {**obj["metadata"], "resourceVersion": str(self.version)}
        for each in found["status"].get("conditions", ()):
            each["lastHeartbeatTime"] = format_ns(at_ns)
        return found

    def second(self, second: int) -> Iterator[tuple[int, Json | None, Json]]:
        """What changes in one second: the object before, and after."""
        at_ns = START + second * SECOND
        for number in range(second % HEARTBEAT_S, len(self.nodes), HEARTBEAT_S):
            before, self.nodes[number] = self.nodes[number], self.changed(self.nodes[number], at_ns)
            yield at_ns, before, self.nodes[number]
        for number in range(second % 15, len(self.scalers), 15):
            obj = self.changed(self.scalers[number], at_ns)
            current = {"averageUtilization": self.random.randrange(100),
                       "averageValue": f"{self.random.randrange(10**6)}m"}  # fmt: skip
            obj["status"]["currentMetrics"][0]["resource"]["current"] = current
            before, self.scalers[number] = self.scalers[number], obj
            yield at_ns, before, obj
        expected = len(self.pods) * CHURN / 3600
        count = int(expected) + (self.random.random() < expected % 1)
        for _ in range(count):
            yield from self._replaced(at_ns)

    def _replaced(self, at_ns: int) -> Iterator[tuple[int, Json | None, Json]]:
        """A pod ends and another one starts, and its Deployment counts that."""
        place = self.random.randrange(len(self.pods))
        old = self.pods[place]
        self.made += 1
        pod = self._pod(self.made)
        yield at_ns, None, pod
        bound = self.changed(pod, at_ns)
        bound["spec"] = {**pod["spec"], "nodeName": f"ip-10-{self.made % len(self.nodes)}"}
        steps: list[Json] = [pod, bound]
        kinds = ("PodScheduled", "Initialized", "ContainersReady", "Ready")
        for phase in ("Pending", "Running", "Running"):
            following = self.changed(steps[-1], at_ns)
            following["status"] = {
                "phase": phase, "podIP": f"10.4.{self.made % 250}.{place % 250}",
                "conditions": [_condition(each, "True") for each in kinds[: 1 + len(steps)]],
                "containerStatuses": [{"name": "main", "containerID": f"x://{self._word(64)}",
                                       "imageID": f"sha256:{self._word(64)}", "ready": True}],
            }  # fmt: skip
            steps.append(following)
        for before, after in itertools.pairwise(steps):
            yield at_ns, before, after
        self.pods[place] = steps[-1]
        deployment = self.deployments[place % len(self.deployments)]
        counted = self.changed(deployment, at_ns)
        counted["status"]["readyReplicas"] = self.random.randrange(15, 20)
        self.deployments[place % len(self.deployments)] = counted
        yield at_ns, deployment, counted
        ending = self.changed(old, at_ns)
        ending["metadata"]["deletionTimestamp"] = format_ns(at_ns)
        yield at_ns, old, ending
        yield at_ns, ending, {}

    def samples(self, at_ns: int) -> Iterator[UsageSample]:
        """What containers use at a moment."""
        for pod in self.pods:
            names = pod["metadata"]
            for container in pod["spec"]["containers"]:
                yield UsageSample(
                    # Nodes are scraped at different times.
                    at_ns=at_ns - self.random.randrange(15) * SECOND, namespace=names["namespace"],
                    pod=names["name"], container=container["name"], window_ns=15 * SECOND,
                    cpu_nanocores=int(self.random.lognormvariate(18, 1.5)),
                    memory_bytes=int(self.random.lognormvariate(19, 1)),
                )  # fmt: skip


def _condition(kind: str, status: str) -> Json:
    moment = "2026-02-20T08:00:00Z"
    return {"type": kind, "status": status, "lastTransitionTime": moment,
            "reason": f"Kubelet{kind}", "message": f"kubelet has sufficient {kind}"}  # fmt: skip


def main() -> None:
    """Record some minutes, and print what a day would take."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--minutes", type=int, default=60)
    arguments = parser.parse_args()
    cluster = Cluster(arguments.nodes)
    with tempfile.TemporaryDirectory() as place:
        for name, value in measure(cluster, pathlib.Path(place), arguments.minutes).items():
            print(f"{name:<32} {value}")


def measure(cluster: Cluster, place: pathlib.Path, minutes: int) -> dict[str, Any]:
    """Figures of a recording of so many minutes."""
    log = ChangeLog(place / "recording", LogIdentity())
    writer = UsageWriter(place, usage.METRICS_API)
    objects = [*cluster.nodes, *cluster.pods, *cluster.scalers, *cluster.deployments]
    for obj in objects:
        log.put(reference_of(obj), obj, START)
    log.start(START)
    state_bytes = log.size
    took_s = sampled_s = 0.0
    for second in range(minutes * 60):
        changes = list(cluster.second(second))
        began_s = time.process_time()
        for at_ns, before, obj in changes:
            if obj:
                log.put(reference_of(obj), obj, at_ns, version=obj["metadata"]["resourceVersion"])
            else:
                assert before is not None
                log.remove(reference_of(before), at_ns, version="1")
        log.flush(START + second * SECOND)
        took_s += time.process_time() - began_s
        if second % 60 == 0:
            samples = list(cluster.samples(START + second * SECOND))
            began_s = time.process_time()
            writer.add(samples)
            writer.flush()
            sampled_s += time.process_time() - began_s
    log.close()
    writer.close()
    began_s = time.process_time()
    assert continuing.load(place / "recording") is not None
    hours = minutes / 60
    changes_mib = (log.size - state_bytes) / MIB
    day_mib = changes_mib / hours * 24
    # Each segment begins with the state.
    day_mib += (1 + day_mib * MIB // segments.MOST_BYTES) * state_bytes / MIB
    memory_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    usage_mib = writer.size / MIB / hours * 24
    return {
        "objects": f"{len(objects):,}",
        "state": f"{state_bytes / MIB:.1f} MiB",
        "changes": f"{log.changes:,} in {minutes} min, {changes_mib:.1f} MiB",
        "bytes of a change": f"{(log.size - state_bytes) / max(log.changes, 1):.0f}",
        "processor for a change": f"{took_s / max(log.changes, 1) * 1e6:.0f} us",
        "samples of usage": f"{writer.samples:,}, {writer.size / MIB:.1f} MiB",
        "bytes of a sample": f"{writer.size / max(writer.samples, 1):.1f}",
        "processor for a sample": f"{sampled_s / max(writer.samples, 1) * 1e6:.1f} us",
        "continuing (one segment)": f"{time.process_time() - began_s:.1f} s of processor",
        "a day of changes": f"{day_mib:.0f} MiB",
        "a day of usage": f"{usage_mib:.0f} MiB",
        "a day in all": f"{day_mib + usage_mib:.0f} MiB",
        "memory of this program": f"{memory_mib} MiB",
    }


if __name__ == "__main__":
    main()
