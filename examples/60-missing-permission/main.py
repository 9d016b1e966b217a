"""An operator meets RBAC: what its role allows, what it lacks, and what it may not grant itself."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from typing import Any

HERE = pathlib.Path(__file__).parent
CORE = "/api/v1/namespaces/default"
APPS = "/apis/apps/v1/namespaces/default"
RBAC = "/apis/rbac.authorization.k8s.io/v1/namespaces/default"
CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "state"}}
RULE = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "create"]}


class Client:
    """Just enough of a client of the API, with a token or as the administrator."""

    def __init__(self, url: str, token: str = "") -> None:
        self.url = url
        self.token = token

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """The code and the body of an answer."""
        headers = {"Content-Type": "application/json", "User-Agent": "example/1.0"}
        if method == "PATCH":
            headers["Content-Type"] = "application/merge-patch+json"
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def show(self, what: str, method: str, path: str, body: Any = None) -> None:
        """Print what comes of a request."""
        code, answer = self.call(method, path, body)
        reason = f": {answer['message']}" if code >= 400 else ""
        print(f"{what}: {code}{reason}")


def main() -> None:
    """Serve a cluster with the role, and be its operator."""
    with tempfile.TemporaryDirectory() as folder:
        ready = pathlib.Path(folder, "ready.json")
        words = ["serve", str(HERE / "rbac.yaml"), "--nodes", "1", "--in-memory", "--port", "0"]
        words += ["--ready-file", str(ready), "--kubeconfig", str(ready.with_name("kubeconfig"))]
        server = subprocess.Popen(
            [sys.executable, "-m", "kubestage", *words, "--exit-with-parent"],
            stdout=subprocess.DEVNULL, env=dict(os.environ),
        )  # fmt: skip
        try:
            while not ready.exists():
                time.sleep(0.05)
            operate(Client(json.loads(ready.read_text())["url"]))
        finally:
            server.terminate()
            server.wait()


def operate(admin: Client) -> None:
    """Do what the operator does, before and after its role is completed."""
    _, answer = admin.call("POST", f"{CORE}/serviceaccounts/robot/token", {"spec": {}})
    robot = Client(admin.url, answer["status"]["token"])
    robot.show("list Deployments", "GET", f"{APPS}/deployments")
    robot.show("list Secrets", "GET", f"{CORE}/secrets")
    robot.show("create a ConfigMap", "POST", f"{CORE}/configmaps", CONFIG_MAP)
    robot.show("extend its own role", "PATCH", f"{RBAC}/roles/robot", {"rules": [RULE]})
    admin.call("PATCH", f"{RBAC}/roles/robot", {"rules": [RULE]})
    robot.show("create a ConfigMap, with the role completed", "POST", f"{CORE}/configmaps",
               CONFIG_MAP)  # fmt: skip


if __name__ == "__main__":
    main()
