"""The form of traffic and autoscaler, and its plots."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Cluster

HPA = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/web"
DEPLOYMENT = "/apis/apps/v1/namespaces/default/deployments/web"
TRAFFIC = "/apis/kubestage.dev/v1alpha1/namespaces/default/traffics/web"


def ready(page: Page) -> None:
    """Wait for the plots of what the form says now."""
    expect(page.locator("#autoscaling")).to_have_attribute("data-state", "done")


def lines(page: Page) -> list[str]:
    found: list[str] = page.locator(".series").evaluate_all(
        "(all) => all.map((it) => it.getAttribute('d'))"
    )
    return found


def visit(page: Page, cluster: Cluster, query: str = "") -> None:
    page.goto(f"{cluster.address}/ui/#/autoscaling?duration=10m{query}")
    expect(page.locator(".plot")).to_have_count(4)
    ready(page)


def test_a_change_of_the_form_changes_the_plots(page: Page, cluster: Cluster) -> None:
    visit(page, cluster, "&pattern=constant&rps=20")
    before = lines(page)
    assert all(before)
    plot = page.get_by_role("img", name="Replicas:")
    expect(plot).to_have_attribute("aria-label", "Replicas: desired from 2 to 2; ready from 2 to 2")
    # 40 requests of 20 ms use 0.8 cores; at half of 0.5 cores each that is four pods.
    page.get_by_label("Requests/s", exact=True).fill("40")
    expect(plot).to_have_attribute("aria-label", "Replicas: desired from 2 to 4; ready from 2 to 4")
    assert lines(page) != before
    assert "rps=40" in page.url
    decided = page.get_by_role("table", name="What the autoscaler decided")
    expect(decided).to_contain_text("above target")
    page.get_by_label("Most replicas").fill("3")
    expect(plot).to_have_attribute("aria-label", "Replicas: desired from 2 to 3; ready from 2 to 3")
    assert "web" not in str(cluster.call("/apis/apps/v1/deployments"))


def test_fields_belong_to_a_pattern(page: Page, cluster: Cluster) -> None:
    visit(page, cluster)
    expect(page.get_by_label("Amplitude")).to_be_visible()
    page.get_by_label("Pattern").select_option("ramp")
    expect(page.get_by_label("Amplitude")).to_be_hidden()
    expect(page.get_by_label("Up to requests/s")).to_be_visible()
    expect(page.get_by_role("img", name="Requests per second")).to_have_attribute(
        "aria-label", re.compile("arriving from 0 to")
    )


def test_the_cursor_moves_by_keys_over_all_plots(page: Page, cluster: Cluster) -> None:
    visit(page, cluster, "&pattern=step&rps=30&after=5m")
    area = page.get_by_role("group", name="Plots")
    area.focus()
    area.press("ArrowRight")
    expect(page.get_by_text("Values after 10s")).to_be_visible()
    arriving = page.locator(".key").first
    expect(arriving).to_have_text("arriving 0")
    area.press("ArrowLeft")
    area.press("ArrowLeft")
    expect(page.get_by_text("Values after 0s")).to_be_visible()


def test_what_is_refused_is_said(page: Page, cluster: Cluster) -> None:
    visit(page, cluster)
    page.get_by_label("CPU time of a request").fill("fast")
    expect(page.locator("#autoscaling > .error")).to_contain_text("Traffic")
    page.get_by_label("CPU time of a request").fill("30ms")
    expect(page.locator("#autoscaling > .error")).to_be_hidden()
    ready(page)


def test_it_is_applied_and_begun_with(page: Page, own_cluster: Cluster) -> None:
    visit(page, own_cluster, "&pattern=poisson&rps=30&most=7&downWindow=60")
    page.get_by_role("button", name="Apply to the cluster").click()
    expect(page.get_by_role("status").filter(has_text="Traffic web created")).to_be_visible()
    spec = own_cluster.call(HPA)["spec"]
    assert (spec["maxReplicas"], spec["scaleTargetRef"]["name"]) == (7, "web")
    assert spec["behavior"]["scaleDown"]["stabilizationWindowSeconds"] == 60
    assert own_cluster.call(TRAFFIC)["spec"]["pattern"] == {"poisson": {"rps": 30}}
    page.get_by_label("Begin with").select_option("default/web")
    expect(page.get_by_label("Most replicas")).to_have_value("7")
    ready(page)
    page.get_by_label("Most replicas").fill("9")
    page.get_by_role("button", name="Apply to the cluster").click()
    expect(page.get_by_role("status").filter(has_text="Traffic web applied")).to_be_visible()
    assert own_cluster.call(HPA)["spec"]["maxReplicas"] == 9
    assert "from=default%2Fweb" in page.url
    page.reload()
    expect(page.get_by_label("Most replicas")).to_have_value("9")
