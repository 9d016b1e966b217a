"""A small real scheduler that knows nothing of kubestage: it lists, watches and writes over HTTP.

It keeps what its watches tell it, takes the pod of the highest priority, filters nodes by CPU and
takes the emptiest. A pod that fits nowhere may have weaker pods deleted; otherwise it is reported
unschedulable, and tried again only when a node comes or changes, or a pod goes.

    python -m tests.server.python_scheduler http://127.0.0.1:8080
"""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import sys
import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tests.deadlines import HANG_S

if TYPE_CHECKING:
    from kubestage.aliases import Json

AGENT = "python-scheduler/1.0"
STATUS_PATCH = "application/strategic-merge-patch+json"


class Api:
    """Just enough of a client; a watch has a connection of its own."""

    def __init__(self, url: str) -> None:
        self._address = urlsplit(url).netloc

    def call(
        self, method: str, path: str, body: Any = None, kind: str = "application/json"
    ) -> tuple[int, Json]:
        connection = http.client.HTTPConnection(self._address, timeout=HANG_S)
        data = None if body is None else json.dumps(body)
        headers = {"User-Agent": AGENT, "Content-Type": kind, "Accept": "application/json"}
        try:
            connection.request(method, path, data, headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def open_watch(self, path: str, version: str) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection(self._address, timeout=HANG_S)
        query = f"{path}?watch=1&resourceVersion={version}"
        connection.request("GET", query, headers={"User-Agent": AGENT})
        return connection


class PythonScheduler:
    """One scheduler; `run` returns after `stop`."""

    def __init__(self, url: str, name: str = "default-scheduler") -> None:
        self._api = Api(url)
        self._name = name
        self._pods: dict[str, Json] = {}
        self._nodes: dict[str, Json] = {}
        self._in_vain: set[str] = set()
        self._changes = 0
        self._assumed: dict[str, str] = {}
        self._news = threading.Condition()
        self._is_stopped = False
        self._connections: list[http.client.HTTPConnection] = []
        self.log: list[tuple[str, str]] = []

    def run(self) -> None:
        followers = [
            threading.Thread(target=self._follow, args=("/api/v1/nodes", self._nodes)),
            threading.Thread(target=self._follow, args=("/api/v1/pods", self._pods)),
        ]
        for each in followers:
            each.start()
        while (pod := self._wait()) is not None:
            self._schedule(pod)
        for each in followers:
            each.join()

    def _wait(self) -> Json | None:
        """The pod to try next; None at the end."""
        with self._news:
            while not self._is_stopped:
                pod = self._next()
                if pod is not None:
                    return pod
                self._news.wait()
        return None

    def stop(self) -> None:
        with self._news:
            self._is_stopped = True
            self._news.notify_all()
            for connection in self._connections:
                if connection.sock is not None:
                    with contextlib.suppress(OSError):
                        connection.sock.shutdown(socket.SHUT_RDWR)

    def _follow(self, path: str, kept: dict[str, Json]) -> None:
        _, listed = self._api.call("GET", path)
        for each in listed["items"]:
            self._take_in("ADDED", each, kept)
        connection = self._api.open_watch(path, listed["metadata"]["resourceVersion"])
        with contextlib.closing(connection):
            with self._news:
                self._connections.append(connection)
                if self._is_stopped:
                    return
            try:
                with connection.getresponse() as lines:
                    for line in lines:
                        event = json.loads(line)
                        self._take_in(event["type"], event["object"], kept)
            except (OSError, http.client.HTTPException):
                if not self._is_stopped:
                    raise

    def _take_in(self, kind: str, obj: Json, kept: dict[str, Json]) -> None:
        key = key_of(obj)
        with self._news:
            if kind == "DELETED":
                kept.pop(key, None)
                self._assumed.pop(key, None)
                self._try_all_again()
            else:
                before = kept.get(key)
                kept[key] = obj
                if _helps(before, obj):
                    self._try_all_again()
            self._news.notify_all()

    def _try_all_again(self) -> None:
        self._in_vain.clear()
        self._changes += 1

    def _next(self) -> Json | None:
        waiting = [
            pod
            for key, pod in self._pods.items()
            if key not in self._in_vain
            and key not in self._assumed
            and not pod["spec"].get("nodeName")
            and not pod["spec"].get("schedulingGates")
            and "deletionTimestamp" not in pod["metadata"]
            and pod["spec"]["schedulerName"] == self._name
        ]
        return max(waiting, key=lambda pod: int(pod["spec"].get("priority", 0)), default=None)

    def _schedule(self, pod: Json) -> None:
        key = key_of(pod)
        with self._news:
            fitting = [name for name in self._nodes if self._room(name) >= cpu(pod)]
            best = max(sorted(fitting), key=self._room, default=None)
            changes = self._changes
        if best is None:
            self._fail(pod, changes)
            return
        metadata = pod["metadata"]
        target = {"apiVersion": "v1", "kind": "Node", "name": best}
        body = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": metadata["name"], "uid": metadata["uid"]},
            "target": target,
        }
        status, _ = self._api.call("POST", f"{self._path(pod)}/binding", body)
        is_bound = status < 400
        with self._news:
            if is_bound:
                self._assumed[key] = best
            else:
                self._in_vain.add(key)
        self.log.append(("bound" if is_bound else "refused", metadata["name"]))

    def _fail(self, pod: Json, changes: int) -> None:
        with self._news:
            # What happened during the attempt may have helped.
            if changes == self._changes:
                self._in_vain.add(key_of(pod))
            node, victim = self._weaker(pod)
        message = f"0/{len(self._nodes)} nodes are available: Insufficient cpu."
        condition = {
            "type": "PodScheduled", "status": "False",
            "reason": "Unschedulable", "message": message,
        }  # fmt: skip
        change: Json = {"status": {"conditions": [condition]}}
        if victim is not None:
            change["status"]["nominatedNodeName"] = node
        self._api.call("PATCH", f"{self._path(pod)}/status", change, STATUS_PATCH)
        self._report(pod, message)
        self.log.append(("failed", pod["metadata"]["name"]))
        if victim is not None:
            self._api.call("DELETE", self._path(victim))
            self.log.append(("preempted", victim["metadata"]["name"]))

    def _weaker(self, pod: Json) -> tuple[str, Json | None]:
        """A node and the weakest pod on it without which there would be room."""
        priority = int(pod["spec"].get("priority", 0))
        for name in sorted(self._nodes):
            for other in sorted(self._on(name), key=lambda each: int(each["spec"]["priority"])):
                if int(other["spec"]["priority"]) >= priority:
                    continue
                if "deletionTimestamp" in other["metadata"]:
                    return name, None
                if self._room(name) + cpu(other) >= cpu(pod):
                    return name, other
        return "", None

    def _report(self, pod: Json, message: str) -> None:
        metadata = pod["metadata"]
        namespace = metadata["namespace"]
        event = {
            "metadata": {"generateName": f"{metadata['name']}-", "namespace": namespace},
            "eventTime": "2026-01-01T00:00:00.000000Z",
            "type": "Warning",
            "reason": "FailedScheduling",
            "action": "Scheduling",
            "note": message,
            "regarding": {"kind": "Pod", "namespace": namespace, "name": metadata["name"]},
            "reportingController": self._name,
            "reportingInstance": "python-scheduler-1",
        }
        self._api.call("POST", f"/apis/events.k8s.io/v1/namespaces/{namespace}/events", event)

    def _on(self, node: str) -> list[Json]:
        return [
            pod
            for key, pod in self._pods.items()
            if (pod["spec"].get("nodeName") or self._assumed.get(key)) == node
            and (pod.get("status") or {}).get("phase") not in ("Succeeded", "Failed")
        ]

    def _room(self, node: str) -> int:
        offered = self._nodes[node]["status"]["allocatable"]["cpu"]
        return milli(offered) - sum(cpu(pod) for pod in self._on(node))

    def _path(self, pod: Json) -> str:
        metadata = pod["metadata"]
        return f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"


def _helps(before: Json | None, obj: Json) -> bool:
    """Whether there is more room: another node, or a pod that has ended."""
    if "namespace" not in obj["metadata"]:
        return before is None or before["status"] != obj["status"]
    return obj["status"].get("phase") in ("Succeeded", "Failed")


def key_of(obj: Json) -> str:
    name, namespace = obj["metadata"]["name"], obj["metadata"].get("namespace")
    return f"{namespace}/{name}" if namespace else str(name)


def cpu(pod: Json) -> int:
    containers = pod["spec"]["containers"]
    asked = (each.get("resources", {}).get("requests", {}).get("cpu", "0") for each in containers)
    return sum(milli(each) for each in asked)


def milli(quantity: str) -> int:
    return int(quantity[:-1]) if quantity.endswith("m") else int(float(quantity) * 1000)


if __name__ == "__main__":
    PythonScheduler(sys.argv[1]).run()
