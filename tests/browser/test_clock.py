from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.opening import visit, wait

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Cluster


def _clock(cluster: Cluster) -> dict[str, object]:
    found: dict[str, object] = cluster.call("/kubestage/v1/clock")
    return found


def test_time_is_paused_and_advanced(page: Page, own_cluster: Cluster) -> None:
    visit(page, own_cluster.address)
    page.get_by_role("button", name="Pause").click()
    wait(page, "kubestage.clock?.mode === 'paused'")
    before = str(_clock(own_cluster)["now"])
    page.get_by_role("button", name="Advance by 10m").click()
    wait(page, f"kubestage.clock.now > {before!r}")
    now = str(_clock(own_cluster)["now"])
    assert now > before
    shown = page.get_by_role("status", name="Virtual time")
    expect(shown).to_have_text(now.replace("T", " ")[:19])
    page.get_by_role("button", name="Play").click()
    wait(page, "kubestage.clock.mode === 'jump'")


def test_speed_and_keys(page: Page, own_cluster: Cluster) -> None:
    visit(page, own_cluster.address)
    wait(page, "kubestage.clock !== null")
    page.get_by_label("How time passes").select_option("60")
    wait(page, "kubestage.clock.mode === 'speed' && kubestage.clock.speed === 60")
    assert _clock(own_cluster)["speed"] == 60
    page.locator("#map canvas").focus()
    page.keyboard.press(" ")
    wait(page, "kubestage.clock.mode === 'paused'")
    before = str(_clock(own_cluster)["now"])
    page.keyboard.press(".")
    wait(page, f"kubestage.clock.now > {before!r}")
    page.get_by_label("How time passes").select_option("jump")
    wait(page, "kubestage.clock.mode === 'jump'")


def test_a_refusal_is_shown(page: Page, cluster: Cluster) -> None:
    visit(page, cluster.address)
    wait(page, "kubestage.clock !== null")
    page.route("**/kubestage/v1/clock/pause", lambda route: route.fulfill(
        status=409, content_type="application/json", body='{"message": "a Scenario is running"}'
    ))  # fmt: skip
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("alert")).to_contain_text("a Scenario is running")
