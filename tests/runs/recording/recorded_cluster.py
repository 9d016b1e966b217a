"""A served cluster in which things happen, and a recording of it to compare with."""

from __future__ import annotations

import contextlib
import itertools
import json
import threading
import urllib.request
from typing import TYPE_CHECKING, Any

from kubestage.objects.patches import cleaning
from kubestage.runs import live_import
from kubestage.runs.import_options import ImportOptions
from kubestage.runs.observer import SILENT
from kubestage.runs.recording import Recorder, RecordOptions, RecordResult
from kubestage.sources import folding, reading
from kubestage.sources.imported import Imported, Reference, reference_of
from kubestage.sources.intake import Intake
from tests.deadlines import HANG_S, attempts, until

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

    from kubestage.aliases import Json

_NUMBERS = itertools.count(1)


class ServedCluster:
    """Changes a cluster, as its users do."""

    def __init__(self, address: str) -> None:
        self.address = address

    def call(self, method: str, path: str, body: Any = None) -> Json:
        """One request that must succeed."""
        form = "application/merge-patch+json" if method == "PATCH" else "application/json"
        request = urllib.request.Request(
            f"{self.address}{path}", None if body is None else json.dumps(body).encode(),
            {"Content-Type": form}, method=method,
        )  # fmt: skip
        with urllib.request.urlopen(request, timeout=HANG_S) as answer:
            found: Json = json.load(answer)
            return found

    def namespace(self) -> str:
        """A new namespace."""
        name = f"space-{next(_NUMBERS)}"
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        self.call("POST", "/api/v1/namespaces", body)
        return name

    def deploy(self, namespace: str, name: str = "web", replicas: int = 2, **more: Any) -> None:
        """A new Deployment."""
        labels = {"app": name}
        container = {"name": "main", "image": "nginx", "resources": {"requests": {"cpu": "50m"}}}
        template = {"metadata": {"labels": labels, **more}, "spec": {"containers": [container]}}
        spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
        body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
                "spec": spec}  # fmt: skip
        self.call("POST", f"/apis/apps/v1/namespaces/{namespace}/deployments", body)

    def scale(self, namespace: str, replicas: int, name: str = "web") -> None:
        """Scale a Deployment."""
        path = f"/apis/apps/v1/namespaces/{namespace}/deployments/{name}"
        self.call("PATCH", path, {"spec": {"replicas": replicas}})

    def delete(self, namespace: str, name: str = "web") -> None:
        """Delete a Deployment."""
        self.call("DELETE", f"/apis/apps/v1/namespaces/{namespace}/deployments/{name}")

    def running(self, namespace: str, count: int) -> None:
        """Wait until so many pods run, and no others."""
        path = f"/api/v1/namespaces/{namespace}/pods"

        def is_so() -> bool:
            phases = [each["status"]["phase"] for each in self.call("GET", path)["items"]]
            return phases == ["Running"] * count

        until(is_so, 0.05)

    def listed(self, kubeconfig: pathlib.Path) -> dict[Reference, Json]:
        """All that a direct list has, as an import keeps it."""
        intake = Intake()
        live_import.take(ImportOptions(kubeconfig=str(kubeconfig)), intake, SILENT)
        return _by_name(reading.finish(intake).objects)


def imported(place: pathlib.Path) -> Imported:
    """What a folder has."""
    return reading.read([str(place)])


def state(place: pathlib.Path) -> dict[Reference, Json]:
    """What a folder has at its end; fields that are null are none."""
    read = imported(place)
    return _by_name(folding.state_at(read.objects, read.changes, None))


def _by_name(objects: list[Json]) -> dict[Reference, Json]:
    return {reference_of(each): cleaning.without_nulls(each) for each in objects}


class Recording:
    """A recording in a thread of its own."""

    def __init__(self, out: pathlib.Path, kubeconfig: pathlib.Path, **options: Any) -> None:
        self.out = out
        self.recorder = Recorder(str(out), RecordOptions(kubeconfig=str(kubeconfig), **options))
        self.result: RecordResult | None = None
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        try:
            self.result = self.recorder.run()
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            self.error = error

    def catches_up(self, cluster: ServedCluster, kubeconfig: pathlib.Path) -> None:
        """Wait until what is on disk equals a direct list."""
        for _ in attempts(0.1):
            assert self._thread.is_alive(), self.error
            if not (self.out / "cluster.yaml").exists():
                continue
            if state(self.out) == cluster.listed(kubeconfig):
                return

    def stop(self) -> RecordResult:
        """End it, and return what came of it."""
        self.recorder.stop()
        self._thread.join(HANG_S)
        if self.error is not None:
            raise self.error
        assert self.result is not None
        return self.result

    @contextlib.contextmanager
    def running(self) -> Iterator[Recording]:
        """Record while the block runs."""
        self._thread.start()
        try:
            until(lambda: (self.out / "cluster.yaml").exists() or not self._thread.is_alive(), 0.05)
            yield self
        finally:
            self.recorder.stop()
            self._thread.join(HANG_S)
