"""Take the pictures of docs/page.md, `docs/images/page-*.png`, in Chromium.

Run ``python tools/page_pictures.py [NAME...]`` after the page changes; without names it takes all.
With Pillow installed, pictures have a palette and are a third of the size.
"""

from __future__ import annotations

import contextlib
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING, Any, NamedTuple

from playwright.sync_api import sync_playwright

if __package__ in (None, ""):
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from tools import shop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

ROOT = pathlib.Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
WIDTH, HEIGHT = 1280, 800
MOST_BYTES = 130_000
COLOURS = 256
EXACT = 180
SCENARIOS = "/apis/simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1/scenarios"
FILLING = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
  plugins: {score: {disabled: [{name: NodeResourcesBalancedAllocation}]}}
"""


class Picture(NamedTuple):
    """What is opened, what must be true before it is taken, and what is done before."""

    name: str
    address: str
    ready: str
    server: str = "shop"
    is_dark: bool = False
    act: Callable[[Page], None] | None = None


LOADED = (
    "kubestage.isLoaded && kubestage.frames > 0 && kubestage.past.marks > 0"
    " && document.querySelector('#map .legend button')"
    " && !/^0 nodes/m.test(document.querySelector('#map .toolbar').innerText)"
)
# Views and panels say so while they wait for an answer.
SETTLED = "!/Loading|Looking for|Reading/.test(document.querySelector('#main').innerText)"
PAST = f"{LOADED} && kubestage.past.isLoaded"
LIVES = "kubestage.lives.isLoaded && kubestage.lives.drawn > 0"
CHARTS = (
    "kubestage.charts.some((each) => each.isVisible)"
    " && kubestage.charts.every((each) => !each.isVisible || each.isDrawn)"
)
COMPARED = "kubestage.compared.isLoaded && kubestage.compared.frames.every((each) => each)"
OBJECTS = "document.querySelectorAll('table.objects tbody tr').length > 3"
REHEARSED = "document.querySelector('#autoscaling').dataset.state === 'done'"


def shows(text: str) -> str:
    """A condition: the page has this text."""
    return f"document.querySelector('#main').innerText.includes({json.dumps(text)})"


def fork(page: Page) -> None:
    """Open the dialog of a fork."""
    page.get_by_role("button", name="Fork here").click()
    page.get_by_label("Title", exact=True).fill("Filling nodes")
    page.get_by_label("Seed", exact=True).fill("7")


def point_at_life(page: Page) -> None:
    """Show the tooltip of a pod."""
    found = page.evaluate("() => kubestage.locateLife('pod/data/orders-db-0', 1200000)")
    if found:
        page.mouse.move(*found)


WHY = "#/map?select=pod/reports/sales-forecast"
POD_OBJECTS = "#/objects/v1/pods?select=data/orders-db-0"
WEB = "#/map?select=workload/apps/Deployment/shop/web"
FAILED = f"#/map?at={shop.MOMENT}&select=node/general-c-3"
CONDITIONS = shows("Conditions")
SCENARIO = f"{shows('Succeeded')} && {shows('What happened')}"
PICTURES = (
    Picture("map", "#/map", LOADED),
    Picture("map-dark", "#/map?colour=owner", LOADED, is_dark=True),
    Picture("why", WHY, shows("Attempt"), is_dark=True),
    Picture("why-light", WHY, shows("Attempt")),
    Picture("past", FAILED, f"{PAST} && {CONDITIONS}"),
    Picture("past-dark", FAILED, f"{PAST} && {CONDITIONS}", is_dark=True),
    Picture("fork", f"#/map?at={shop.MOMENT}", PAST, act=fork),
    Picture("fork-dark", f"#/map?at={shop.MOMENT}", PAST, act=fork, is_dark=True),
    Picture("timeline", WEB, shows("Timeline"), is_dark=True),
    Picture("timeline-light", WEB, shows("Timeline")),
    Picture("lives", "#/lives?filter=node%3Ddata-", LIVES, act=point_at_life),
    Picture("lives-dark", "#/lives?by=workload&filter=namespace%3Dcatalog", LIVES, is_dark=True),
    Picture("charts", "#/charts", CHARTS),
    Picture("charts-dark", "#/charts?group=Capacity", CHARTS, is_dark=True),
    Picture("objects", POD_OBJECTS, OBJECTS),
    Picture("objects-dark", POD_OBJECTS, OBJECTS, is_dark=True),
    Picture("scheduler", "#/scheduler", shows("NodeAffinity")),
    Picture("scheduler-dark", "#/scheduler", shows("NodeAffinity"), is_dark=True),
    Picture("autoscaling", "#/autoscaling?duration=30m&most=12", REHEARSED),
    Picture("autoscaling-dark", "#/autoscaling?duration=30m&most=12", REHEARSED, is_dark=True),
    Picture("cluster", "#/cluster", shows("Add")),
    Picture("cluster-dark", "#/cluster", shows("Add"), is_dark=True),
    Picture("scenarios", "#/scenarios/opening-day", SCENARIO, "scenario"),
    Picture("scenarios-dark", "#/scenarios/opening-day", SCENARIO, "scenario", is_dark=True),
    Picture("compare", "#/compare", COMPARED, "runs"),
    Picture("compare-dark", "#/compare", COMPARED, "runs", is_dark=True),
)  # fmt: skip


def main() -> None:
    """Start the servers that are needed, and take the pictures."""
    names = sys.argv[1:]
    unknown = set(names) - {each.name for each in PICTURES}
    if unknown:
        known = ", ".join(each.name for each in PICTURES)
        sys.exit(f"there is no picture {', '.join(sorted(unknown))}; there are {known}")
    pictures = [each for each in PICTURES if not names or each.name in names]
    with (
        contextlib.ExitStack() as servers,
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as playwright,
    ):
        scratch = pathlib.Path(folder)
        needed = {each.server for each in pictures}
        addresses = {
            name: servers.enter_context(begin(scratch))
            for name, begin in SERVERS.items()
            if name in needed
        }
        # The sandbox needs rights that a container does not have.
        path = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for each in pictures:
            take(browser, addresses[each.server], each)
        browser.close()


def take(browser: Browser, address: str, picture: Picture) -> None:
    """One picture, in a window of its own."""
    scheme: Any = "dark" if picture.is_dark else "light"
    size: Any = {"width": WIDTH, "height": HEIGHT}
    context = browser.new_context(viewport=size, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{address}/ui/{picture.address}")
    page.wait_for_function(
        f"() => window.kubestage && ({picture.ready}) && {SETTLED}", timeout=60_000
    )
    if picture.act:
        picture.act(page)
    # What was read last is drawn in the next frame.
    page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    data = smaller(page.screenshot(animations="disabled"))
    context.close()
    if len(data) > MOST_BYTES:
        sys.exit(f"page-{picture.name}.png has {len(data):,} bytes, more than {MOST_BYTES:,}")
    (IMAGES / f"page-{picture.name}.png").write_bytes(data)
    print(f"page-{picture.name}.png  {len(data):,} bytes")


def smaller(data: bytes) -> bytes:
    """The same picture with a palette, if Pillow is there."""
    try:
        from PIL import Image  # noqa: PLC0415 - the project does not need it
    except ImportError:
        return data
    target = io.BytesIO()
    picture = Image.open(io.BytesIO(data)).convert("RGB")
    # Frequent colours stay as they are, but for a few steps of 255; others cover the rest best.
    counted = sorted(picture.getcolors(picture.width * picture.height), reverse=True)
    exact = [part for _, colour in counted[:EXACT] for part in colour]
    rest = picture.quantize(COLOURS - EXACT, Image.Quantize.MAXCOVERAGE)
    palette = Image.new("P", (1, 1))
    palette.putpalette(exact + rest.getpalette()[: 3 * (COLOURS - EXACT)])
    small = picture.quantize(palette=palette, dither=Image.Dither.NONE)
    small.save(target, "PNG", optimize=True)
    return target.getvalue()


@contextlib.contextmanager
def served(folder: pathlib.Path, *words: str) -> Iterator[str]:
    """The address of a kubestage command that serves, until the block ends."""
    command = [sys.executable, "-m", "kubestage", *words, "--port", "0"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder
    )
    assert process.stdout is not None
    try:
        yield _address(process.stdout)
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def _address(lines: Any) -> str:
    printed = []
    for line in lines:
        printed.append(line)
        found = urllib.parse.urlsplit(next((w for w in line.split() if "http://" in w), ""))
        if found.netloc:
            return f"{found.scheme}://{found.netloc}"
    sys.exit("the server did not start:\n" + "".join(printed))


@contextlib.contextmanager
def shop_server(folder: pathlib.Path) -> Iterator[str]:
    """The shop after its morning; its clock is paused."""
    path = folder / "shop.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": shop.objects()}))
    options = ("--in-memory", "--start", shop.START, "--pace", "still")
    with served(folder, "serve", str(path), *options) as address:
        for wait, method, resource, body in shop.morning():
            send(address, "POST", "/kubestage/v1/clock/advance", {"duration": wait})
            send(address, method, resource, body)
        send(address, "POST", "/kubestage/v1/clock/advance", {"duration": shop.REST})
        yield address


@contextlib.contextmanager
def scenario_server(folder: pathlib.Path) -> Iterator[str]:
    """A cluster on which the Scenario has run."""
    with served(folder, "serve", "--in-memory", "--start", shop.START) as address:
        send(address, "POST", SCENARIOS, shop.scenario())
        yield address


@contextlib.contextmanager
def runs_server(folder: pathlib.Path) -> Iterator[str]:
    """Two kept runs of the Scenario, which differ in their scheduler."""
    (folder / "opening-day.json").write_text(json.dumps(shop.scenario()))
    (folder / "filling.yaml").write_text(FILLING)
    words = ["compare", "opening-day.json", "--config", "default", "--config", "filling.yaml"]
    command = [sys.executable, "-m", "kubestage", *words, "--out", "runs"]
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)
    with served(folder, "open", "runs", "--no-browser") as address:
        yield address


SERVERS = {"shop": shop_server, "scenario": scenario_server, "runs": runs_server}


def send(address: str, method: str, path: str, body: Any) -> None:
    """One request of a client."""
    kind = "application/strategic-merge-patch+json" if method == "PATCH" else "application/json"
    data = json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"content-type": kind}, method=method)
    with urllib.request.urlopen(request) as answer:
        answer.read()


if __name__ == "__main__":
    main()
