"""Forks: a cluster that goes on from a moment, beside the one that it comes from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import HOSTILE
from tests.browser.opening import visit, wait

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Locator, Page

    from tests.browser.conftest import Cluster

EARLY = "2026-01-01T00:05:00Z"
CLUSTERS = "/kubestage/v1/clusters"


@pytest.fixture
def forked(travelled: Cluster) -> Iterator[Cluster]:
    """Forks are closed after the test."""
    yield travelled
    for row in travelled.call(CLUSTERS)["clusters"]:
        if row["kind"] == "fork":
            travelled.call(f"{CLUSTERS}/{row['name']}", method="DELETE")


def _dialog(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Fork here")


def test_a_fork_goes_on_and_its_original_stays(page: Page, forked: Cluster) -> None:
    visit(page, forked.address, f"#/map?at={EARLY}")
    wait(page, "kubestage.pods === 1")
    page.get_by_role("button", name="Fork here").click()
    expect(_dialog(page)).to_contain_text("2026-01-01 00:05:00")
    page.get_by_label("Title").fill(HOSTILE)
    page.get_by_label("Seed").fill("7")
    _dialog(page).get_by_role("button", name="Fork", exact=True).click()
    page.wait_for_url(re.compile(r"\?cluster="))
    wait(page, "kubestage.isLoaded && kubestage.pods === 1 && kubestage.clock?.mode === 'paused'")
    assert page.evaluate("() => kubestage.clock.now").startswith("2026-01-01T00:05:00")
    page.get_by_role("button", name="Advance by 10m").click()
    wait(page, "kubestage.clock.now.startsWith('2026-01-01T00:15:00')")
    assert forked.call("/kubestage/v1/clock")["now"].startswith("2026-01-01T00:30:00")
    # The pod that came after ten minutes never comes here.
    wait(page, "kubestage.pods === 1")
    page.locator("#clusters summary").click()
    rows = page.get_by_role("list", name="Clusters").get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.last).to_contain_text(HOSTILE)
    expect(rows.last).to_contain_text("at 2026-01-01 00:05:00")
    assert page.evaluate("() => window.hit") is None
    rows.last.get_by_role("button", name="Close").click()
    page.wait_for_url(lambda url: "cluster=" not in url)
    wait(page, "kubestage.isLoaded && kubestage.pods === 3")
    assert len(forked.call(CLUSTERS)["clusters"]) == 1


def test_a_fork_of_now_by_keyboard(page: Page, forked: Cluster) -> None:
    visit(page, forked.address)
    page.keyboard.press("f")
    expect(_dialog(page)).to_contain_text("now, 2026-01-01 00:30:00")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"\?cluster="))
    wait(page, "kubestage.isLoaded && kubestage.pods === 3")


def test_another_configuration_is_that_of_the_fork_alone(page: Page, forked: Cluster) -> None:
    path = "/kubestage/v1/scheduler/configuration"
    text = forked.call(path, accept="application/yaml")
    visit(page, forked.address, f"#/map?at={EARLY}")
    page.keyboard.press("f")
    field = page.get_by_label("Scheduler configuration")
    expect(field).to_have_value(text)
    field.fill(text.replace("percentageOfNodesToScore: 0", "percentageOfNodesToScore: 42"))
    _dialog(page).get_by_role("button", name="Fork", exact=True).click()
    page.wait_for_url(re.compile(r"\?cluster="))
    row = forked.call(CLUSTERS)["clusters"][-1]
    changed = forked.call(row["path"] + path, accept="application/yaml")
    assert "percentageOfNodesToScore: 42" in changed
    assert forked.call(path, accept="application/yaml") == text


@pytest.mark.parametrize(
    ("label", "text", "error"),
    [
        ("Scheduler configuration", "kind: Nonsense", "apiVersion"),
        ("Seed", "many", "whole number"),
        ("Settings of controllers", "nonsense=1", "unknown setting"),
        ("Settings of controllers", "nonsense", "name=value"),
    ],
)
def test_a_refusal_is_shown_at_its_field(
    page: Page, forked: Cluster, label: str, text: str, error: str
) -> None:
    visit(page, forked.address, f"#/map?at={EARLY}")
    page.keyboard.press("f")
    expect(page.get_by_label("Scheduler configuration")).not_to_have_value("")
    field = page.get_by_label(label)
    field.fill(text)
    _dialog(page).get_by_role("button", name="Fork", exact=True).click()
    expect(field).to_have_attribute("aria-invalid", "true")
    name = field.get_attribute("aria-describedby")
    expect(page.locator(f"#{name}")).to_contain_text(error)
    expect(field).to_be_focused()
    assert len(forked.call(CLUSTERS)["clusters"]) == 1
    page.keyboard.press("Escape")
    expect(_dialog(page)).to_have_count(0)
