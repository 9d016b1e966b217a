"""client-go's reflector: WatchList first, LIST and WATCH if that is refused, and ever on."""

from __future__ import annotations

import contextlib
import http.client
import random
import socket
import threading
import time
from typing import TYPE_CHECKING, Any

import msgspec

from tests.server.scheduler_contract.go_client import GoClient, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.aliases import Json


# What kube-scheduler watches with its default configuration.
PATHS = {
    "pods": "/api/v1/pods",
    "nodes": "/api/v1/nodes",
    "namespaces": "/api/v1/namespaces",
    "services": "/api/v1/services",
    "replicationcontrollers": "/api/v1/replicationcontrollers",
    "persistentvolumes": "/api/v1/persistentvolumes",
    "persistentvolumeclaims": "/api/v1/persistentvolumeclaims",
    "replicasets": "/apis/apps/v1/replicasets",
    "statefulsets": "/apis/apps/v1/statefulsets",
    "poddisruptionbudgets": "/apis/policy/v1/poddisruptionbudgets",
    "storageclasses": "/apis/storage.k8s.io/v1/storageclasses",
    "csinodes": "/apis/storage.k8s.io/v1/csinodes",
    "csidrivers": "/apis/storage.k8s.io/v1/csidrivers",
    "csistoragecapacities": "/apis/storage.k8s.io/v1/csistoragecapacities",
    "volumeattachments": "/apis/storage.k8s.io/v1/volumeattachments",
    "resourceclaims": "/apis/resource.k8s.io/v1/resourceclaims",
    "resourceslices": "/apis/resource.k8s.io/v1/resourceslices",
    "deviceclasses": "/apis/resource.k8s.io/v1/deviceclasses",
}
UNFINISHED = {"fieldSelector": "status.phase!=Succeeded,status.phase!=Failed"}
INITIAL_END = "k8s.io/initial-events-end"
_PAUSE_S = 0.05


class Gone(Exception):
    """The version from which to go on is no longer known."""


