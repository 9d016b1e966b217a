"""Runs the programs of pods: from when a container runs until it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage import wording
from kubestage.cluster import callers
from kubestage.cluster.load_programs import images
from kubestage.cluster.load_programs.client import ProgramClient
from kubestage.cluster.load_programs.program import ProgramContainer
from kubestage.errors import ApiError, Unmodelled
from kubestage.objects import gvk
from kubestage.programs import environment
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.cluster.load_programs.images import ProgramMaker
    from kubestage.cluster.staged import StagedCluster
    from kubestage.sim.streams import Streams
    from kubestage.store.log import Change

_ACCOUNT: Final = "default"
_PODS: Final = frozenset({("", "Pod")})


class LoadPrograms:
    """Observes pods, and starts and stops the programs of their containers.

    `own` are programs of the user, by image. Pods without a program cost one look at each of their
    images when they are created.
    """

    def __init__(
        self, cluster: StagedCluster, streams: Streams, own: Mapping[str, ProgramMaker]
    ) -> None:
        self._cluster = cluster
        self._streams = streams
        self._own = own
        self._makers: dict[str, ProgramMaker | None] = {}
        # Pods with programs; by container how often it was restarted, and its client.
        self._pods: dict[str, dict[str, tuple[int, ProgramClient]]] = {}
        self._problems: dict[str, None] = {}
        self._refused: dict[str, int] = {}
        for pod in list(cluster.store.read(gvk.POD).values()):
            self._add(pod)
        cluster.store.subscribe(self._on_change, _PODS)

    def take_problems(self) -> list[str]:
        """What could not be modelled since the last time."""
        found = list(self._problems)
        self._problems.clear()
        # An image without a model is a problem of the next test, too.
        self._makers.clear()
        return found

    def take_refusals(self) -> list[str]:
        """Which priority levels refused calls since the last time, of programs and others."""
        levels = self._cluster.api.levels
        found = []
        for name, level in ({} if levels is None else levels.by_name).items():
            count = level.refused.total - self._refused.get(name, 0)
            self._refused[name] = level.refused.total
            if count:
                calls = wording.plural(count, "call")
                found.append(f"priority level {name} refused {calls} (429), which no latency shows")
        return found

    def stop(self) -> None:
        """Stop all programs, and start no more."""
        self._cluster.store.unsubscribe(self._on_change)
        for key in list(self._pods):
            self._remove(key)

    def _on_change(self, change: Change) -> None:
        if change.type == ADDED:
            self._add(change.new)
        elif self._pods:
            key = _key(change.new)
            if key in self._pods:
                if change.type == DELETED:
                    self._remove(key)
                else:
                    self._update(key, change.new)

    def _add(self, pod: Json) -> None:
        for container in pod["spec"].get("initContainers") or ():
            image = str(container.get("image") or "")
            if self._maker(image) is not None:
                why = "programs of init containers are not modelled: its calls are missing"
                self._problems[f"image {image}: {why}"] = None
        for container in pod["spec"]["containers"]:
            if self._maker(str(container.get("image") or "")) is not None:
                key = _key(pod)
                self._pods[key] = {}
                self._update(key, pod)
                return

    def _update(self, key: str, pod: Json) -> None:
        """Start the programs of containers that run now, and end those that do not any more."""
        status = pod.get("status") or {}
        if "deletionTimestamp" in pod["metadata"] or status.get("phase") in ("Succeeded", "Failed"):
            self._remove(key)
            return
        started = self._pods[key]
        for each in status.get("containerStatuses") or ():
            name, restarts = each["name"], each.get("restartCount", 0)
            is_running = "running" in (each.get("state") or {})
            known = started.get(name)
            if known is not None and (not is_running or known[0] != restarts):
                known[1].stop()
            if is_running and (known is None or known[0] != restarts):
                spec = next(spec for spec in pod["spec"]["containers"] if spec["name"] == name)
                client = self._started(pod, spec)
                if client is not None:
                    started[name] = (restarts, client)

    def _remove(self, key: str) -> None:
        for _, client in self._pods.pop(key).values():
            client.stop()

    def _maker(self, image: str) -> ProgramMaker | None:
        """The program of an image, if it has one."""
        if image in self._makers:
            return self._makers[image]
        found = None
        try:
            found = images.program_of(image, self._own)
        except Unmodelled as problem:
            self._problems[f"image {image}: {problem}"] = None
        self._makers[image] = found
        return found

    def _started(self, pod: Json, spec: Json) -> ProgramClient | None:
        image = str(spec.get("image") or "")
        maker = self._maker(image)
        if maker is None:
            return None

        def report(problem: str) -> None:
            self._problems[f"image {image}: {problem}"] = None

        container = self._container(pod, spec)
        name = f"program/{container.namespace}/{container.pod}/{container.name}"
        account = str(pod["spec"].get("serviceAccountName") or _ACCOUNT)
        caller = callers.of_account(container.namespace, account)
        client = ProgramClient(self._cluster, caller, self._streams.stream(name), report)
        try:
            maker(container, client).start()
        except (Unmodelled, ApiError) as problem:
            client.fail(f"{problem}: the calls of the program are missing")
        return client

    def _container(self, pod: Json, spec: Json) -> ProgramContainer:
        variables = environment.environment_variables(self._cluster.store, pod, spec)

        def words(key: str) -> tuple[str, ...]:
            return tuple(environment.expanded(str(each), variables) for each in spec.get(key) or ())

        return ProgramContainer(
            namespace=pod["metadata"]["namespace"],
            pod=pod["metadata"]["name"],
            name=spec["name"],
            image=str(spec.get("image") or ""),
            command=words("command"),
            args=words("args"),
            environment=variables,
            spec=spec,
        )


def _key(pod: Json) -> str:
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
