"""A container of one pod: what state it is in, and how the API shows it."""

from __future__ import annotations

import functools
import hashlib
from typing import TYPE_CHECKING, Final

from kubestage.store.outlines import outline

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.allocation import Allocation
    from kubestage.controllers.kubelet.plan import ContainerPlan
    from kubestage.programs.context import ContainerContext
    from kubestage.programs.process import Process


WAITING: Final = "waiting"
RUNNING: Final = "running"
TERMINATED: Final = "terminated"

COMPLETED: Final = "Completed"
ERROR: Final = "Error"
OOM_KILLED: Final = "OOMKilled"
KILLED_CODE: Final = 137
_STATUS: Final = outline(
    {"name": "", "state": None, "lastState": {}, "ready": False, "restartCount": 0},
    (
        "image", "imageID", "containerID", "started", "allocatedResources", "resources",
        "volumeMounts",
    ),
)  # fmt: skip


class Container:
    """The state of one container.

    `reason` and `message` are those of its present state; `last` is how it ended before. It
    `is_busy` while something is under way that will start it. `pull` is when its image was
    requested and how long the pull itself takes; `ends` is when it will end and with what code,
    once it has got the stop signal. `involved` is what Events call it. `held` is what it still has
    while it is to get something else. It has `burnt` so many core-nanoseconds by the time
    `since_ns`, from which on its `cpu` is what it is.

    `process` is what it runs, if that is modelled, and `before` what it ran before it was
    restarted; `rounds` are the results of its probes. `context` are those of commands that
    were run in it although its own program is not modelled.
    """

    # NOTE: slots take a third of the memory: every pod has some containers.
    __slots__ = (
        "backoff_ns", "backoff_since_ns", "before", "burnt", "context", "cpu", "ends",
        "exit_code", "finished", "finished_ns", "held", "id", "involved", "is_busy", "last",
        "memory", "message", "plan", "process", "pull", "pull_backoff_ns", "ready", "reason",
        "restarts", "rounds", "since_ns", "started", "started_at", "started_ns", "state",
        "was_started",
    )  # fmt: skip

    def __init__(self, plan: ContainerPlan) -> None:
        self.plan = plan
        self.state: str = WAITING
        self.reason = ""
        self.message = ""
        self.exit_code = 0
        self.started_at: str | None = None
        self.started_ns = 0
        self.finished: str | None = None
        self.finished_ns = 0
        self.restarts = -1
        self.last: Json | None = None
        self.id = ""
        self.started = False
        self.was_started = False
        self.ready = False
        self.is_busy = False
        self.backoff_ns = 0
        self.backoff_since_ns = 0
        self.cpu = 0.0
        self.burnt = 0.0
        self.since_ns = 0
        self.memory = 0.0
        self.pull: tuple[int, int] | None = None
        self.pull_backoff_ns = 0
        self.ends: tuple[int, int] | None = None
        self.involved: Json | None = None
        self.held: Allocation | None = None
        self.process: Process | None = None
        self.before: Process | None = None
        self.rounds: dict[str, list[int]] | None = None
        self.context: ContainerContext | None = None

    @property
    def has_run(self) -> bool:
        """Whether it was ever started."""
        return self.restarts >= 0

    def start(self, uid: str, stamp: str, now_ns: int) -> None:
        """It runs."""
        self.restarts += 1
        self.state = RUNNING
        self.reason = self.message = ""
        self.started_at, self.started_ns = stamp, now_ns
        self.id = f"containerd://{uid.replace('-', '')}{_digest(self.plan.name, self.restarts)}"

    def end(self, exit_code: int, reason: str, stamp: str, now_ns: int) -> None:
        """It ended."""
        self.state = TERMINATED
        self.exit_code, self.reason, self.message = exit_code, reason, ""
        self.finished, self.finished_ns = stamp, now_ns
        self.started = False
        self.held = None
        self.ready = self.plan.is_init and not self.plan.is_sidecar and exit_code == 0

    def wait(self, reason: str, message: str) -> None:
        """It is to start, and cannot yet."""
        if self.state == TERMINATED:
            self.last = self._terminated()
        self.state = WAITING
        self.reason, self.message = reason, message
        self.started = self.ready = False

    def lose(self, message: str) -> None:
        """Its state is not known."""
        self.state = TERMINATED
        self.exit_code, self.reason, self.message = KILLED_CODE, "ContainerStatusUnknown", message
        self.started_at = self.finished = None
        self.id = ""

    def remember_end(self) -> None:
        """Keep how it ended, before it starts again."""
        if self.state == TERMINATED:
            self.last = self._terminated()

    def status(self) -> Json:
        """Its ContainerStatus."""
        plan = self.plan
        if self.restarts < 0 and not self.reason and self.last is None:
            return plan.waiting
        status = _STATUS.copy()
        status["name"], status["state"] = plan.name, self._state()
        if self.last is not None:
            status["lastState"] = {"terminated": self.last}
        status["ready"], status["restartCount"] = self.ready, max(self.restarts, 0)
        if self.restarts < 0:
            status["image"], status["imageID"] = plan.requested_image, ""
        else:
            status["image"], status["imageID"] = plan.image, image_id(plan.image)
        if self.id:
            status["containerID"] = self.id
        status["started"] = self.started
        if self.restarts >= 0:
            allocation = plan.allocation
            if allocation.requests is not None:
                status["allocatedResources"] = allocation.requests
            status["resources"] = allocation.shown if self.held is None else self.held.shown
        if plan.mounts:
            status["volumeMounts"] = plan.mounts
        return status

    def _state(self) -> Json:
        if self.state == RUNNING:
            return _running_since(self.started_at)
        if self.state == TERMINATED:
            return {"terminated": self._terminated()}
        waiting = {"reason": self.reason} if self.reason else {}
        if self.message:
            waiting["message"] = self.message
        return {"waiting": waiting or self.plan.waiting["state"]["waiting"]}

    def _terminated(self) -> Json:
        ended: Json = {"exitCode": self.exit_code, "reason": self.reason}
        if self.message:
            ended["message"] = self.message
        ended["startedAt"], ended["finishedAt"] = self.started_at, self.finished
        if self.id:
            ended["containerID"] = self.id
        return ended


@functools.lru_cache(maxsize=64)
def _running_since(time: str | None) -> Json:
    """The state of all containers that were started at one time."""
    return {"running": {"startedAt": time}}


@functools.lru_cache(maxsize=4096)
def _digest(name: str, number: int) -> str:
    return hashlib.sha256(f"{name}/{number}".encode()).hexdigest()[:32]


@functools.lru_cache(maxsize=4096)
def image_id(image: str) -> str:
    """The digest by which a node knows an image: made up from its name, the same everywhere."""
    if "@" in image:
        return image
    repository = image.rpartition(":")[0]
    return f"{repository}@sha256:{hashlib.sha256(image.encode()).hexdigest()}"


def reason_of(exit_code: int) -> str:
    """What the runtime calls an end."""
    return COMPLETED if exit_code == 0 else ERROR
