from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.opening import click_on, state, visit, wait
from tests.deadlines import attempts
from tests.server.served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.browser.conftest import Cluster


def test_a_browser_that_opens_the_server_sees_the_map(page: Page, cluster: Cluster) -> None:
    page.goto(cluster.address)
    assert page.url.startswith(f"{cluster.address}/ui/")
    wait(page, "kubestage.nodes === 4 && kubestage.pods >= 2 && kubestage.drawn >= 5")
    expect(page.locator("#connection")).to_have_text("live")


def test_the_map_follows_pods(page: Page, cluster: Cluster) -> None:
    visit(page, cluster.address)
    before = state(page, "pods")
    cluster.create_pod("follower")
    wait(page, "kubestage.locate('pod/default/follower') !== null")
    assert state(page, "pods") == before + 1
    path = "/api/v1/namespaces/default/pods/follower?gracePeriodSeconds=0"
    cluster.call(path, method="DELETE")
    wait(page, f"kubestage.pods === {before}")


def test_a_still_map_is_not_drawn_again(page: Page, cluster: Cluster) -> None:
    visit(page, cluster.address)
    for number in attempts():
        pictures, frames = state(page, "pictures"), state(page, "frames")
        page.mouse.move(400 + number % 9, 300)
        wait(page, f"kubestage.frames > {frames}")
        if state(page, "pictures") == pictures:
            return


def test_zoom_and_pan_by_mouse_and_keys(page: Page, cluster: Cluster) -> None:
    visit(page, cluster.address)
    first = state(page, "camera")
    page.mouse.move(500, 400)
    page.mouse.wheel(0, -300)
    wait(page, f"kubestage.camera.scale > {first['scale']}")
    page.keyboard.press("-")
    before = state(page, "camera")
    page.mouse.down()
    page.mouse.move(560, 440, steps=3)
    page.mouse.up()
    wait(page, f"kubestage.camera.x < {before['x']} && kubestage.camera.y < {before['y']}")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("+")
    page.keyboard.press("0")
    wait(page, f"kubestage.camera.scale === {first['scale']}")


def test_a_filter_counts_what_matches(page: Page, cluster: Cluster) -> None:
    visit(page, cluster.address)
    page.get_by_label("Filter pods and nodes").fill("app=web")
    expect(page.get_by_text("1 of ")).to_be_visible()
    assert "filter=app" in page.url


def test_choices_are_in_the_address_and_come_back(page: Page, cluster: Cluster) -> None:
    visit(page, cluster.address)
    page.get_by_label("Group nodes").select_option("pool")
    page.get_by_label("Area of pods").select_option("memory")
    page.get_by_label("Colour of pods").select_option("phase")
    click_on(page, "pod/default/web")
    expect(page.get_by_role("complementary", name="Details")).to_contain_text("default/web")
    page.reload()
    expect(page.get_by_role("complementary", name="Details")).to_contain_text("default/web")
    assert page.get_by_label("Group nodes").input_value() == "pool"
    assert page.get_by_label("Area of pods").input_value() == "memory"
    assert page.get_by_label("Colour of pods").input_value() == "phase"
    page.keyboard.press("Escape")
    expect(page.get_by_role("complementary", name="Details")).to_be_hidden()


def test_an_empty_cluster_gets_nodes_by_a_button(page: Page, browser: Browser) -> None:
    with Served() as served:
        visit(page, served.address)
        expect(page.get_by_text("kubestage serve --nodes 5")).to_be_visible()
        page.get_by_role("button", name="Create five nodes").click()
        wait(page, "kubestage.nodes === 5")
        expect(page.get_by_text("No nodes yet")).to_be_hidden()


def test_the_page_is_usable_on_a_narrow_screen(page: Page, cluster: Cluster) -> None:
    page.set_viewport_size({"width": 380, "height": 760})
    visit(page, cluster.address, "#/map?select=pod/default/web")
    expect(page.get_by_role("button", name="Advance by 1h")).to_be_in_viewport()
    assert page.evaluate("() => document.documentElement.scrollWidth") == 380
    expect(page.get_by_role("heading", name="default/web")).to_be_in_viewport()
