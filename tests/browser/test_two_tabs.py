"""Two tabs on one server: they show one cluster, each at its own moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OBJECTS, Cluster
from tests.browser.opening import state, visit, wait
from tests.deadlines import HANG_S
from tests.server.served import Served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page


@pytest.fixture(scope="module")
def shared() -> Iterator[Cluster]:
    """A cluster for all tests here, with a past of ten minutes."""
    with Served("--start", "2026-01-01T00:00:00Z", objects=OBJECTS) as served:
        found = Cluster(served)
        found.advance("10m")
        yield found


@pytest.fixture
def other(page: Page) -> Iterator[Page]:
    """A second tab of the same browser; its console must stay free of errors, too."""
    opened = page.context.new_page()
    opened.set_default_timeout(HANG_S * 1000)
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    opened.close()
    assert not errors


def test_a_change_in_one_appears_in_the_other(page: Page, other: Page, shared: Cluster) -> None:
    shared.create_pod("shown-in-both")
    for tab in (page, other):
        visit(tab, shared.address)
        wait(tab, "kubestage.locate('pod/default/shown-in-both')")
    page.goto(f"{shared.address}/ui/#/objects/v1/pods?select=default/shown-in-both")
    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    wait(other, "!kubestage.locate('pod/default/shown-in-both')")


def test_a_pause_in_one_shows_in_the_other(page: Page, other: Page, shared: Cluster) -> None:
    for tab in (page, other):
        visit(tab, shared.address)
        expect(tab.get_by_role("button", name="Pause")).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    expect(other.get_by_role("button", name="Play")).to_be_visible()
    before = str(state(page, "clock")["now"])
    other.get_by_role("button", name="Advance by 10m").click()
    wait(page, f"kubestage.clock.now > {before!r}")
    other.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


def test_one_is_in_the_past_while_the_other_is_live(
    page: Page, other: Page, shared: Cluster
) -> None:
    visit(page, shared.address, "#/map?at=2026-01-01T00:05:00Z")
    wait(page, "kubestage.past.isLoaded && kubestage.past.at")
    visit(other, shared.address)
    before = state(page, "pods")
    shared.create_pod("late")
    wait(other, "kubestage.locate('pod/default/late')")
    # The past of this tab knows of the pod as well, and still shows the moment before it.
    now = str(state(other, "clock")["now"])
    wait(page, f"kubestage.past.endMs >= Date.parse({now!r}) - Date.parse('2026-01-01T00:00:00Z')")
    assert state(page, "pods") == before
    assert not page.evaluate("() => kubestage.locate('pod/default/late')")
    assert "at=" not in other.url
    page.get_by_role("button", name="Live", exact=True).click()
    wait(page, "kubestage.locate('pod/default/late')")
