"""A real browser, and a server for it; where there is no Chromium, these tests are skipped."""

from __future__ import annotations

import json
import os
import shutil
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.deadlines import HANG_S
from tests.server.served import Served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

NODES = """
apiVersion: v1
kind: Node
metadata: {name: %s, labels: {topology.kubernetes.io/zone: %s, agentpool: main}}
status:
  allocatable: {cpu: "4", memory: 16Gi, pods: "110"}
  conditions: [{type: Ready, status: "True"}]
---
"""
OBJECTS = "".join(NODES % (f"node-{number}", f"zone-{'ab'[number % 2]}") for number in range(4))


class Cluster:
    """A server, and requests to it beside the page."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.address = served.address

    def call(
        self, path: str, body: Any = None, method: str = "", accept: str = "", sent: str = ""
    ) -> Any:
        data = None if body is None else json.dumps(body).encode()
        json_type = "application/json"
        headers = {"content-type": sent or json_type, "accept": accept or json_type}
        method = method or ("GET" if body is None else "POST")
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=HANG_S) as answer:
            text = answer.read().decode()
        return json.loads(text) if text[:1] == "{" else text

    def create_pod(self, name: str, cpu: str = "500m", **metadata: Any) -> None:
        resources = {"requests": {"cpu": cpu, "memory": "256Mi"}}
        container = {"name": "c", "image": "app:1", "resources": resources}
        pod = {"metadata": {"name": name, **metadata}, "spec": {"containers": [container]}}
        self.call("/api/v1/namespaces/default/pods", pod)

    def patch(self, path: str, body: Any) -> None:
        self.call(path, body, "PATCH", sent="application/merge-patch+json")

    def advance(self, duration: str) -> None:
        self.call("/kubestage/v1/clock/advance", {"duration": duration})


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for each module, with a context of its own for each test.

    Playwright runs an event loop, which tests of other rooms must not find running.
    """
    path = shutil.which("chromium")
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("chromium is not on the PATH, and here the page must be tested")
        pytest.skip("chromium is not on the PATH")
    with sync_playwright() as playwright:
        # The sandbox needs rights that a container does not have.
        expect.set_options(timeout=HANG_S * 1000)
        opened = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page whose console must stay empty."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    opened = context.new_page()
    opened.set_default_timeout(HANG_S * 1000)
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on(
        "console",
        lambda message: complaints.append(message.text) if _is_complaint(message) else None,
    )
    yield opened
    context.close()
    assert not complaints


def _is_complaint(message: Any) -> bool:
    """The browser itself reports every refused request; the page handles those."""
    return message.type in ("error", "warning") and "Failed to load resource" not in message.text


@pytest.fixture
def own_cluster() -> Iterator[Cluster]:
    """One for a single test, which may do to it what it wants."""
    with Served("--start", "2026-01-01T00:00:00Z", objects=OBJECTS) as served:
        yield Cluster(served)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """One for all tests of a worker: they leave the nodes, these pods and the clock as they are."""
    with Served("--start", "2026-01-01T00:00:00Z", objects=OBJECTS) as served:
        found = Cluster(served)
        found.create_pod("web", labels={"app": "web"})
        found.create_pod("huge", cpu="64")
        yield found


HOSTILE = "<img src=x onerror=window.hit=1>"


@pytest.fixture(scope="session")
def travelled() -> Iterator[Cluster]:
    """A cluster with a past of half an hour, paused: tests leave it and its clock as they are.

    A pod at 0, a second one and one that fits nowhere after 10 minutes, a cordoned node after 20.
    """
    with Served("--start", "2026-01-01T00:00:00Z", objects=OBJECTS) as served:
        found = Cluster(served)
        found.call("/kubestage/v1/clock/pause", method="POST")
        found.create_pod("first", labels={"app": "web"}, annotations={"note": HOSTILE})
        found.advance("10m")
        found.create_pod("second")
        found.create_pod("huge", cpu="64")
        found.advance("10m")
        found.patch("/api/v1/nodes/node-2", {"spec": {"unschedulable": True}})
        event = {
            "metadata": {"name": "hostile.1"}, "reason": HOSTILE, "message": HOSTILE,
            "involvedObject": {"kind": "Pod", "name": "first", "namespace": "default"},
            "type": "Warning",
        }  # fmt: skip
        found.call("/api/v1/namespaces/default/events", event)
        found.advance("10m")
        yield found
