"""A stage on which much happens, and what happened as one digest."""

from __future__ import annotations

import hashlib
import sys
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.controllers.kubelet.settings import KubeletSettings
from kubestage.controllers.settings import Settings
from kubestage.stage import Stage
from kubestage.testing import make_deployment, make_node

if TYPE_CHECKING:
    from kubestage.store.log import Change

Json = dict[str, Any]

CHANCE = KubeletSettings(launch_delay="exp(9s)", terminate_delay="uniform(1s,9s)")


def lively(seed: int) -> Stage:
    """Rollouts, retries, schedules, volumes and a node that fails, all with chance in them."""
    stage = Stage(seed)
    stage.add_scheduler()
    stage.add_controllers(Settings(kubelet=CHANCE, provision_delay="exp(5s)"))
    nodes = [make_node(f"n{number}", cpu="4") for number in range(6)]
    nodes[2]["metadata"]["annotations"] = {
        "kubestage.dev/fails-after": "uniform(2m,6m)",
        "kubestage.dev/recovers-after": "20m",
    }
    stage.apply(nodes)
    stage.apply([make_deployment("web", replicas=9, cpu="300m"), *_workloads()])
    return stage


def _template(**spec: Any) -> Json:
    container = {"name": "c", "image": "job:1", "resources": {"requests": {"cpu": "100m"}}}
    return {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [container], **spec}}


def _workloads() -> list[Json]:
    annotated = _template(restartPolicy="Never")
    annotated["metadata"]["annotations"] = {"kubestage.dev/run-duration": "lognormal(60s,90s)"}
    claim = {
        "metadata": {"name": "data"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
            "storageClassName": "csi",
        },
    }
    selector = {"matchLabels": {"app": "x"}}
    return [
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": "csi"},
            "provisioner": "example.com/csi",
            "volumeBindingMode": "WaitForFirstConsumer",
        },
        {
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "metadata": {"name": "db"},
            "spec": {
                "replicas": 3,
                "serviceName": "db",
                "selector": selector,
                "template": _template(),
                "volumeClaimTemplates": [claim],
            },
        },
        {
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "metadata": {"name": "agent"},
            "spec": {"selector": selector, "template": _template()},
        },
        {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": {"name": "tick"},
            "spec": {"schedule": "*/2 * * * *", "jobTemplate": {"spec": {"template": annotated}}},
        },
    ]


class Digest:
    """All changes of a store, times, names and uids included, in one number."""

    def __init__(self, stage: Stage) -> None:
        self._hash = hashlib.sha256()
        self._clock = stage.clock
        self.events = 0
        stage.store.subscribe(self)

    def __call__(self, change: Change) -> None:
        self.events += change.kind.kind == "Event"
        told = [self._clock.now_ns, change.type, change.key, change.new]
        self._hash.update(msgspec.json.encode(told))

    def __str__(self) -> str:
        return self._hash.hexdigest()


def digest_of(seed: int, duration: str) -> str:
    """What happens on the stage of a seed."""
    stage = lively(seed)
    digest = Digest(stage)
    stage.run(duration)
    assert digest.events > 100
    return str(digest)


if __name__ == "__main__":
    sys.stdout.write(digest_of(int(sys.argv[1]), sys.argv[2]))
