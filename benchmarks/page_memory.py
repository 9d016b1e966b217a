"""The memory of the page while a live cluster changes all the time.

``python benchmarks/page_memory.py [--minutes 10]``. A Deployment is scaled up and down once a
second; after each minute the browser collects garbage, and its heap, elements and listeners are
counted, as well as the memory of the server. Flat means: no more at the end than after the second
minute, when the page has seen every size of the cluster.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import shutil
import sys
import time
import urllib.request
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright

if __package__ in (None, ""):
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from benchmarks.server_process import Served

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession

_NODES, _FEW, _MANY = 50, 100, 400
_DEPLOYMENT = "/apis/apps/v1/namespaces/default/deployments"
_VIEWS = ("map", "objects/v1/pods")
# The server forgets within the first two minutes, so that the page has to forget, too.
_OPTIONS = (
    "--in-memory", "--nodes", str(_NODES), "--speed", "10", "--past-changes", "20000",
)  # fmt: skip


def main() -> None:
    """Print a row for each minute."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--view", default=_VIEWS[0], help=f"such as {' or '.join(_VIEWS)}")
    arguments = parser.parse_args()
    with (
        Served(*_OPTIONS, whole=True) as served,
        sync_playwright() as playwright,
    ):
        address = f"http://{served.address}"
        _send(address + _DEPLOYMENT, "POST", _deployment())
        path = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{address}/ui/#/{arguments.view}")
        session = page.context.new_cdp_session(page)
        print("| Minute | Pods | Heap | Elements | Listeners | Server |")
        print("|---|---|---|---|---|---|")
        for minute in range(1, arguments.minutes + 1):
            _churn(address, 60)
            pods = page.evaluate("() => kubestage.pods")
            server = f"{served.resident_bytes / 2**20:.0f} MiB"
            print(f"| {minute} | {pods} | {_memory(session)} | {server} |", flush=True)
        browser.close()


def _churn(address: str, seconds: int) -> None:
    for second in range(seconds):
        began_s = time.perf_counter()
        scale = {"spec": {"replicas": _MANY if second % 2 else _FEW}}
        _send(f"{address}{_DEPLOYMENT}/web/scale", "PATCH", scale)
        time.sleep(max(0.0, 1 - (time.perf_counter() - began_s)))


def _memory(session: CDPSession) -> str:
    session.send("HeapProfiler.collectGarbage")
    heap = session.send("Runtime.getHeapUsage")["usedSize"]
    counted = session.send("Memory.getDOMCounters")
    return f"{heap / 2**20:.1f} MiB | {counted['nodes']} | {counted['jsEventListeners']}"


def _deployment() -> dict[str, Any]:
    container = {"name": "c", "image": "app:1", "resources": {"requests": {"cpu": "100m"}}}
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": _FEW, "selector": {"matchLabels": labels}, "template": template}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": spec,
    }


def _send(address: str, method: str, body: dict[str, Any]) -> None:
    patch = "application/merge-patch+json" if method == "PATCH" else "application/json"
    headers = {"content-type": patch}
    data = json.dumps(body).encode()
    request = urllib.request.Request(address, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        answer.read()


if __name__ == "__main__":
    main()
