"""The page in Chromium: time to the first picture, frames while panning and scrubbing, its weight.

``python benchmarks/page.py`` prints a table for docs/page.md.
"""

from __future__ import annotations

import argparse
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

from kubestage.ui import asset_table

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_SIZES = ((1_000, 10_000), (5_000, 50_000))
_PAN_S = 5
# Pans by one step a frame, as a hand does, and counts the frames that were shown.
_PAN = """async (seconds) => {
  const canvas = document.querySelector("#map canvas");
  const send = (type, x) => canvas.dispatchEvent(new PointerEvent(type,
    { pointerId: 1, bubbles: true, clientX: x, clientY: 400 }));
  canvas.setPointerCapture = () => {};
  const gaps = [];
  const { x: start } = kubestage.camera;
  send("pointerdown", 640);
  const began = performance.now();
  let last = began, x = 640, step = 7;
  while (last - began < seconds * 1000) {
    x += step;
    if (x > 1100 || x < 200) step = -step;
    send("pointermove", x);
    if (gaps.length === 9 && kubestage.camera.x === start) throw new Error("the map does not move");
    const now = await new Promise(requestAnimationFrame);
    gaps.push(now - last);
    last = now;
  }
  send("pointerup", x);
  gaps.sort((a, b) => a - b);
  const late = gaps[Math.floor(gaps.length * 0.99)];
  return { rate: gaps.length / ((last - began) / 1000), late };
}"""

# Drags the handle of the past to and fro by a few pixels a frame, and counts likewise.
_SCRUB = """async (seconds) => {
  const canvas = document.querySelector("#past canvas.strip");
  const { left, top, width } = canvas.getBoundingClientRect();
  const send = (type, x) => canvas.dispatchEvent(new PointerEvent(type,
    { pointerId: 1, bubbles: true, clientX: left + x, clientY: top + 10 }));
  canvas.setPointerCapture = () => {};
  const gaps = [], drawn = kubestage.pictures;
  const seen = new Set();
  let x = width * 0.9, step = -5;
  send("pointerdown", x);
  const began = performance.now();
  let last = began;
  while (last - began < seconds * 1000) {
    x += step;
    if (x > width - 4 || x < 4) step = -step;
    send("pointermove", x);
    seen.add(kubestage.past.position);
    const now = await new Promise(requestAnimationFrame);
    gaps.push(now - last);
    last = now;
  }
  send("pointerup", x);
  if (seen.size < 20) throw new Error("the past does not move");
  gaps.sort((a, b) => a - b);
  const late = gaps[Math.floor(gaps.length * 0.99)];
  return { rate: gaps.length / ((last - began) / 1000), late,
           pictures: (kubestage.pictures - drawn) / gaps.length, steps: kubestage.past.steps };
}"""
# So many parts come one after the other, so that there is a past.
_PARTS = 200


def node(number: int) -> dict[str, Any]:
    """A node in one of three zones."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": f"node-{number}",
            "labels": {"topology.kubernetes.io/zone": f"zone-{'abc'[number % 3]}"},
        },
        "status": {
            "allocatable": {"cpu": "16", "memory": "64Gi", "pods": "110"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def pod(number: int, nodes: int) -> dict[str, Any]:
    """A pod that has its node."""
    requests = {"cpu": f"{250 + number % 7 * 200}m", "memory": "1Gi"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"pod-{number}",
            "namespace": f"team-{number % 8}",
            "labels": {"app": f"app-{number % 40}"},
        },
        "spec": {
            "nodeName": f"node-{number % nodes}",
            "containers": [{"name": "c", "image": "app:1", "resources": {"requests": requests}}],
        },
    }


def fill(address: str, nodes: int, pods: int) -> None:
    """Put a cluster on a server."""
    names = [f"team-{number}" for number in range(8)]
    items: list[dict[str, Any]] = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in names
    ]
    items += [node(number) for number in range(nodes)]
    _call(f"{address}/kubestage/v1/import", {"kind": "List", "apiVersion": "v1", "items": items})
    for part in range(_PARTS):
        some = [pod(number, nodes) for number in range(part, pods, _PARTS)]
        _call(f"{address}/kubestage/v1/import", {"kind": "List", "apiVersion": "v1", "items": some})
        _call(f"{address}/kubestage/v1/clock/advance", {"duration": "3s"})


def _call(address: str, body: dict[str, Any]) -> None:
    request = urllib.request.Request(address, json.dumps(body).encode(), method="POST")
    with urllib.request.urlopen(request, timeout=600) as answer:
        answer.read()


def measure(browser: Browser, nodes: int, pods: int) -> dict[str, Any]:
    """What one size takes."""
    with Served("--in-memory", "--start", "2026-01-01T00:00:00Z") as served:
        address = f"http://{served.address}"
        fill(address, nodes, pods)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        try:
            return _measured(page, f"{address}/ui/", pods)
        finally:
            page.close()


def _measured(page: Page, address: str, pods: int) -> dict[str, Any]:
    page.set_default_timeout(600_000)
    began_s = time.perf_counter()
    page.goto(address)
    page.wait_for_function("() => window.kubestage && kubestage.drawn > 0", polling=20)
    first_s = time.perf_counter() - began_s
    page.wait_for_function(f"() => kubestage.isLoaded && kubestage.pods >= {pods}", polling=20)
    whole_s = time.perf_counter() - began_s
    page.wait_for_timeout(2000)
    far = page.evaluate(_PAN, _PAN_S)
    for _ in range(6):
        page.keyboard.press("+")
    page.wait_for_timeout(500)
    near = page.evaluate(_PAN, _PAN_S)
    page.keyboard.press("0")
    began_s = time.perf_counter()
    page.locator("#past canvas.strip").press("PageDown")
    page.wait_for_function("() => kubestage.past.isLoaded && kubestage.past.position", polling=20)
    past_s = time.perf_counter() - began_s
    scrub = page.evaluate(_SCRUB, _PAN_S)
    print(f"  the past has {scrub['steps']:,} changes of the map, {scrub['pictures']:.0%} of the "
          "frames had another picture", file=sys.stderr)  # fmt: skip
    return {"first_s": first_s, "whole_s": whole_s, "far": far, "near": near, "past_s": past_s,
            "scrub": scrub}  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="the smaller cluster only")
    arguments = parser.parse_args()
    files = [asset_table.find(path) for path in asset_table.paths()]
    weight = sum(len(each.compressed) for each in files if each is not None)
    print(f"{len(files)} files, {weight / 1024:.0f} KiB compressed")
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, no GPU\n")
    print(
        "| Nodes | Pods | First picture | All pods | Frames/s, whole map | Frames/s, zoomed in "
        "| First past moment | Frames/s, scrubbing |"
    )
    print("|---|---|---|---|---|---|---|---|")
    with sync_playwright() as playwright:
        path = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for nodes, pods in _SIZES[:1] if arguments.small else _SIZES:
            found = measure(browser, nodes, pods)
            rates = [
                f"{found[each]['rate']:.0f} (1% above {found[each]['late']:.0f} ms)"
                for each in ("far", "near", "scrub")
            ]
            times = [f"{found['first_s']:.1f} s", f"{found['whole_s']:.1f} s"]
            rates.insert(2, f"{found['past_s']:.1f} s")
            print("|", " | ".join([f"{nodes:,}", f"{pods:,}", *times, *rates]), "|", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
