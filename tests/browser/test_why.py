from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.opening import click_on, visit

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Cluster

HOSTILE = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>'


def test_a_placed_pod_shows_scores_and_what_decided(page: Page, cluster: Cluster) -> None:
    visit(page, cluster.address)
    click_on(page, "pod/default/web")
    panel = page.get_by_role("complementary", name="Details")
    scores = panel.get_by_role("table", name="Scores")
    expect(scores).to_contain_text("NodeResourcesFit")
    found = cluster.call("/kubestage/v1/explanations/default/web?advice=false")
    explained = found["attempts"][0]["explanation"]
    rows = scores.locator("tbody tr")
    expect(rows).to_have_count(len(explained["totals"]))
    for row in rows.all():
        total = explained["totals"][row.locator("th").inner_text()]
        assert row.locator("td").first.inner_text() == str(total)
    expect(panel.get_by_role("table", name="Filters")).to_contain_text("passed")
    expect(panel.locator(".decided")).to_contain_text(explained["selected"])


def test_a_table_is_sorted_by_its_headings(page: Page, cluster: Cluster) -> None:
    visit(page, cluster.address, "#/map?select=pod/default/web")
    scores = page.get_by_role("table", name="Scores")
    scores.get_by_role("button", name="Node", exact=True).click()
    names = scores.locator("tbody th").all_inner_texts()
    assert names == sorted(names)
    scores.get_by_role("button", name="Node", exact=True).click()
    assert scores.locator("tbody th").all_inner_texts() == names[::-1]


def test_a_pending_pod_shows_what_would_make_it_fit(page: Page, cluster: Cluster) -> None:
    visit(page, cluster.address)
    page.get_by_role("group", name="Pods without a node").get_by_text("huge").click()
    panel = page.get_by_role("complementary", name="Details")
    expect(panel.get_by_role("heading", name="What would make it fit")).to_be_visible()
    advice = cluster.call("/kubestage/v1/explanations/default/huge")["advice"]
    expect(panel.locator(".advice > li")).to_have_count(len(advice["changes"]))
    expect(panel.locator(".advice > li").first).to_contain_text(advice["changes"][0]["text"])
    filters = panel.get_by_role("table", name="Filters")
    expect(filters).to_contain_text("NodeResourcesFit: Insufficient cpu")


def test_a_node_shows_what_is_on_it(page: Page, cluster: Cluster) -> None:
    node = cluster.call("/api/v1/namespaces/default/pods/web")["spec"]["nodeName"]
    visit(page, cluster.address)
    click_on(page, f"node/{node}")
    panel = page.get_by_role("complementary", name="Details")
    expect(panel.get_by_role("meter", name="cpu")).to_contain_text("of 4")
    expect(panel.get_by_role("link", name="default/web")).to_be_visible()
    expect(panel).to_contain_text("Ready: True")
    expect(panel.locator(".events")).to_contain_text("RegisteredNode")
    panel.get_by_role("link", name="default/web").click()
    expect(panel.get_by_role("heading", name="pod default/web")).to_be_visible()


def test_text_of_the_cluster_is_never_markup(page: Page, cluster: Cluster) -> None:
    cluster.create_pod("hostile", annotations={"note": HOSTILE})
    event = {
        "metadata": {"name": "hostile.1"},
        "involvedObject": {"kind": "Pod", "name": "hostile", "namespace": "default"},
        "reason": HOSTILE, "message": HOSTILE, "type": "Warning",
    }  # fmt: skip
    cluster.call("/api/v1/namespaces/default/events", event)
    visit(page, cluster.address, "#/map?select=pod/default/hostile")
    panel = page.get_by_role("complementary", name="Details")
    expect(panel.locator(".facts")).to_contain_text(HOSTILE)
    expect(panel.locator(".events")).to_contain_text(HOSTILE)
    page.goto(f"{cluster.address}/ui/#/objects/v1/events?filter=onerror")
    expect(page.locator("table.objects")).to_contain_text(HOSTILE)
    page.locator("table.objects tbody tr").first.click()
    expect(page.get_by_label("YAML of")).to_have_value(re.compile("onerror"))
    assert page.evaluate("() => window.hit") is None
    assert page.locator("img[src=x]").count() == 0
