"""The past on the page: the strip, marks, the replay, and what the views show of a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import HOSTILE
from tests.browser.opening import state, visit, wait

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.browser.conftest import Cluster

EARLY = "2026-01-01T00:05:00Z"
LATE = "2026-01-01T00:25:00Z"


def _strip(page: Page) -> Locator:
    return page.get_by_role("slider", name="Moment that is shown")


def _visit(page: Page, cluster: Cluster, part: str = "#/map") -> None:
    visit(page, cluster.address, part)
    wait(page, "kubestage.past.isLoaded")


def _at(page: Page) -> str:
    found: str = page.evaluate("() => new URLSearchParams(location.hash.split('?')[1]).get('at')")
    return found or ""


def test_an_address_leads_to_a_moment(page: Page, travelled: Cluster) -> None:
    _visit(page, travelled, f"#/map?at={EARLY}")
    wait(page, "kubestage.pods === 1 && kubestage.locate('pod/default/first')")
    assert state(page, "locate('pod/default/second')") is None
    expect(page.get_by_role("status", name="Virtual time")).to_have_text("2026-01-01 00:05:00")
    expect(_strip(page)).to_have_attribute("aria-valuetext", "2026-01-01 00:05:00")
    page.get_by_role("button", name="Live").click()
    wait(page, "kubestage.pods === 3")
    assert _at(page) == ""
    page.go_back()
    wait(page, "kubestage.pods === 1")


def test_links_keep_the_moment(page: Page, travelled: Cluster) -> None:
    _visit(page, travelled, f"#/map?at={EARLY}")
    page.get_by_role("link", name="Objects").click()
    expect(page.locator("table.objects tbody tr")).to_have_count(1)
    assert _at(page) == EARLY
    page.get_by_role("link", name="Map").click()
    wait(page, "kubestage.pods === 1")


@pytest.mark.parametrize("at", ["yesterday", "2026-13-01T00:00:00Z", HOSTILE])
def test_what_is_no_time_is_refused(page: Page, travelled: Cluster, at: str) -> None:
    visit(page, travelled.address, f"#/map?at={at}")
    expect(page.get_by_role("alert")).to_contain_text("is not a time such as")
    assert _at(page) == ""
    wait(page, "kubestage.pods === 3")


@pytest.mark.parametrize("at", ["2025-01-01T00:00:00Z", "2027-01-01T00:00:00Z"])
def test_what_is_not_remembered_is_refused(page: Page, travelled: Cluster, at: str) -> None:
    visit(page, travelled.address, f"#/map?at={at}")
    expect(page.get_by_role("alert")).to_contain_text(
        "is not remembered: the past reaches from 2026-01-01 00:00:00"
    )
    wait(page, "kubestage.pods === 3 && !location.hash.includes('at=')")


def test_the_handle_is_dragged(page: Page, travelled: Cluster) -> None:
    _visit(page, travelled)
    wait(page, "kubestage.strip.to === kubestage.past.endMs")
    box = _strip(page).bounding_box()
    assert box is not None
    y = box["y"] + 8
    page.mouse.move(box["x"] + box["width"] - 2, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.22, y, steps=8)
    wait(page, "kubestage.pods === 1")
    assert _at(page) == ""
    page.mouse.up()
    wait(page, "location.hash.includes('at=')")
    # The moment is as round as a pixel of the strip.
    assert unquote(_at(page)).startswith("2026-01-01T00:06:")
    page.go_back()
    wait(page, "kubestage.pods === 3")


def test_the_past_by_keyboard_alone(page: Page, travelled: Cluster) -> None:
    _visit(page, travelled)
    strip = _strip(page)
    strip.focus()
    page.keyboard.press("Home")
    wait(page, "kubestage.past.at && kubestage.pods <= 1")
    page.keyboard.press("PageUp")
    wait(page, "kubestage.pods === 1")
    before = state(page, "past.at")
    page.keyboard.press("ArrowRight")
    wait(page, f"kubestage.past.at > {before!r}")
    page.keyboard.press("End")
    wait(page, "kubestage.past.at === '' && kubestage.pods === 3")
    page.keyboard.press("[")
    wait(page, "kubestage.past.at")
    marks = travelled.call("/kubestage/v1/history/marks")["marks"]
    times = list(dict.fromkeys(mark["at"] for mark in marks))
    assert state(page, "past.at") == times[-1]
    page.keyboard.press("[")
    wait(page, f"kubestage.past.at === {times[-2]!r}")
    page.keyboard.press("]")
    wait(page, f"kubestage.past.at === {times[-1]!r}")
    page.keyboard.press("l")
    wait(page, "kubestage.past.at === ''")


def test_forward_and_backward_give_the_same_map(page: Page, travelled: Cluster) -> None:
    _visit(page, travelled)
    moments = [EARLY, LATE, "2026-01-01T00:00:00.5Z", "2026-01-01T00:15:00Z", EARLY, LATE]
    for at in moments:
        page.evaluate("(at) => { location.hash = `#/map?at=${at}`; }", at)
        wait(page, f"kubestage.past.at === {at!r}")
        pods = travelled.call(f"/at/{at}/api/v1/pods")["items"]
        wait(page, f"kubestage.pods === {len(pods)}")
        waiting = [pod for pod in pods if not pod["spec"].get("nodeName")]
        assert state(page, "unplaced") == len(waiting)


def test_the_strip_zooms_and_shows_all_again(page: Page, travelled: Cluster) -> None:
    _visit(page, travelled)
    wait(page, "kubestage.strip.to === kubestage.past.endMs")
    whole = state(page, "strip")
    _strip(page).hover(position={"x": 300, "y": 10})
    page.mouse.wheel(0, -600)
    wait(page, f"kubestage.strip.to - kubestage.strip.from < {whole['to'] - whole['from']} / 2")
    near = state(page, "strip")
    box = _strip(page).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 300, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 360, box["y"] + 40, steps=3)
    page.mouse.up()
    wait(page, f"kubestage.strip.from < {near['from']}")
    assert _at(page) == ""
    _strip(page).dblclick(position={"x": 300, "y": 40})
    wait(page, f"kubestage.strip.to >= {whole['to']} && kubestage.strip.from === {whole['from']}")
    assert _at(page) == ""


def test_marks_are_listed_filtered_and_lead_to_their_moment(page: Page, travelled: Cluster) -> None:
    _visit(page, travelled)
    marks = travelled.call("/kubestage/v1/history/marks")["marks"]
    wait(page, f"kubestage.past.marks === {len(marks)}")
    page.get_by_text(f"Marks ({len(marks)})").click()
    kinds = page.get_by_role("group", name="Types of marks")
    count = sum(mark["kind"] == "unschedulable" for mark in marks)
    assert count
    listed = page.get_by_role("list", name="Newest marks")
    expect(listed.locator("li")).to_have_count(len(marks))
    expect(listed).to_contain_text(HOSTILE)
    kinds.get_by_role("button", name="unschedulable").click()
    expect(listed.locator("li")).to_have_count(len(marks) - count)
    page.keyboard.press("Escape")
    expect(listed).to_be_hidden()
    page.get_by_text("1 hidden").click()
    listed.get_by_role("link").first.click()
    wait(page, f"kubestage.past.at === {marks[-1]['at']!r}")
    assert page.evaluate("() => window.hit") is None
    assert page.locator("img[src=x]").count() == 0


def test_a_mark_under_the_pointer_is_named_and_clicked(page: Page, travelled: Cluster) -> None:
    _visit(page, travelled)
    marks = travelled.call("/kubestage/v1/history/marks")["marks"]
    mark = next(mark for mark in marks if mark["kind"] == "unschedulable")
    wait(page, f"kubestage.past.marks === {len(marks)}")
    wait(page, "kubestage.strip.to === kubestage.past.endMs")
    x = page.evaluate("(at) => kubestage.stripX(at)", mark["at"])
    _strip(page).hover(position={"x": x, "y": 6})
    expect(page.get_by_role("tooltip").first).to_contain_text("unschedulable")
    _strip(page).click(position={"x": x, "y": 6})
    wait(page, f"kubestage.past.at === {mark['at']!r}")


def test_the_past_is_replayed(page: Page, travelled: Cluster) -> None:
    _visit(page, travelled)
    page.get_by_label("Speed of the replay").select_option("600")
    page.get_by_role("button", name="Run through the past").click()
    wait(page, "kubestage.past.at && kubestage.past.at < '2026-01-01T00:10' && kubestage.pods <= 1")
    wait(page, "kubestage.pods === 3 && kubestage.past.at === ''")


def test_objects_of_a_moment_cannot_be_changed(page: Page, travelled: Cluster) -> None:
    page.goto(f"{travelled.address}/ui/#/objects/v1/pods?at={EARLY}&select=default/first")
    panel = page.get_by_role("complementary", name="Object")
    expect(page.locator("table.objects tbody tr")).to_have_count(1)
    expect(panel).to_contain_text("This is the past: fork here to change it.")
    expect(panel.get_by_role("button", name="Apply")).to_be_disabled()
    expect(panel.get_by_role("button", name="Delete…")).to_be_disabled()
    expect(panel.get_by_label("YAML of")).not_to_be_editable()
    page.get_by_role("button", name="Live").click()
    expect(page.locator("table.objects tbody tr")).to_have_count(3)
    expect(panel.get_by_role("button", name="Delete…")).to_be_enabled()


def test_why_at_a_moment(page: Page, travelled: Cluster) -> None:
    _visit(page, travelled, "#/map?at=2026-01-01T00:15:00Z&select=pod/default/huge")
    panel = page.get_by_role("complementary", name="Details")
    expect(panel.get_by_role("heading", name="What would make it fit")).to_be_visible()
    moment = panel.locator(".attempt .moment").last
    page.evaluate("() => { location.hash = '#/map?select=pod/default/huge'; }")
    wait(page, "kubestage.past.at === ''")
    moment.click()
    wait(page, "kubestage.past.at.startsWith('2026-01-01T00:10:0')")
    page.evaluate(f"() => {{ location.hash = '#/map?select=pod/default/huge&at={EARLY}'; }}")
    expect(panel).to_contain_text("It was not there at this moment.")


def test_the_past_on_a_narrow_screen(page: Page, travelled: Cluster) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    _visit(page, travelled, f"#/map?at={EARLY}")
    expect(_strip(page)).to_be_in_viewport()
    expect(page.get_by_role("button", name="Fork here")).to_be_in_viewport()
    assert page.evaluate("() => document.documentElement.scrollWidth") == 390


def test_new_changes_append(page: Page, cluster: Cluster) -> None:
    _visit(page, cluster)
    before = state(page, "past.steps")
    cluster.create_pod("appended")
    wait(page, f"kubestage.past.steps > {before}")
    cluster.call("/api/v1/namespaces/default/pods/appended?gracePeriodSeconds=0", method="DELETE")
    wait(page, "kubestage.locate('pod/default/appended') === null")
