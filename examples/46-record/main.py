"""Record a cluster while people work on it, kill the recorder once, and replay the recording."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request
from typing import Any

from kubestage.runs.replaying import replay
from kubestage.runs.replaying.recorded import read
from kubestage.sources import folding, reading

HERE = pathlib.Path(__file__).parent
KUBESTAGE = [sys.executable, "-c", "from kubestage import cli; cli.main()"]


class Cluster:
    """A served cluster, in place of a real one."""

    def __init__(self, place: pathlib.Path) -> None:
        self.kubeconfig = place / "kubeconfig"
        words = ["serve", "--in-memory", "--port", "0", "--pace", "realtime"]
        self.process = subprocess.Popen(
            [*KUBESTAGE, *words, "--kubeconfig", str(self.kubeconfig), str(HERE / "cluster.yaml")],
            cwd=place, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.address = next(line.strip() for line in self.process.stdout if "http://" in line)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        form = "application/merge-patch+json" if method == "PATCH" else "application/json"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.address}{path}", data, {"Content-Type": form}, method=method
        )
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def scale(self, replicas: int) -> None:
        path = "/apis/apps/v1/namespaces/default/deployments/web"
        self.call("PATCH", path, {"spec": {"replicas": replicas}})

    def stop(self) -> None:
        self.process.terminate()
        self.process.communicate()


def recorder(kubeconfig: pathlib.Path, out: pathlib.Path) -> subprocess.Popen[str]:
    """``kubestage record``; the same command continues what it began."""
    words = ["record", "--kubeconfig", str(kubeconfig), "--out", str(out)]
    return subprocess.Popen(
        [*KUBESTAGE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def state(out: pathlib.Path) -> list[Any]:
    """The objects at the end of the recording; it can be read while it grows."""
    if not (out / "cluster.yaml").exists():
        return []
    found = reading.read([str(out)])
    return folding.state_at(found.objects, found.changes, None)


def wait_for(out: pathlib.Path, pods: int, nodes: int = 3) -> None:
    """Until the recording has so many running pods, and so many nodes."""
    while True:
        found = state(out)
        phases = [each["status"].get("phase") for each in found if each["kind"] == "Pod"]
        counted = sum(each["kind"] == "Node" for each in found)
        if (phases, counted) == (["Running"] * pods, nodes):
            return
        time.sleep(0.2)


with tempfile.TemporaryDirectory() as name:
    place = pathlib.Path(name)
    cluster, out = Cluster(place), place / "rec"
    try:
        recording = recorder(cluster.kubeconfig, out)
        wait_for(out, 2)
        cluster.scale(5)
        wait_for(out, 5)
        recording.kill()
        recording.communicate()
        print("killed after the Deployment was scaled to 5")

        # No recorder runs when this happens.
        cluster.scale(3)
        recording = recorder(cluster.kubeconfig, out)
        wait_for(out, 3)
        cluster.call("DELETE", "/api/v1/nodes/node-c")
        wait_for(out, 3, nodes=2)
        recording.terminate()
        recording.communicate()
        print(f"continued, and ended well: exit code {recording.returncode}")
    finally:
        cluster.stop()

    print("files:", ", ".join(sorted(each.name for each in out.rglob("changes-*"))))
    for action in read([str(out)], None, None).actions:
        print(f"{action.verb} {action.reference.kind} {action.reference.name}: {action.object}")
    result = replay(str(out))
    print(result.headline())
