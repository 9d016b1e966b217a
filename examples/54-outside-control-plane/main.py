"""Nodes are simulated, and everything else is ours: a controller and a scheduler in a few lines.

The real kube-controller-manager and kube-scheduler would take their place unchanged.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request
from typing import Any

NODES = 3
REPLICAS = 5


class Client:
    """Just enough of a client of the API."""

    def __init__(self, url: str) -> None:
        self.url = url

    def get(self, path: str) -> Any:
        """An object, or a list of them."""
        with urllib.request.urlopen(f"{self.url}{path}") as response:
            return json.load(response)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Create something."""
        headers = {"Content-Type": "application/json", "User-Agent": "example/1.0"}
        request = urllib.request.Request(f"{self.url}{path}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as response:
            return json.load(response)


def control(client: Client, pods: list[Any]) -> None:
    """The controller: there are as many pods as there should be."""
    for number in range(len(pods), REPLICAS):
        metadata = {"name": f"web-{number}", "labels": {"app": "web"}}
        spec = {"containers": [{"name": "web", "image": "nginx"}]}
        body = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
        client.post("/api/v1/namespaces/default/pods", body)


def schedule(client: Client, pods: list[Any], nodes: list[str]) -> None:
    """The scheduler: the node with the fewest pods."""
    taken = dict.fromkeys(nodes, 0)
    for pod in pods:
        if "nodeName" in pod["spec"]:
            taken[pod["spec"]["nodeName"]] += 1
    for pod in pods:
        if "nodeName" not in pod["spec"]:
            node = min(nodes, key=lambda name: (taken[name], name))
            taken[node] += 1
            name = pod["metadata"]["name"]
            target = {"apiVersion": "v1", "kind": "Node", "name": node}
            body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}}
            path = f"/api/v1/namespaces/default/pods/{name}/binding"
            client.post(path, {**body, "target": target})


def main() -> None:
    """Serve simulated nodes, and be the control plane until all pods run."""
    with tempfile.TemporaryDirectory() as folder:
        ready = pathlib.Path(folder, "ready.json")
        words = ["serve", "--simulate", "kubelets", "--nodes", str(NODES), "--in-memory"]
        words += ["--disable-admission-plugins", "ServiceAccount", "--port", "0"]
        words += ["--ready-file", str(ready), "--kubeconfig", str(ready.with_name("kubeconfig"))]
        server = subprocess.Popen(
            [sys.executable, "-m", "kubestage", *words, "--exit-with-parent", "--speed", "20"],
            stdout=subprocess.DEVNULL, env=dict(os.environ),
        )  # fmt: skip
        try:
            while not ready.exists():
                time.sleep(0.05)
            client = Client(json.loads(ready.read_text())["url"])
            run(client)
        finally:
            server.terminate()
            server.wait()


def run(client: Client) -> None:
    """Both loops, until there is nothing left to do."""
    nodes = [node["metadata"]["name"] for node in client.get("/api/v1/nodes")["items"]]
    while True:
        pods = client.get("/api/v1/namespaces/default/pods")["items"]
        running = [pod for pod in pods if pod["status"]["phase"] == "Running"]
        if len(running) == REPLICAS:
            break
        control(client, pods)
        schedule(client, client.get("/api/v1/namespaces/default/pods")["items"], nodes)
        time.sleep(0.1)
    for pod in running:
        print(f"{pod['metadata']['name']} runs on {pod['spec']['nodeName']}")


if __name__ == "__main__":
    main()
