"""Charts in a browser: they follow the cluster, explain themselves, and need nothing forbidden."""

from __future__ import annotations

import datetime as dt
import urllib.error
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OBJECTS, Cluster
from tests.browser.opening import wait
from tests.deadlines import attempts
from tests.server.served import Served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

REPLICAS = "replicas-deployment-default-web"
LIVE = """
apiVersion: kubestage.dev/v1alpha1
kind: NodeGroup
metadata: {name: small}
spec:
  minSize: 1
  maxSize: 4
  price: 0.20
  provisionDelay: 90s
  template:
    capacity: {cpu: "4", memory: 16Gi, pods: "110"}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: web:1
        resources: {requests: {cpu: "1", memory: 256Mi}, limits: {cpu: "1"}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 1
  maxReplicas: 8
  metrics:
  - type: Resource
    resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}
---
apiVersion: kubestage.dev/v1alpha1
kind: Traffic
metadata: {name: shoppers}
spec:
  target: {kind: Deployment, name: web}
  pattern:
    poisson: {rps: 30}
  request: {cpu: exp(100ms), timeout: 10s}
"""

# All colours in the picture of a chart.
PIXELS = """((name) => {
  const drawn = document.querySelector(`[data-chart=${name}] canvas`);
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [drawn.width, drawn.height];
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(drawn, 0, 0);
  const { data } = context.getImageData(0, 0, copy.width, copy.height);
  const found = new Set(new Uint32Array(data.buffer));
  return [...found].map((each) => new Uint8Array(new Uint32Array([each]).buffer).join());
})"""


@pytest.fixture(scope="module")
def busy() -> Iterator[Cluster]:
    """A cluster that an HPA and a node group have made larger; its clock stands still."""
    with Served("--start", "2026-01-01T00:00:00Z", "--timings", objects=LIVE) as served:
        found = Cluster(served)
        found.call("/kubestage/v1/clock/advance", {"duration": "15m"})
        found.call("/kubestage/v1/clock/pause", {})
        yield found


def open_charts(page: Page, address: str, query: str = "") -> None:
    page.goto(f"{address}/ui/#/charts{query}")
    wait(page, "kubestage.charts.some((chart) => chart.isVisible)")
    wait(page, "kubestage.charts.every((chart) => !chart.isVisible || chart.isDrawn)")


def chart(page: Page, name: str) -> Any:
    return page.evaluate("(name) => kubestage.charts.find((one) => one.name === name)", name)


def place(page: Page, name: str, share: float) -> tuple[float, float]:
    """Somewhere in the plot of a chart, at a share of its width."""
    plot = page.locator(f"[data-chart={name}] .plot")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box is not None
    return box["x"] + box["width"] * share, box["y"] + box["height"] * 0.6


def test_every_chart_is_drawn_and_nothing_is_refused(page: Page, busy: Cluster) -> None:
    """The fixture fails if the console has a word of a refusal, or of anything else."""
    page.add_init_script(
        "window.refused = [];"
        "addEventListener('securitypolicyviolation', (event) => refused.push(event.blockedURI));"
    )
    open_charts(page, busy.address)
    for name in [each["name"] for each in page.evaluate("() => kubestage.charts")]:
        page.locator(f"[data-chart={name}]").scroll_into_view_if_needed()
        wait(page, f"kubestage.charts.find((chart) => chart.name === {name!r}).isDrawn")
        painted = page.evaluate(f"() => {PIXELS}({name!r}).length")
        assert painted > 10, name
    names = {each["name"] for each in page.evaluate("() => kubestage.charts")}
    assert {"capacity", "pods", "nodes", "cost", REPLICAS, "decisions", "plugin-times"} <= names
    assert page.evaluate("() => refused") == []


def test_vega_is_loaded_only_for_charts(page: Page, busy: Cluster) -> None:
    loaded: list[str] = []
    page.on("request", lambda sent: loaded.append(sent.url))
    page.goto(f"{busy.address}/ui/")
    wait(page, "kubestage.isLoaded")
    assert not [url for url in loaded if "/vendor/" in url]
    page.get_by_role("link", name="Charts").click()
    wait(page, "kubestage.charts.some((chart) => chart.isDrawn)")
    assert len([url for url in loaded if "/vendor/" in url]) == 3


