"""Timelines of nodes and workloads in the panel, and colours by usage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OBJECTS, Cluster
from tests.browser.opening import click_on, visit, wait
from tests.server.served import Served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Locator, Page

DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
WORKLOAD = "workload/apps/Deployment/default/web"
LABEL = "<img src=x onerror=window.hit=1>"


_AUTOSCALER = {
    "metadata": {"name": "scaler"},
    "spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
        "minReplicas": 3,
        "maxReplicas": 5,
        "metrics": [
            {
                "type": "Resource",
                "resource": {
                    "name": "cpu",
                    "target": {"type": "Utilization", "averageUtilization": 50},
                },
            }
        ],
    },
}


def _deployment(replicas: int) -> dict[str, Any]:
    resources = {"requests": {"cpu": "500m", "memory": "256Mi"}}
    containers = [{"name": "c", "image": "app:1", "resources": resources}]
    labels = {"app": "web"}
    return {
        "metadata": {"name": "web", "annotations": {"note": LABEL}},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
        },
    }


@pytest.fixture(scope="module")
def scaled() -> Iterator[Cluster]:
    """A Deployment of two, after ten minutes of three, with another image after twenty."""
    with Served("--start", "2026-01-01T00:00:00Z", objects=OBJECTS) as served:
        found = Cluster(served)
        found.call("/kubestage/v1/clock/pause", method="POST")
        found.call(DEPLOYMENTS, _deployment(2))
        found.advance("10m")
        found.patch(f"{DEPLOYMENTS}/web", {"spec": {"replicas": 3}})
        found.patch("/api/v1/nodes/node-0", {"spec": {"unschedulable": True}})
        found.advance("10m")
        containers = _deployment(3)["spec"]["template"]["spec"]["containers"]
        containers[0]["image"] = "app:2"
        found.patch(
            f"{DEPLOYMENTS}/web", {"spec": {"template": {"spec": {"containers": containers}}}}
        )
        found.call("/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", _AUTOSCALER)
        found.advance("10m")
        yield found


def _panel(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Details")


def _timeline(page: Page) -> Locator:
    return _panel(page).get_by_role("list", name="Timeline")


def test_the_timeline_of_a_workload(page: Page, scaled: Cluster) -> None:
    visit(page, scaled.address, f"#/map?select={WORKLOAD}")
    expect(_panel(page).get_by_role("heading", name="Deployment default/web")).to_be_visible()
    timeline = _timeline(page)
    for text in ("created with 2 replicas", "scaled from 2 to 3", "rollout complete", "placed on"):
        expect(timeline).to_contain_text(text)
    expect(_panel(page)).to_contain_text("3 of 3 ready")
    expect(_panel(page)).to_contain_text("Scaled by HorizontalPodAutoscaler scaler.")
    expect(_panel(page).get_by_role("img", name="ready: 3, between 0 and 3")).to_be_visible()
    expect(_panel(page)).to_contain_text(LABEL)
    scaling = timeline.get_by_role("listitem").filter(has_text="scaled from 2 to 3").first
    scaling.get_by_title("Show this moment").click()
    wait(page, "kubestage.past.at.startsWith('2026-01-01T00:10:00')")
    expect(_panel(page).get_by_role("img", name="desired: 3, between")).to_be_visible()
    expect(timeline.locator(".later").first).to_contain_text("2026-01-01 00:")
    assert page.evaluate("() => window.hit") is None
    assert page.locator("img[src=x]").count() == 0


def test_an_owner_leads_to_its_workload(page: Page, scaled: Cluster) -> None:
    pod = scaled.call("/api/v1/namespaces/default/pods")["items"][0]["metadata"]["name"]
    visit(page, scaled.address)
    click_on(page, f"pod/default/{pod}")
    _panel(page).get_by_role("link", name="Deployment web").click()
    expect(_panel(page).get_by_role("heading", name="Deployment default/web")).to_be_visible()
    expect(_panel(page).locator(".pods").get_by_role("link", name=pod)).to_be_visible()


def test_a_workload_is_found_by_the_filter_and_by_the_legend(page: Page, scaled: Cluster) -> None:
    visit(page, scaled.address, "#/map?colour=owner")
    page.get_by_role("group", name="Colours").get_by_role(
        "link", name="Timeline of Deployment web"
    ).first.click()
    expect(_panel(page).get_by_role("heading", name="Deployment default/web")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_label("Filter pods and nodes").fill("web")
    found = page.get_by_role("group", name="Workloads that match")
    found.get_by_role("link", name="Deployment web").click()
    expect(_panel(page).get_by_role("heading", name="Deployment default/web")).to_be_visible()


def test_the_timeline_of_a_node(page: Page, scaled: Cluster) -> None:
    visit(page, scaled.address, "#/map?select=node/node-0")
    timeline = _timeline(page)
    expect(timeline).to_contain_text("cordoned")
    expect(timeline).to_contain_text("taint node.kubernetes.io/unschedulable:NoSchedule added")
    expect(_panel(page).get_by_role("img", name="requested cpu")).to_be_visible()
    cordoned = timeline.get_by_role("listitem").filter(has_text="cordoned").last
    cordoned.get_by_title("Show this moment").click()
    wait(page, "kubestage.past.at.startsWith('2026-01-01T00:10:00')")
    expect(_panel(page)).to_contain_text("no: cordoned")


def test_a_click_on_a_plot_goes_to_that_moment(page: Page, scaled: Cluster) -> None:
    visit(page, scaled.address, f"#/map?select={WORKLOAD}")
    plot = _panel(page).get_by_role("img", name="desired: ")
    plot.click()
    wait(page, "kubestage.past.at.startsWith('2026-01-01T00:1')")


def test_nodes_are_grouped_by_any_label(page: Page, scaled: Cluster) -> None:
    visit(page, scaled.address)
    page.get_by_label("Group nodes").select_option("label:")
    field = page.get_by_label("Label to group nodes by")
    expect(field).to_be_focused()
    field.fill("agentpool")
    page.keyboard.press("Enter")
    wait(page, "kubestage.groups.join() === 'main'")
    page.reload()
    wait(page, "kubestage.groups.join() === 'main'")
    expect(page.get_by_label("Label to group nodes by")).to_have_value("agentpool")


def test_colours_by_usage(page: Page, scaled: Cluster) -> None:
    visit(page, scaled.address, "#/map?colour=usage")
    legend = page.get_by_role("group", name="Colours")
    expect(legend).to_contain_text("used cpu of requested")
    used = scaled.call("/apis/metrics.k8s.io/v1beta1/pods")["items"]
    assert len(used) == 3
    wait(page, "kubestage.usage.pods === 3 && kubestage.usage.nodes > 0")
    page.get_by_label("Area of pods").select_option("memory")
    expect(legend).to_contain_text("used memory of requested")


def test_colours_by_usage_say_so_if_there_is_none(page: Page, scaled: Cluster) -> None:
    visit(page, scaled.address, "#/map?colour=usage&at=2026-01-01T00:00:00.5Z")
    legend = page.get_by_role("group", name="Colours")
    expect(legend).to_contain_text("there are no metrics of a past moment")
