"""Lives: pods as slices in time, zoomed, filtered, selected and saved."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
import urllib.parse
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from kubestage.results.history import slices_stays
from tests.browser.conftest import Cluster
from tests.browser.opening import wait
from tests.cli import scenarios
from tests.results.history import pod_lives
from tests.results.history.test_perfetto import check
from tests.server.served import Served

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

    from playwright.sync_api import Page


NODES = """
apiVersion: v1
kind: Node
metadata: {name: %s}
status:
  allocatable: {cpu: "4", memory: 16Gi, pods: "110"}
  conditions: [{type: Ready, status: "True"}]
---
"""
WEB = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {
        "replicas": 3,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {
                "containers": [
                    {"name": "c", "image": "web:1", "resources": {"requests": {"cpu": "1"}}}
                ]
            },
        },
    },
}
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def lived() -> Iterator[Cluster]:
    """A Deployment, a pod that fits nowhere, and one that was deleted; a minute in all."""
    objects = "".join(NODES % name for name in ("node-0", "node-1"))
    with Served("--start", "2026-01-01T00:00:00Z", objects=objects) as served:
        found = Cluster(served)
        found.call("/kubestage/v1/clock/pause", {})
        found.call("/apis/apps/v1/namespaces/default/deployments", WEB)
        found.create_pod("short")
        advance(found, "10s")
        found.create_pod("huge", cpu="64")
        found.call("/api/v1/namespaces/default/pods/short", method="DELETE")
        advance(found, "50s")
        yield found


def advance(cluster: Cluster, duration: str) -> None:
    cluster.call("/kubestage/v1/clock/advance", {"duration": duration})


def visit(page: Page, cluster: Cluster, query: str = "") -> None:
    page.goto(f"{cluster.address}/ui/#/lives{query}")
    wait(page, "kubestage.isLoaded && kubestage.lives.isLoaded && kubestage.lives.drawn > 0")


def lives(page: Page, name: str) -> Any:
    return page.evaluate(f"() => kubestage.lives.{name}")


def query_of(page: Page) -> dict[str, str]:
    return dict(urllib.parse.parse_qsl(page.url.partition("?")[2]))


def point(page: Page, name: str, ms: float = 40_000) -> tuple[float, float]:
    """Where something is drawn."""
    x, y = page.evaluate("([name, ms]) => kubestage.locateLife(name, ms)", [name, ms])
    return x, y


def test_pods_are_on_the_lanes_of_their_nodes(page: Page, lived: Cluster) -> None:
    visit(page, lived)
    assert lives(page, "groups") == ["Pods without a node", "node-0", "node-1"]
    assert lives(page, "pods") == 5
    expect(page.get_by_text("5 pods", exact=True)).to_be_visible()
    canvas = page.get_by_role("img", name=re.compile("Lives of 5 pods from 2026-01-01 00:00:00"))
    expect(canvas).to_be_visible()


def test_groups_can_be_workloads(page: Page, lived: Cluster) -> None:
    visit(page, lived)
    page.get_by_label("Group pods").select_option("workload")
    wait(page, "kubestage.lives.groups.length === 2")
    assert lives(page, "groups") == ["Pods without a workload", "default/web (Deployment)"]
    assert query_of(page)["by"] == "workload"


def test_a_filter_leaves_what_matches(page: Page, lived: Cluster) -> None:
    visit(page, lived)
    page.get_by_role("searchbox", name="Filter pods").fill("app=web")
    wait(page, "kubestage.lives.shown === 3")
    expect(page.get_by_text("3 of 5 pods")).to_be_visible()
    visit(page, lived, "?filter=huge")
    wait(page, "kubestage.lives.groups.length === 1")


def test_zoom_goes_from_everything_to_milliseconds(page: Page, lived: Cluster) -> None:
    visit(page, lived)
    end = lives(page, "end")
    assert (lives(page, "from"), lives(page, "to")) == (0, end)
    x, y = point(page, "pod/default/huge", 10_000)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -6000)
    wait(page, "kubestage.lives.to - kubestage.lives.from < 10")
    assert lives(page, "from") <= 10_000 <= lives(page, "to")
    wait(page, "location.hash.includes('from=')")
    span = lives(page, "to") - lives(page, "from")
    # The address has what is in sight.
    page.reload()
    wait(page, f"Math.abs(kubestage.lives.to - kubestage.lives.from - {span}) < 0.01")
    page.get_by_role("button", name="Show all (0)").nth(-1).click()
    wait(page, f"kubestage.lives.to - kubestage.lives.from === {end}")
    wait(page, "!location.hash.includes('from=')")


def test_keys_are_those_of_perfetto(page: Page, lived: Cluster) -> None:
    visit(page, lived)
    whole = lives(page, "to")
    page.keyboard.press("w")
    wait(page, f"kubestage.lives.to - kubestage.lives.from < {whole}")
    begin = lives(page, "from")
    page.keyboard.press("d")
    wait(page, f"kubestage.lives.from > {begin}")
    page.keyboard.press("a")
    page.keyboard.press("ArrowLeft")
    wait(page, f"kubestage.lives.from < {begin}")
    page.keyboard.press("s")
    page.keyboard.press("0")
    wait(page, f"kubestage.lives.to - kubestage.lives.from === {whole}")
    page.keyboard.press("j")
    wait(page, "location.hash.includes('select=pod')")
    first = query_of(page)["select"]
    page.keyboard.press("j")
    wait(page, f"!decodeURIComponent(location.hash).includes('{first}')")
    page.keyboard.press("k")
    wait(page, f"decodeURIComponent(location.hash).includes('{first}')")


def test_a_click_selects_a_pod_at_a_moment(page: Page, lived: Cluster) -> None:
    visit(page, lived)
    page.mouse.click(*point(page, "pod/default/huge", 30_000))
    expect(page.get_by_role("complementary", name="Details")).to_contain_text("default/huge")
    found = query_of(page)
    assert found["select"] == "pod/default/huge"
    assert found["at"].startswith("2026-01-01T00:00:3")
    expect(page.get_by_role("complementary", name="Details")).to_contain_text("Insufficient cpu")
    # The deleted one is shown as it was.
    page.mouse.click(*point(page, "pod/default/short", 6_000))
    expect(page.get_by_role("complementary", name="Details")).to_contain_text("default/short")
    expect(page.get_by_role("complementary", name="Details")).to_contain_text("Running")


def test_the_tooltip_has_exact_times(page: Page, lived: Cluster) -> None:
    visit(page, lived)
    page.mouse.move(*point(page, "pod/default/huge", 10_050))
    tooltip = page.locator("#lives").get_by_role("tooltip")
    expect(tooltip).to_contain_text("unschedulable for 50s so far")
    expect(tooltip).to_contain_text("attempt failed: 0/2 nodes are available")
    page.mouse.move(*point(page, "pod/default/short", 6_000))
    expect(tooltip).to_contain_text("ready for 8s")
    expect(tooltip).to_contain_text("00:00:02.001 to 00:00:10.001")
    page.mouse.move(*point(page, "node/node-1", 20_000))
    expect(tooltip).to_contain_text("pods at once")


def test_text_from_the_cluster_is_text(page: Page, lived: Cluster) -> None:
    pod = lived.call("/api/v1/namespaces/default/pods/huge")
    about = {"kind": "Pod", "namespace": "default", "name": "huge", "uid": pod["metadata"]["uid"]}
    event = {
        "metadata": {"name": "hostile"},
        "involvedObject": about,
        "reason": "FailedScheduling",
        "message": HOSTILE,
        "type": "Warning",
    }
    lived.call("/api/v1/namespaces/default/events", event)
    visit(page, lived)
    page.mouse.move(*point(page, "pod/default/huge", lives(page, "end") - 200))
    tooltip = page.locator("#lives").get_by_role("tooltip")
    expect(tooltip).to_contain_text(HOSTILE)
    assert page.locator("#lives img").count() == 0


def test_groups_close_and_stay_closed(page: Page, lived: Cluster) -> None:
    visit(page, lived)
    _, y = point(page, "node/node-0")
    box = page.locator("#lives canvas").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 10, y)
    wait(page, "location.hash.includes('closed=node-0')")
    drawn = lives(page, "drawn")
    page.reload()
    wait(page, f"kubestage.lives.drawn === {drawn}")
    page.mouse.click(box["x"] + 10, y)
    wait(page, f"!location.hash.includes('closed') && kubestage.lives.drawn > {drawn}")


def test_what_happens_meanwhile_is_added(page: Page, cluster: Cluster) -> None:
    visit(page, cluster)
    before = lives(page, "pods")
    cluster.create_pod("newcomer")
    wait(page, f"kubestage.lives.pods === {before + 1}")
    path = "/api/v1/namespaces/default/pods/newcomer?gracePeriodSeconds=0"
    cluster.call(path, method="DELETE")


def test_the_lives_are_saved_as_a_trace(page: Page, lived: Cluster, tmp_path: pathlib.Path) -> None:
    visit(page, lived, "?by=workload")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as Perfetto trace").click()
    assert download.value.suggested_filename == "kubestage.perfetto.json"
    download.value.save_as(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())
    check(trace)
    assert trace["otherData"]["groupBy"] == "workload"


def lanes_in_python(rows: dict[str, Any]) -> dict[str, list[list[str]]]:
    """The pods on each lane of each node, as a trace has them."""
    grouped: dict[str, list[slices_stays.Stay]] = {}
    for stay in slices_stays.stays(slices_stays.lives(rows), lambda segment: segment.node):
        if stay.group >= 0 or stay.end_ms - stay.begin_ms >= 0.001:
            name = rows["nodes"][stay.group] if stay.group >= 0 else ""
            grouped.setdefault(name, []).append(stay)
    found = {}
    for name, there in grouped.items():
        lanes: list[list[str]] = [[] for _ in range(slices_stays.put_on_lanes(there))]
        for stay in sorted(there, key=lambda each: (each.begin_ms, each.pod)):
            lanes[stay.lane].append(rows["pods"][stay.pod][0])
        found[name] = lanes
    return found


def test_lanes_are_those_of_a_trace(page: Page, lived: Cluster) -> None:
    page.goto(f"{lived.address}/ui/css/page.css")
    _, history = pod_lives.lived()
    rows = pod_lives.rows_of(history)
    found = page.evaluate(
        """async (rows) => {
          const { Lives } = await import("/ui/js/lives/lives.js");
          const { Tracks } = await import("/ui/js/lives/tracks.js");
          const tracks = new Tracks();
          const settings = { by: "node", rows: "tall", filter: "", closed: "" };
          tracks.update(new Lives().take(rows), settings, null);
          const names = (stays) => stays.map(({ pod }) => pod.name);
          return tracks.groups.map(({ key, lanes }) => [key, lanes.map(names)]);
        }""",
        rows,
    )
    assert dict(found) == lanes_in_python(rows)


@contextlib.contextmanager
def opened(folder: pathlib.Path) -> Iterator[str]:
    """``kubestage open`` of a Scenario that was run and kept; the address of the page."""
    code = "from kubestage.cli import main; raise SystemExit(main())"
    kubestage = [sys.executable, "-u", "-c", code]
    (folder / "scenario.json").write_text(json.dumps(scenarios.rivalry()))
    run = [*kubestage, "run", "scenario.json", "--out", "kept"]
    subprocess.run(run, cwd=folder, check=True, capture_output=True)
    command = [*kubestage, "open", "kept", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield next(line.strip() for line in process.stdout if "http://" in line)
        finally:
            process.terminate()


def test_a_kept_run_has_lives(page: Page, tmp_path: pathlib.Path) -> None:
    with opened(tmp_path) as address:
        page.goto(f"{address}#/lives")
        wait(page, "kubestage.lives.isLoaded && kubestage.lives.drawn > 0")
        assert lives(page, "groups") == ["Pods without a node", "n1", "n2"]
        assert lives(page, "pods") == 4
        page.mouse.click(*point(page, "pod/default/vip", lives(page, "end") - 500))
        expect(page.get_by_role("complementary", name="Details")).to_contain_text("default/vip")


def test_nothing_to_draw_is_explained(page: Page) -> None:
    with Served("--start", "2026-01-01T00:00:00Z") as served:
        page.goto(f"{served.address}/ui/#/lives")
        expect(page.get_by_role("heading", name="No pods yet")).to_be_visible()


def test_a_narrow_window_shows_lanes(page: Page, lived: Cluster) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    visit(page, lived)
    box = page.locator("#lives canvas").bounding_box()
    assert box is not None
    assert box["width"] > 350
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