def test_a_rescale_is_marked_with_its_reason(page: Page, busy: Cluster) -> None:
    open_charts(page, busy.address, "?chart=decisions")
    found = busy.call("/kubestage/v1/charts/decisions")
    rows = [row for each in found["datasets"].values() for row in each]
    rescale = next(row for row in rows if row["decision"] == "rescale")
    start = dt.datetime.fromisoformat(found["usermeta"]["kubestage"]["start"])
    at_ms = 1000 * (start.timestamp() + rescale["atSeconds"])
    left = page.evaluate("(ms) => kubestage.locateInChart('decisions', ms)", at_ms)
    box = page.locator("[data-chart=decisions] .plot").bounding_box()
    assert box is not None
    tip = page.locator("[data-chart=decisions] .tooltip")
    # Its row is somewhere above or below: the pointer looks for it as a person would.
    for _ in attempts():
        for y in range(20, int(box["height"]), 4):
            page.mouse.move(box["x"] + left, box["y"] + y)
            if "above target" in tip.inner_text():
                expect(tip).to_contain_text("reason: cpu resource utilization")
                expect(tip).to_contain_text("change: 1 to")
                return


def test_values_of_a_moment_are_shown(page: Page, busy: Cluster) -> None:
    open_charts(page, busy.address, f"?chart={REPLICAS}")
    assert {"desired", "active"} <= set(chart(page, REPLICAS)["series"])
    page.mouse.move(*place(page, REPLICAS, 0.9))
    tip = page.locator(f"[data-chart={REPLICAS}] .tooltip")
    expect(tip).to_contain_text("desired: ")
    expect(tip).to_contain_text("00:1")


def test_a_click_goes_to_that_moment(page: Page, busy: Cluster) -> None:
    open_charts(page, busy.address)
    page.mouse.click(*place(page, "capacity", 0.5))
    wait(page, "location.hash.includes('at=2026-01-01T00')")
    cursors = page.locator(".cursor:visible")
    expect(cursors.first).to_be_visible()
    page.get_by_role("button", name="Cursor at").click()
    expect(cursors).to_have_count(0)
    page.go_back()
    expect(cursors.first).to_be_visible()


def test_a_drag_zooms_and_the_address_has_it(page: Page, busy: Cluster) -> None:
    open_charts(page, busy.address)
    whole = chart(page, "capacity")["range"]
    page.mouse.move(*place(page, "capacity", 0.4))
    page.mouse.down()
    page.mouse.move(*place(page, "capacity", 0.6), steps=4)
    page.mouse.up()
    wait(page, f"kubestage.charts[0].range && kubestage.charts[0].range[0] > {whole[0]!r}")
    begin, end = chart(page, "capacity")["range"]
    assert whole[0] < begin < end < whole[1]
    page.reload()
    wait(page, "kubestage.charts.some((chart) => chart.isDrawn)")
    assert chart(page, "capacity")["range"] == [begin, end]
    page.get_by_role("button", name="Whole time").click()
    wait(page, f"kubestage.charts[0].range[0] === {whole[0]!r}")


def test_keys_move_the_cursor_and_zoom(page: Page, busy: Cluster) -> None:
    open_charts(page, busy.address)
    page.keyboard.press("ArrowLeft")
    wait(page, "location.hash.includes('at=')")
    page.keyboard.press("+")
    wait(page, "location.hash.includes('from=')")
    page.keyboard.press("0")
    wait(page, "!location.hash.includes('from=')")


def test_charts_follow_the_cluster_and_rest_with_it(page: Page, busy: Cluster) -> None:
    open_charts(page, busy.address, "?chart=pods")
    before = chart(page, "pods")["range"][1]
    busy.call("/kubestage/v1/clock/advance", {"duration": "1m"})
    wait(page, f"kubestage.charts[0].range[1] > {before!r}")
    requests = page.evaluate("() => kubestage.chartRequests")
    # The list is read again and again, the chart is not.
    for _ in range(2):
        with page.expect_response("**/kubestage/v1/charts"):
            pass
    assert page.evaluate("() => kubestage.chartRequests") == requests


