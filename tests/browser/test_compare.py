"""Two runs side by side: one clock, two maps, and both explanations where they part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from kubestage.runs.opening import open_runs
from kubestage.server.launch import opening
from tests.browser.conftest import HOSTILE
from tests.browser.opening import wait
from tests.runs.opening import kept

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

    from playwright.sync_api import Page

    from kubestage.server.launch.opening import ShownRuns
    from tests.browser.conftest import Cluster

BOTH = "/ui/#/compare?left=default&right=packing"


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ShownRuns]:
    folder: pathlib.Path = tmp_path_factory.mktemp("both")
    # A run goes by the name of its directory, which may be anything.
    hostile = kept.life(folder).rename(folder / HOSTILE)
    with opening.show(open_runs([kept.comparison(folder), hostile])) as page:
        yield page


def visit(page: Page, address: str) -> None:
    page.goto(address)
    wait(page, "kubestage.compared.isLoaded && kubestage.compared.frames.every((each) => each)")


def test_it_stops_at_the_first_decision_that_differs(page: Page, shown: ShownRuns) -> None:
    visit(page, shown.page)
    wait(page, "kubestage.compared.number === 1")
    status = page.locator(".sentence")
    expect(status).to_contain_text("default/p1: scheduled on")
    left, right = (
        page.evaluate(f"() => kubestage.compared.nodeOf({side}, 'default/p1')") for side in (0, 1)
    )
    assert left != right
    assert left
    assert right
    both = page.get_by_role("region", name="Both decisions")
    columns = both.locator("section")
    expect(columns).to_have_count(2)
    expect(columns.nth(0).locator(".decided")).to_contain_text(left)
    expect(columns.nth(1).locator(".decided")).to_contain_text(right)
    expect(columns.nth(0).get_by_role("table", name="Scores")).to_contain_text("Balanced")
    expect(columns.nth(1).get_by_role("table", name="Scores")).not_to_contain_text("Balanced")
    expect(page.get_by_role("button", name="First difference")).to_be_disabled()


def test_one_goes_from_difference_to_difference(page: Page, shown: ShownRuns) -> None:
    visit(page, shown.address + BOTH)
    total = page.evaluate("() => kubestage.compared.total")
    assert total > 1
    page.get_by_role("button", name="Next difference").click()
    wait(page, "kubestage.compared.number === 2")
    assert "difference=2" in page.url
    page.keyboard.press("[")
    wait(page, "kubestage.compared.number === 1")
    page.keyboard.press("]")
    wait(page, "kubestage.compared.number === 2")
    page.get_by_role("button", name="First difference").click()
    wait(page, "kubestage.compared.number === 1")
    page.go_back()
    wait(page, "kubestage.compared.number === 2")


def test_an_address_leads_to_a_difference_and_to_a_moment(page: Page, shown: ShownRuns) -> None:
    visit(page, f"{shown.address}{BOTH}&difference=2")
    wait(page, "kubestage.compared.number === 2")
    # An address that differs behind "#" alone is no other page.
    page.goto("about:blank")
    visit(page, f"{shown.address}{BOTH}&at=2026-01-01T00:00:00Z")
    wait(page, "kubestage.compared.ms === 0")


def test_one_scrubber_moves_both_maps(page: Page, shown: ShownRuns) -> None:
    visit(page, shown.address + BOTH)
    slider = page.get_by_role("slider", name="Moment that is shown on both sides")
    expect(page.get_by_role("slider")).to_have_count(1)
    slider.focus()
    page.keyboard.press("Home")
    wait(page, "kubestage.compared.ms === 0")
    page.keyboard.press("End")
    wait(page, "kubestage.compared.ms > 0 && kubestage.compared.pods.every((each) => each === 5)")
    assert "at=" in page.url


def test_a_pod_that_is_clicked_leads_to_its_difference(page: Page, shown: ShownRuns) -> None:
    visit(page, f"{shown.address}{BOTH}&difference=2")
    wait(page, "kubestage.compared.number === 2 && kubestage.compared.locate(0, 'pod/default/p1')")
    x, y = page.evaluate("() => kubestage.compared.locate(0, 'pod/default/p1')")
    page.mouse.click(x, y)
    wait(page, "kubestage.compared.number === 1")


def test_a_decision_links_to_its_pod_at_that_moment(page: Page, shown: ShownRuns) -> None:
    visit(page, shown.address + BOTH)
    both = page.get_by_role("region", name="Both decisions")
    both.locator("section").nth(1).get_by_role("link", name="default/p1").click()
    wait(page, "kubestage.isLoaded && kubestage.locate('pod/default/p1')")
    assert "cluster=packing" in page.url
    assert "select=pod" in page.url


def test_other_clusters_can_be_chosen(page: Page, shown: ShownRuns) -> None:
    visit(page, shown.address + BOTH)
    page.get_by_label("Right cluster").select_option(label=HOSTILE)
    wait(page, "kubestage.compared.isLoaded && kubestage.compared.pods[1] > 0")
    expect(page.locator(".side").nth(1)).to_contain_text(HOSTILE)
    expect(page.get_by_role("region", name="Both decisions")).to_contain_text(HOSTILE)
    assert "right=img-src-x" in page.url
    assert page.evaluate("() => window.hit") is None


def test_a_cluster_alone_has_a_hint(page: Page, cluster: Cluster) -> None:
    page.goto(f"{cluster.address}/ui/#/compare")
    expect(page.get_by_role("heading", name="One cluster, nothing to compare")).to_be_visible()
    expect(page.locator("#compare pre")).to_contain_text("kubestage open")


def test_it_fits_on_a_phone(page: Page, shown: ShownRuns) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    visit(page, shown.address + BOTH)
    width = page.evaluate("() => document.documentElement.scrollWidth")
    assert width <= 390
    tops = [each.bounding_box()["y"] for each in page.locator(".side").all()]  # type: ignore[index]
    assert tops[0] < tops[1]
