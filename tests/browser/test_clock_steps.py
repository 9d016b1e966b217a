"""Steps of the clock to what happens next, ways to a time, and the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.opening import visit, wait

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Cluster


def test_steps_in_the_past(page: Page, travelled: Cluster) -> None:
    visit(page, travelled.address, "#/map?at=2026-01-01T00:05:00Z")
    wait(page, "kubestage.past.isLoaded && kubestage.pods === 1")
    page.get_by_role("button", name="Advance to the next event").click()
    wait(page, "kubestage.past.at.startsWith('2026-01-01T00:10:0')")
    decisions = travelled.call(
        "/kubestage/v1/history/decisions?after=2026-01-01T00:05:00Z&limit=1"
    )["decisions"]
    page.evaluate("() => { location.hash = '#/map?at=2026-01-01T00:05:00Z'; }")
    wait(page, "kubestage.past.at === '2026-01-01T00:05:00Z'")
    page.keyboard.press("n")
    wait(page, f"kubestage.past.at === {decisions[0]['at']!r}")
    page.get_by_role("button", name="Advance by 1m").click()
    wait(page, "kubestage.past.at.startsWith('2026-01-01T00:11:')")


def test_a_time_is_typed(page: Page, travelled: Cluster) -> None:
    visit(page, travelled.address)
    wait(page, "kubestage.clock && kubestage.past.isLoaded")
    page.keyboard.press("t")
    page.keyboard.type("00:12")
    page.keyboard.press("Enter")
    wait(page, "kubestage.past.at === '2026-01-01T00:12:00Z'")
    field = page.get_by_label("Go to a time")
    for text, expected in (
        ("-90s", "2026-01-01T00:10:30Z"),
        ("+1m30s", "2026-01-01T00:12:00Z"),
        ("2026-01-01 00:03", "2026-01-01T00:03:00Z"),
    ):
        field.fill(text)
        field.press("Enter")
        wait(page, f"kubestage.past.at === {expected!r}")
    field.fill("soon")
    field.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text('"soon" is not a time')


def test_the_clock_goes_on_to_a_time_and_to_what_happens_next(
    page: Page, own_cluster: Cluster
) -> None:
    visit(page, own_cluster.address)
    wait(page, "kubestage.clock")
    page.get_by_role("button", name="Pause").click()
    wait(page, "kubestage.clock.mode === 'paused'")
    before = page.evaluate("() => Date.parse(kubestage.clock.now)")
    field = page.get_by_label("Go to a time")
    field.fill("+90m")
    field.press("Enter")
    wait(page, f"Date.parse(kubestage.clock.now) === {before + 90 * 60_000}")
    own_cluster.create_pod("stepped")
    page.keyboard.press("n")
    wait(page, "kubestage.locate('pod/default/stepped') !== null")
    page.keyboard.press("e")
    path = "/api/v1/namespaces/default/pods/stepped"
    wait(page, f"Date.parse(kubestage.clock.now) > {before + 90 * 60_000}")
    assert own_cluster.call(path)["spec"]["nodeName"]
    page.get_by_role("button", name="Play", exact=True).click()
    wait(page, "kubestage.clock.mode === 'jump'")


def test_the_keys_are_listed(page: Page, cluster: Cluster) -> None:
    visit(page, cluster.address)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("previous, next mark")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.get_by_role("button", name="Keys").click()
    expect(dialog).to_be_visible()
