"""The lives of pods: rows and traces of a long history, and frames of the view in Chromium.

``python benchmarks/lives.py`` prints tables for docs/page.md and docs/export.md.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import pathlib
import platform
import shutil
import sys
import time
import urllib.request
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright

if __package__ in (None, ""):
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from benchmarks.server_process import Served

from benchmarks import page as map_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_SIZES = ((1_000, 10_000), (5_000, 30_000))
_DEPLOYMENTS = 20
_PAN_S = 5
_SLICES = "/kubestage/v1/history/slices"
_TRACE = "/kubestage/v1/export?format=perfetto"
# Drags by one step a frame, down and across, as a hand does, and counts the frames that were shown.
_PAN = """async (seconds) => {
  const canvas = document.querySelector("#lives canvas");
  const { left, top } = canvas.getBoundingClientRect();
  const send = (type, x, y) => canvas.dispatchEvent(new PointerEvent(type,
    { pointerId: 1, bubbles: true, clientX: left + x, clientY: top + y }));
  canvas.setPointerCapture = () => {};
  const gaps = [], start = kubestage.lives;
  let x = 640, y = 500, across = 7, down = -9, drawn = 0;
  send("pointerdown", x, y);
  const began = performance.now();
  let last = began;
  while (last - began < seconds * 1000) {
    x += across; y += down;
    if (x > 1100 || x < 200) across = -across;
    if (y < -4000 || y > 500) down = -down;
    send("pointermove", x, y);
    const now = await new Promise(requestAnimationFrame);
    gaps.push(now - last);
    drawn = Math.max(drawn, kubestage.lives.drawn);
    last = now;
  }
  send("pointerup", x, y);
  if (kubestage.lives.frames - start.frames < gaps.length / 2) throw new Error("nothing moves");
  gaps.sort((a, b) => a - b);
  const late = gaps[Math.floor(gaps.length * 0.99)];
  return { rate: gaps.length / ((last - began) / 1000), late, drawn };
}"""


def fill(address: str, nodes: int, pods: int) -> None:
    """Deployments that come one after the other, half of which are then rolled out again."""
    items = [map_page.node(number) for number in range(nodes)]
    everything = {"apiVersion": "v1", "kind": "List", "items": items}
    _send(f"{address}/kubestage/v1/import", everything, "POST")
    path = f"{address}/apis/apps/v1/namespaces/default/deployments"
    for number in range(_DEPLOYMENTS):
        _send(path, _deployment(number, pods // _DEPLOYMENTS, "app:1"), "POST")
        _send(f"{address}/kubestage/v1/clock/advance?timeout=50s", {"duration": "20s"}, "POST")
    for number in range(0, _DEPLOYMENTS, 2):
        changed = _deployment(number, pods // _DEPLOYMENTS, "app:2")
        _send(f"{path}/web-{number}", changed, "PUT")
    _send(f"{address}/kubestage/v1/clock/advance?timeout=50s", {"duration": "5m"}, "POST")


def _deployment(number: int, replicas: int, image: str) -> dict[str, Any]:
    labels = {"app": f"web-{number}"}
    requests = {"cpu": "100m", "memory": "128Mi"}
    container = {"name": "c", "image": image, "resources": {"requests": requests}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": f"web-{number}", "namespace": "default"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }


def _send(address: str, body: dict[str, Any], method: str) -> None:
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(address, json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(request, timeout=600) as answer:
        answer.read()


def _get(address: str) -> tuple[float, bytes]:
    """How long an answer takes, and what it is."""
    began_s = time.perf_counter()
    with urllib.request.urlopen(address, timeout=600) as answer:
        body = answer.read()
    return time.perf_counter() - began_s, body


def measure(browser: Browser, nodes: int, pods: int) -> dict[str, Any]:
    """What one size takes."""
    with Served("--in-memory", "--start", "2026-01-01T00:00:00Z", whole=True) as served:
        address = f"http://{served.address}"
        fill(address, nodes, pods)
        first_s, rows = _get(f"{address}{_SLICES}")
        again_s, _ = _get(f"{address}{_SLICES}")
        trace_s, trace = _get(f"{address}{_TRACE}")
        found: dict[str, Any] = {"first_s": first_s, "again_s": again_s, "trace_s": trace_s}
        found |= {"rows": len(rows), "trace": len(trace), "gz": len(gzip.compress(trace, 6))}
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        try:
            return found | _measured(page, f"{address}/ui/#/lives")
        finally:
            page.close()


def _measured(page: Page, address: str) -> dict[str, Any]:
    page.set_default_timeout(120_000)
    began_s = time.perf_counter()
    page.goto(address)
    page.wait_for_function("() => window.kubestage && kubestage.lives.drawn > 0", polling=20)
    found: dict[str, Any] = {"picture_s": time.perf_counter() - began_s}
    page.wait_for_timeout(2000)
    found["slices"] = page.evaluate("kubestage.lives.slices")
    for name, keys in (("far", ""), ("near", "wwwwwww")):
        for key in keys:
            page.keyboard.press(key)
        page.wait_for_timeout(600)
        found[name] = page.evaluate(_PAN, _PAN_S)
    page.keyboard.press("0")
    page.get_by_label("Height of lanes").select_option("thin")
    page.wait_for_timeout(600)
    found["thin"] = page.evaluate(_PAN, _PAN_S)
    return found


def _rate(found: dict[str, Any]) -> str:
    return f"{found['rate']:.0f} (1% above {found['late']:.0f} ms)"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="the smaller cluster only")
    sizes = _SIZES[:1] if parser.parse_args().small else _SIZES
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, no GPU\n")
    with sync_playwright() as playwright:
        path = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        all_found = [(size, measure(browser, *size)) for size in sizes]
        browser.close()
    print("| Nodes | Pods | Slices | First picture | Frames/s, all | zoomed in | thin lanes |")
    print("|---|---|---|---|---|---|---|")
    for (nodes, pods), found in all_found:
        cells = [f"{nodes:,}", f"{pods:,}", f"{found['slices']:,}", f"{found['picture_s']:.1f} s"]
        cells += [_rate(found[name]) for name in ("far", "near", "thin")]
        print("|", " | ".join(cells), "|")
    print("\n| Pods | Rows, first time | later | size | Trace | size | compressed |")
    print("|---|---|---|---|---|---|---|")
    for (_, pods), found in all_found:
        cells = [f"{pods:,}", *(f"{found[name]:.1f} s" for name in ("first_s", "again_s"))]
        cells += [f"{found['rows'] / 2**20:.1f} MiB", f"{found['trace_s']:.1f} s"]
        cells += [f"{found[name] / 2**20:.1f} MiB" for name in ("trace", "gz")]
        print("|", " | ".join(cells), "|")


if __name__ == "__main__":
    main()