def test_only_what_can_be_seen_is_drawn(page: Page, busy: Cluster) -> None:
    page.set_viewport_size({"width": 700, "height": 420})
    open_charts(page, busy.address)
    found = page.evaluate("() => kubestage.charts")
    assert any(not each["isVisible"] and not each["isDrawn"] for each in found)


def test_dark_charts_are_dark(page: Page, busy: Cluster) -> None:
    """What is drawn in black on a light page is a light grey on a dark one."""
    open_charts(page, busy.address, "?chart=capacity")
    black, grey = "51,51,51,255", "195,202,214,255"
    assert black in page.evaluate(f"() => {PIXELS}('capacity')")
    page.get_by_role("button", name="Use the dark theme").click()
    page.wait_for_function(f"() => {PIXELS}('capacity').includes({grey!r})")
    assert black not in page.evaluate(f"() => {PIXELS}('capacity')")


@pytest.mark.parametrize(("name", "magic"), [("PNG", b"\x89PNG"), ("SVG", b"<svg")])
def test_a_chart_is_downloaded(page: Page, busy: Cluster, name: str, magic: bytes) -> None:
    open_charts(page, busy.address, "?chart=cost")
    with page.expect_download() as download:
        page.get_by_role("button", name=name).click()
    assert download.value.suggested_filename == f"cost.{name.lower()}"
    with open(download.value.path(), "rb") as saved:
        assert saved.read(400).startswith(magic)


def test_one_workload_is_chosen(page: Page, busy: Cluster) -> None:
    open_charts(page, busy.address, "?group=Workloads")
    page.get_by_label("Workload", exact=True).select_option("deployment/default/web")
    wait(page, "location.hash.includes('workload=deployment')")
    assert [each["name"] for each in page.evaluate("() => kubestage.charts")] == [REPLICAS]


def advance(cluster: Cluster, duration: str) -> None:
    """Let time pass, as soon as what the page imports is there."""
    for _ in attempts():
        try:
            cluster.call("/kubestage/v1/clock/advance", {"duration": duration})
        except urllib.error.HTTPError as error:
            if error.code != HTTPStatus.CONFLICT:
                raise
        else:
            return


def test_an_empty_chart_teaches(page: Page, browser: Browser) -> None:
    with Served("--start", "2026-01-01T00:00:00Z", objects=OBJECTS) as served:
        cluster = Cluster(served)
        page.goto(f"{served.address}/ui/#/charts")
        card = page.locator("[data-chart=replicas]")
        expect(card).to_contain_text("create a Deployment")
        card.get_by_text("An example").click()
        card.get_by_role("button", name="Create it").click()
        wait(page, f"kubestage.charts.some((chart) => chart.name === {REPLICAS!r})")
        traffic = page.locator("[data-chart=response-times]")
        traffic.get_by_text("An example").click()
        expect(traffic).to_contain_text("name: web")
        traffic.get_by_role("button", name="Create it").click()
        advance(cluster, "2m")
        name = "response-times-default-shoppers"
        wait(page, f"kubestage.charts.some((chart) => chart.name === {name!r})")
        page.locator(f"[data-chart={name}]").scroll_into_view_if_needed()
        wait(page, f"kubestage.charts.find((chart) => chart.name === {name!r}).isDrawn")


def test_names_are_text(page: Page, browser: Browser) -> None:
    """What a cluster says is never markup, in titles, tooltips or the list of workloads."""
    with Served("--start", "2026-01-01T00:00:00Z", objects=OBJECTS) as served:
        cluster = Cluster(served)
        bad = "<img src=x onerror=alert(1)>"
        cluster.create_pod("odd", annotations={"a": bad})
        event = {
            "metadata": {"name": "e", "namespace": "default"},
            "involvedObject": {"kind": "NodeGroup", "name": bad, "namespace": ""},
            "reason": "ScaledUpGroup",
            "message": bad,
            "type": "Normal",
        }
        cluster.call("/api/v1/namespaces/default/events", event)
        open_charts(page, served.address, "?chart=decisions")
        assert page.locator("#charts img").count() == 0
        assert "onerror" in str(cluster.call("/kubestage/v1/charts/decisions"))