class Reflector:
    """Keeps what a path shows until it is stopped.

    `log` tells how it was asked for: watch-list, list, watch, gone, cut.
    """

    def __init__(
        self, client: GoClient, path: str, *, is_streaming: bool = True, **selector: str
    ) -> None:
        self.objects: dict[str, Json] = {}
        self.version = ""
        self.log: list[str] = []
        self.synced = threading.Event()
        self.changed = threading.Condition()
        self._client = client
        self._path = path
        self._selector = selector
        self._is_streaming = is_streaming
        self._is_stopped = False
        self._response: http.client.HTTPResponse | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._is_stopped = True
        for _ in range(200):
            # It may be about to open another watch.
            self.cut()
            self._thread.join(_PAUSE_S)
            if not self._thread.is_alive():
                return
        raise AssertionError(f"{self._path} does not stop: {self.log}")

    def cut(self) -> None:
        """Have the connection break."""
        response = self._response
        raw = None if response is None or response.fp is None else response.fp.raw
        sock = getattr(raw, "_sock", None)
        if sock is not None:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def wait(self, is_so: Callable[[dict[str, Json]], Any], timeout_s: float = 20) -> Any:
        """What a condition says of the objects as soon as it is true; they may be yet to come."""
        until = time.monotonic() + timeout_s
        found = None
        with self.changed:
            while not found:
                with contextlib.suppress(KeyError):
                    found = is_so(self.objects)
                    if found:
                        break
                left = until - time.monotonic()
                assert left > 0, f"not within {timeout_s} s: {self._path}, {self.log}"
                self.changed.wait(left)
        return found

    def _run(self) -> None:
        while not self._is_stopped:
            try:
                self._begin()
                self._client.close()
                while not self._is_stopped:
                    self.log.append("watch")
                    self._follow(resourceVersion=self.version)
            except Gone:
                self.log.append("gone")
                self.version = ""
            except (OSError, http.client.HTTPException, ValueError, AttributeError):
                if not self._is_stopped:
                    self.log.append("cut")
                    time.sleep(_PAUSE_S)

    def _begin(self) -> None:
        """Learn the present state, unless only a connection broke."""
        if self.version:
            return
        if self._is_streaming:
            self.log.append("watch-list")
            try:
                self._follow(sendInitialEvents="true", resourceVersionMatch="NotOlderThan")
            except Refused as refused:
                if refused.code != 422:
                    raise
                self._is_streaming = False
            else:
                return
        self.log.append("list")
        self._list()

    def _list(self) -> None:
        found: dict[str, Json] = {}
        query: Json = {"limit": 500, "resourceVersion": "0", **self._selector}
        while True:
            page = self._client.get(self._path, **query)
            found |= {key_of(each): each for each in page["items"]}
            token = page["metadata"].get("continue")
            if not token:
                break
            query = {"limit": 500, "continue": token, **self._selector}
        self._replace(found, page["metadata"]["resourceVersion"])

    def _follow(self, **query: str) -> None:
        """Read a watch until it ends."""
        timeout_s = random.randint(300, 600)
        asked = {"allowWatchBookmarks": "true", "timeoutSeconds": timeout_s, **query}
        initial: dict[str, Json] | None = {} if "sendInitialEvents" in query else None
        with self._client.stream(self._path, **asked, **self._selector) as response:
            self._response = response
            for line in response:
                event = msgspec.json.decode(line)
                kind, obj = event["type"], event["object"]
                if kind == "ERROR":
                    assert obj["code"] == 410, obj
                    raise Gone
                metadata = obj["metadata"]
                if initial is None:
                    self._take_in(kind, obj)
                elif kind == "BOOKMARK":
                    assert metadata.get("annotations") == {INITIAL_END: "true"}
                    self._replace(initial, metadata["resourceVersion"])
                    initial = None
                else:
                    assert kind == "ADDED", kind
                    initial[key_of(obj)] = obj

    def _replace(self, found: dict[str, Json], version: str) -> None:
        with self.changed:
            self.objects = found
            self.version = version
            self.synced.set()
            self.changed.notify_all()

    def _take_in(self, kind: str, obj: Json) -> None:
        with self.changed:
            assert int(obj["metadata"]["resourceVersion"]) > int(self.version) or (
                kind == "BOOKMARK"
            )
            self.version = obj["metadata"]["resourceVersion"]
            if kind == "DELETED":
                del self.objects[key_of(obj)]
            elif kind != "BOOKMARK":
                assert (kind == "ADDED") == (key_of(obj) not in self.objects)
                self.objects[key_of(obj)] = obj
            self.changed.notify_all()


@contextlib.contextmanager
def following(client: GoClient, path: str) -> Iterator[Reflector]:
    """One informer, in step with the server when the block begins."""
    reflector = Reflector(client, path)
    reflector.start()
    try:
        assert reflector.synced.wait(20)
        yield reflector
    finally:
        reflector.stop()


class Informers:
    """All that kube-scheduler watches, in step with the server when the block begins."""

    def __init__(self, client: GoClient, *, is_streaming: bool = True) -> None:
        self.all = {
            name: Reflector(
                client,
                path,
                is_streaming=is_streaming,
                **(UNFINISHED if name == "pods" else {}),
            )
            for name, path in PATHS.items()
        }

    def __getitem__(self, name: str) -> Reflector:
        return self.all[name]

    def __enter__(self) -> Informers:
        for each in self.all.values():
            each.start()
        for name, each in self.all.items():
            assert each.synced.wait(20), f"{name} never synced: {each.log}"
        return self

    def __exit__(self, *_: object) -> None:
        for each in self.all.values():
            each.stop()


def key_of(obj: Json) -> str:
    """Namespace and name."""
    metadata = obj["metadata"]
    namespace = metadata.get("namespace")
    return f"{namespace}/{metadata['name']}" if namespace else str(metadata["name"])
