"""A cluster with the loops that Jobs need, where the test itself plays the kubelet."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from kubestage.controllers.cronjob.loop import CronJobController
from kubestage.controllers.garbage_collector import GarbageCollectorController
from kubestage.controllers.job.loop import JobController
from kubestage.controllers.runner import Runner
from kubestage.controllers.ttl_after_finished import TTLAfterFinishedController
from kubestage.objects import timestamps
from kubestage.sim.clock import Clock
from kubestage.sim.environment import Environment
from kubestage.sim.recorder import CountsOnly
from kubestage.sim.streams import Streams
from kubestage.store.store import Store
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json

JOB = ("batch/v1", "Job")
CRON_JOB = ("batch/v1", "CronJob")
POD = ("v1", "Pod")
TEMPLATE: Json = {
    "metadata": {"labels": {"app": "j"}},
    "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "app:v1"}]},
}


def job(name: str = "j", template: Json | None = None, **spec: Any) -> Json:
    """A Job's manifest."""
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"template": template or TEMPLATE, **spec},
    }


class BatchCluster:
    """Loops, store and clock; time stands still unless `run` is called."""

    def __init__(self, start: str = "2026-01-01T00:00:00Z") -> None:
        self.clock = Clock(timestamps.parse_time(start))
        self.environment = Environment(clock=self.clock, recorder=CountsOnly())
        streams = Streams(0)
        self.store = Store(self.clock, streams)
        loops = (
            CronJobController,
            JobController,
            TTLAfterFinishedController,
            GarbageCollectorController,
        )
        self.runner = Runner(self.store, self.environment, streams, loops)
        self.runner.start()

    def fork(self) -> BatchCluster:
        """A copy that goes on by itself."""
        copy: BatchCluster = pickle.loads(pickle.dumps(self))
        return copy

    def create(self, manifest: Json) -> Json:
        """Create an object, and have the loops react to it."""
        created = self.store.create(manifest)
        self.run(0.01)
        return created

    def patch(self, spec: Json, name: str = "j") -> None:
        """Change a Job's spec."""
        self.store.patch(JOB, name, {"spec": spec}, "default")
        self.run(0.01)

    def run(self, seconds: float) -> None:
        """Let time pass."""
        self.environment.run(until_ns=self.clock.now_ns + round(seconds * SECOND_NS))

    @property
    def now(self) -> str:
        """The time as objects have it."""
        return timestamps.format_time(self.clock.unix_ns)

    def job(self, name: str = "j") -> Json:
        """A Job."""
        return self.store.get(JOB, name, "default")

    def status(self, name: str = "j") -> Json:
        """A Job's status."""
        found: Json = self.job(name).get("status") or {}
        return found

    def conditions(self, name: str = "j") -> dict[str, str]:
        """The reasons of a Job's true conditions, by type."""
        return {
            each["type"]: each["reason"]
            for each in self.status(name).get("conditions", ())
            if each["status"] == "True"
        }

    def pods(self, **labels: str) -> list[Json]:
        """The pods as they came, all or those with labels."""
        found = [
            pod
            for pod in self.store.read(POD).values()
            if labels.items() <= pod["metadata"].get("labels", {}).items()
        ]
        return sorted(found, key=lambda pod: timestamps.parse_time(_created(pod)))

    def working(self) -> list[Json]:
        """The pods that have neither ended nor are to go."""
        return [
            pod
            for pod in self.pods()
            if pod["status"].get("phase") not in ("Succeeded", "Failed")
            and "deletionTimestamp" not in pod["metadata"]
        ]

    def of_index(self, index: int) -> Json:
        """The working pod of a completion index."""
        label = "batch.kubernetes.io/job-completion-index"
        (found,) = (
            pod for pod in self.working() if pod["metadata"]["labels"].get(label) == str(index)
        )
        return found

    def start(self, pod: Json, restarts: int = 0) -> None:
        """A pod runs and is ready."""
        if "nodeName" not in pod["spec"]:
            self.store.bind(pod["metadata"]["name"], "default", "n1")
        ready = {"type": "Ready", "status": "True", "lastTransitionTime": self.now}
        container = {"name": "c", "state": {"running": {}}, "restartCount": restarts}
        self._write(pod, {"phase": "Running", "conditions": [ready]}, container)

    def finish(self, pod: Json, code: int = 0, *conditions: str) -> None:
        """A pod's container ends."""
        kinds = ({"type": kind, "status": "True"} for kind in conditions)
        ready = {"type": "Ready", "status": "False", "lastTransitionTime": self.now}
        ended = {"exitCode": code, "finishedAt": self.now}
        container = {"name": "c", "state": {"terminated": ended}}
        phase = "Failed" if code else "Succeeded"
        self._write(pod, {"phase": phase, "conditions": [ready, *kinds]}, container)

    def fail_and_replace(self, seconds: float) -> Json:
        """Have the one working pod fail, and wait for the next."""
        (pod,) = self.working()
        self.finish(pod, 1)
        self.run(seconds)
        (pod,) = self.working()
        return pod

    def events(self, about: str = "Job") -> list[str]:
        """Reasons and messages, in order."""
        return [
            f"{event['reason']}: {event['message']}"
            for event in self.store.read(("v1", "Event")).values()
            if event["involvedObject"]["kind"] == about
        ]

    def reasons(self, about: str = "Job") -> list[str]:
        """The reasons of Events, in order."""
        return [text.partition(":")[0] for text in self.events(about)]

    def _write(self, pod: Json, status: Json, container: Json) -> None:
        key = f"default/{pod['metadata']['name']}"
        self.store.record_status(POD, key, {**status, "containerStatuses": [container]})


def _created(pod: Json) -> str:
    created: str = pod["metadata"]["creationTimestamp"]
    return created
