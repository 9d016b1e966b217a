"""Markup in every field that the API accepts: every view shows it as text."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.parse
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from playwright.sync_api import expect

from kubestage.runs.opening import open_runs
from kubestage.server.launch import opening
from tests.browser.conftest import OBJECTS, Cluster
from tests.browser.opening import wait
from tests.deadlines import until
from tests.runs.opening import kept
from tests.server.served import Served

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

    from playwright.sync_api import Dialog, Page

HOSTILE = '<img src=x onerror="window.hacked=1">'
IN_ADDRESS = urllib.parse.quote(HOSTILE, safe="")
NOTES = {"note": HOSTILE, "kubernetes.io/change-cause": HOSTILE, "description": HOSTILE}
SCENARIOS = "/apis/simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1/scenarios"
PODS = "/api/v1/namespaces/default/pods"
CONTAINER = {
    "name": "c", "image": HOSTILE, "command": [HOSTILE], "args": [HOSTILE],
    "env": [{"name": "TEXT", "value": HOSTILE}],
    "resources": {"requests": {"cpu": "500m"}},
}  # fmt: skip
# Notes every element that should never be made, also one that is gone again at once.
WATCH = """
window.planted = [];
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) {
    for (const node of addedNodes) {
      if (node.nodeType !== Node.ELEMENT_NODE) continue;
      for (const each of [node, ...node.querySelectorAll("*")]) {
        if (each.matches("img[src='x'], [onerror]")) window.planted.push(each.outerHTML);
      }
    }
  }
}).observe(document, { childList: true, subtree: true });
"""


def _event(step: int, operation: str, **more: Any) -> dict[str, Any]:
    return {"id": f"{HOSTILE}{step}", "step": step, "operation": operation, **more}


def _scenario() -> dict[str, Any]:
    """It fails: the pod that it deletes last is not there, and the message names it."""
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "annotations": NOTES}}
    pod = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default"},
        "spec": {"containers": [CONTAINER]},
    }  # fmt: skip
    missing = {
        "typeMeta": {"apiVersion": "v1", "kind": "Pod"},
        "objectMeta": {"name": HOSTILE, "namespace": "default"},
    }
    events = [
        _event(0, "Create", createOperation={"object": node}),
        _event(1, "Create", createOperation={"object": pod}),
        _event(2, "Delete", deleteOperation=missing),
    ]
    return {"metadata": {"name": "hostile", "annotations": NOTES}, "spec": {"events": events}}


def _fill(cluster: Cluster) -> None:
    metadata = {"name": "web", "annotations": NOTES}
    labels = {"app": "web"}
    template = {
        "metadata": {"labels": labels, "annotations": NOTES},
        "spec": {"containers": [CONTAINER]},
    }
    spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}
    cluster.call(
        "/apis/apps/v1/namespaces/default/deployments", {"metadata": metadata, "spec": spec}
    )
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    cpu = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}
    hpa = {
        "scaleTargetRef": target, "maxReplicas": 4,
        "metrics": [{"type": "Resource", "resource": cpu}],
    }  # fmt: skip
    path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
    cluster.call(path, {"metadata": metadata, "spec": hpa})
    traffic = {"target": {"kind": "Deployment", "name": "web"}, "pattern": {"constant": {"rps": 5}}}
    path = "/apis/kubestage.dev/v1alpha1/namespaces/default/traffics"
    cluster.call(path, {"metadata": metadata, "spec": traffic})
    cluster.create_pod("hostile", annotations=NOTES)
    stranger = {"schedulerName": HOSTILE, "containers": [CONTAINER]}
    cluster.call(PODS, {"metadata": {"name": "stranger"}, "spec": stranger})
    condition = {"type": HOSTILE, "status": "True", "reason": HOSTILE, "message": HOSTILE}
    status = {"conditions": [condition], "nodeInfo": {"kubeletVersion": HOSTILE}}
    node = {"metadata": {"name": "odd", "annotations": NOTES}, "status": status}
    cluster.call("/api/v1/nodes", node)
    for kind, name in (("Pod", "hostile"), ("Node", "odd"), ("Deployment", "web")):
        cluster.call("/api/v1/namespaces/default/events", {
            "metadata": {"name": f"hostile.{kind.lower()}"}, "type": "Warning",
            "reason": HOSTILE, "message": HOSTILE, "source": {"component": HOSTILE},
            "involvedObject": {"kind": kind, "name": name, "namespace": "default"},
        })  # fmt: skip


@pytest.fixture(scope="module")
def hostile() -> Iterator[Cluster]:
    """A Scenario first, as it empties the cluster; then everything else, and a fork of it."""
    with Served("--start", "2026-01-01T00:00:00Z") as served:
        found = Cluster(served)
        found.call(SCENARIOS, _scenario())
        until(lambda: found.call(f"{SCENARIOS}/hostile").get("status", {}).get("phase") == "Failed")
        found.call("/kubestage/v1/import", _objects())
        _fill(found)
        found.call("/kubestage/v1/clock/pause", {})
        found.advance("5m")
        found.call("/kubestage/v1/clusters", {"name": "fork-1", "title": HOSTILE})
        yield found


def _objects() -> dict[str, Any]:
    items = [each for each in yaml.safe_load_all(OBJECTS) if each]
    return {"apiVersion": "v1", "kind": "List", "items": items}


@pytest.fixture
def watched(page: Page) -> Iterator[Page]:
    """A page that is checked at its end: nothing was planted, nothing ran, nothing popped up."""
    dialogs: list[str] = []

    def refuse(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", refuse)
    page.add_init_script(WATCH)
    yield page
    _check(page)
    assert not dialogs


def _check(page: Page) -> None:
    assert page.evaluate("() => window.hacked") is None
    assert page.evaluate("() => window.planted") == []
    assert page.locator("img[src='x']").count() == 0


def _go(page: Page, address: str, part: str) -> None:
    """Open a view in a fresh page, after a check of the one before."""
    if page.url.startswith("http"):
        _check(page)
    page.goto("about:blank")
    page.goto(f"{address}/ui/{part}")


def _shows(page: Page, selector: str) -> None:
    expect(page.locator(selector).filter(has_text=HOSTILE).first).to_be_visible()


def test_the_watch_finds_an_element(watched: Page, hostile: Cluster) -> None:
    """Else the other tests here could not fail."""
    _go(watched, hostile.address, "#/map")
    wait(watched, "kubestage.isLoaded")
    watched.evaluate("""() => {
      const made = document.createElement("div");
      document.body.append(made);
      made.innerHTML = '<img src=x alt="">';
      made.remove();
    }""")
    wait(watched, "window.planted.length > 0")
    watched.evaluate("() => { window.planted = []; }")


PANELS = (
    ("pod/default/hostile", ("#panel .facts", "#panel .events")),
    ("pod/default/stranger", ("#panel .facts",)),
    ("node/odd", ("#panel .facts", "#panel .conditions")),
    ("workload/apps/Deployment/default/web", ("#panel .facts",)),
)


def test_map_and_panel(watched: Page, hostile: Cluster) -> None:
    for select, selectors in PANELS:
        _go(watched, hostile.address, f"#/map?colour=profile&select={select}")
        for selector in selectors:
            _shows(watched, selector)
    # A scheduler that no profile has is a value of the legend.
    _shows(watched, "#map .legend")
    _go(watched, hostile.address, f"#/map?filter={IN_ADDRESS}&select=pod/{IN_ADDRESS}/x")
    expect(watched.get_by_label("Filter pods and nodes")).to_have_value(HOSTILE)
    _shows(watched, "#panel")


def test_marks_and_clusters(watched: Page, hostile: Cluster) -> None:
    _go(watched, hostile.address, "#/map")
    wait(watched, "kubestage.past.marks > 0")
    watched.locator("#past .marks summary").click()
    expect(watched.get_by_role("list", name="Newest marks").locator("li").first).to_be_visible()
    watched.keyboard.press("Escape")
    watched.locator("#clusters summary").click()
    _shows(watched, "#clusters li")
    _go(watched, hostile.address, "?cluster=fork-1#/map")
    _shows(watched, "#clusters summary")


def test_lives_and_their_tooltip(watched: Page, hostile: Cluster) -> None:
    _go(watched, hostile.address, "#/lives")
    wait(watched, "kubestage.lives.isLoaded && kubestage.lives.drawn > 0")
    end_ms = watched.evaluate("() => kubestage.past.endMs")
    for name in ("pod/default/hostile", "pod/default/stranger"):
        x, y = watched.evaluate(
            "([name, ms]) => kubestage.locateLife(name, ms)", [name, end_ms - 1000]
        )
        watched.mouse.move(x, y)
        tooltip = watched.locator("#lives .tooltip")
        expect(tooltip).to_contain_text(name.rpartition("/")[2])
    _go(watched, hostile.address, f"#/lives?by=workload&filter={IN_ADDRESS}")
    expect(watched.get_by_text("0 of ")).to_be_visible()


def test_charts(watched: Page, hostile: Cluster) -> None:
    _go(watched, hostile.address, "#/charts")
    wait(watched, "kubestage.charts.some((each) => each.isVisible)")
    wait(watched, "kubestage.charts.every((each) => !each.isVisible || each.isDrawn)")
    watched.locator("#charts canvas").first.hover()
    for part in (f"#/charts?group={IN_ADDRESS}", f"#/charts?workload={IN_ADDRESS}"):
        _go(watched, hostile.address, part)
        expect(watched.get_by_label("Group of charts")).to_be_visible()


def test_objects(watched: Page, hostile: Cluster) -> None:
    kinds = ("apps/v1/deployments", "kubestage.dev/v1alpha1/traffics")
    for part in (*(f"{kind}?select=default/web" for kind in kinds), "v1/nodes?select=/odd"):
        _go(watched, hostile.address, f"#/objects/{part}")
        text = watched.locator("#objects textarea")
        expect(text).to_have_value(re.compile("<img src=x onerror="))
    _go(watched, hostile.address, "#/objects/v1/events")
    _shows(watched, "table.objects td")
    _go(watched, hostile.address, f"#/objects/{IN_ADDRESS}/v1/{IN_ADDRESS}")
    expect(watched.get_by_text("The server has no such kind.")).to_be_visible()


def test_scenarios(watched: Page, hostile: Cluster) -> None:
    _go(watched, hostile.address, "#/scenarios/hostile")
    _shows(watched, "#scenarios .run")
    _go(watched, hostile.address, "#/scenarios/hostile?step=1&pod=default/p")
    expect(watched.get_by_role("complementary", name="Pod")).to_contain_text("default/p")
    _go(watched, hostile.address, f"#/scenarios/{IN_ADDRESS}?step={IN_ADDRESS}")
    _shows(watched, "#scenarios .run")


def test_what_is_refused(watched: Page, hostile: Cluster, tmp_path: pathlib.Path) -> None:
    """Scheduler, autoscaling and cluster show messages that quote what was sent."""
    _go(watched, hostile.address, "#/scheduler")
    text = watched.get_by_label("YAML of the scheduler configuration")
    expect(text).not_to_have_value("")
    text.fill(text.input_value().replace("name: ImageLocality", f"name: '{HOSTILE}'"))
    watched.get_by_role("button", name="Check").click()
    expect(watched.locator("#scheduler .problem").first).to_contain_text("img src=x")
    _go(watched, hostile.address, f"#/autoscaling?duration=10m&cpu={IN_ADDRESS}")
    expect(watched.locator("#autoscaling > .error")).to_be_visible()
    _go(watched, hostile.address, "#/cluster")
    file = tmp_path / f"{HOSTILE}.json"
    bad = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": HOSTILE}, "spec": {}}
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [bad]}))
    watched.get_by_label("File").set_input_files(file)
    status = watched.get_by_role("region", name="Import").get_by_role("status")
    expect(status).to_contain_text(f"{HOSTILE}.json: nothing was imported")


def test_compare(watched: Page, hostile: Cluster) -> None:
    _go(watched, hostile.address, "#/compare?left=&right=fork-1")
    wait(watched, "kubestage.compared.isLoaded")
    _shows(watched, "#compare .side")
    _go(watched, hostile.address, f"#/compare?left={IN_ADDRESS}&right={IN_ADDRESS}")
    expect(watched.locator("#compare")).to_be_visible()


def test_kept_runs(watched: Page, tmp_path: pathlib.Path) -> None:
    """A run goes by the name of its directory, which may be anything."""
    life = kept.life(tmp_path).rename(tmp_path / HOSTILE)
    with opening.show(open_runs([kept.scenario(tmp_path), life])) as shown:
        _go(watched, shown.address, "#/map")
        watched.locator("#clusters summary").click()
        link = watched.locator("#clusters li").filter(has_text=HOSTILE).get_by_role("link")
        link.click()
        _shows(watched, "#clusters summary")
        name = urllib.parse.parse_qs(urllib.parse.urlsplit(watched.url).query)["cluster"][0]
        for view in ("lives", "charts", "objects", f"compare?left=scenario&right={name}"):
            _go(watched, shown.address, f"?cluster={name}#/{view}")
            _shows(watched, "#clusters summary")
        _check(watched)


@pytest.mark.parametrize("field", ["labels", "taints"])
def test_values_of_labels_and_taints_are_refused(hostile: Cluster, field: str) -> None:
    """So that nothing need be shown of them."""
    node: dict[str, Any] = {"metadata": {"name": "refused"}}
    if field == "labels":
        node["metadata"]["labels"] = {"app": HOSTILE}
    else:
        node["spec"] = {"taints": [{"key": "app", "value": HOSTILE, "effect": "NoSchedule"}]}
    with pytest.raises(urllib.error.HTTPError) as refused:
        hostile.call("/api/v1/nodes", node)
    with refused.value as answer:
        assert answer.code == 422
