"""A scheduler with kube-scheduler's requests and a simple mind: the first node with enough CPU."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from tests.server.python_scheduler import cpu, milli
from tests.server.scheduler_contract import scheduler_calls as calls
from tests.server.scheduler_contract.go_client import GoClient, Refused
from tests.server.scheduler_contract.informers import Informers, key_of

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json


_LOOK_S = 0.02


class Reenactment:
    """Schedules while the block lasts; `log` tells what it did."""

    def __init__(self, kubeconfig: pathlib.Path) -> None:
        self.log: list[tuple[str, str]] = []
        self._client = GoClient(kubeconfig)
        self._informers = Informers(self._client)
        self._assumed: dict[str, str] = {}
        # Pods that fit nowhere, and what the cluster was like then.
        self._in_vain: dict[str, Any] = {}
        self._is_stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Reenactment:
        self._informers.__enter__()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_stopped.set()
        self._thread.join(10)
        self._informers.__exit__()
        self._client.close()

    def _run(self) -> None:
        while not self._is_stopped.wait(_LOOK_S):
            pods, nodes = dict(self._informers["pods"].objects), self._informers["nodes"].objects
            self._assumed = {
                uid: node
                for uid, node in self._assumed.items()
                if any(
                    _uid(pod) == uid and not pod["spec"].get("nodeName") for pod in pods.values()
                )
            }
            waiting = [pod for pod in pods.values() if self._is_waiting(pod)]
            waiting.sort(key=lambda pod: -int(pod["spec"].get("priority", 0)))
            for pod in waiting:
                self._schedule(pod, pods, dict(nodes))
        self._client.close()

    def _is_waiting(self, pod: Json) -> bool:
        spec = pod["spec"]
        if spec.get("nodeName") or spec.get("schedulingGates") or _uid(pod) in self._assumed:
            return False
        return "deletionTimestamp" not in pod["metadata"]

    def _schedule(self, pod: Json, pods: dict[str, Json], nodes: dict[str, Json]) -> None:
        rooms = {name: self._room(node, pods) for name, node in sorted(nodes.items())}
        if self._in_vain.get(_uid(pod)) == rooms:
            return
        fitting = next((name for name, room in rooms.items() if room >= cpu(pod)), None)
        try:
            if fitting is not None:
                self._assumed[_uid(pod)] = fitting
                calls.bind(self._client, pod, fitting)
                self.log.append(("bound", key_of(pod)))
            else:
                self._in_vain[_uid(pod)] = rooms
                self._fail(pod, pods, rooms)
        except Refused as refused:
            # It was deleted, or the Scenario ended and wiped everything.
            if refused.code not in (404, 409):
                raise

    def _fail(self, pod: Json, pods: dict[str, Json], rooms: dict[str, int]) -> None:
        node, victim = self._victim(pod, pods, rooms)
        message = f"0/{len(rooms)} nodes are available: {len(rooms)} Insufficient cpu."
        failed = calls.fail(self._client, pod, message, nominated=node)
        self.log.append(("failed", key_of(pod)))
        if victim is not None:
            calls.preempt(self._client, victim, failed, node)
            self.log.append(("preempted", key_of(victim)))

    def _victim(
        self, pod: Json, pods: dict[str, Json], rooms: dict[str, int]
    ) -> tuple[str, Json | None]:
        for other in pods.values():
            node = other["spec"].get("nodeName", "")
            is_weaker = int(other["spec"]["priority"]) < int(pod["spec"]["priority"])
            is_leaving = "deletionTimestamp" in other["metadata"]
            if node in rooms and is_weaker and rooms[node] + cpu(other) >= cpu(pod):
                return node, None if is_leaving else other
        return "", None

    def _room(self, node: Json, pods: dict[str, Json]) -> int:
        name = node["metadata"]["name"]
        used = [
            cpu(pod)
            for pod in pods.values()
            if (pod["spec"].get("nodeName") or self._assumed.get(_uid(pod))) == name
        ]
        return milli(node["status"]["allocatable"]["cpu"]) - sum(used)


def _uid(pod: Json) -> str:
    return str(pod["metadata"]["uid"])
