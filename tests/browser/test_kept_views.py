"""Kept runs of every kind in every view: nothing fails, and a fork goes on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from kubestage.golang import times
from kubestage.runs.opening import open_runs
from kubestage.server.launch import opening
from tests.browser.opening import visit, wait
from tests.runs.opening import kept

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

    from playwright.sync_api import Page

    from kubestage.runs.opening import OpenedRun

# Kinds of runs, and what they are called on the page; "default" is one side of a comparison.
NAMES = {
    "scenario": "scenario", "living": "life", "rehearsal": "outage-node-n0", "load": "load",
    "comparison": "default",
}  # fmt: skip
kinds = pytest.mark.parametrize("kind", NAMES)


class Kept:
    """Runs that are served."""

    def __init__(self, runs: list[OpenedRun], address: str) -> None:
        self.runs = {each.name: each for each in runs}
        self.address = address

    def part(self, kind: str, rest: str) -> str:
        # The first one is at the root.
        name = NAMES[kind]
        return rest if name == next(iter(self.runs)) else f"?cluster={name}{rest}"

    def middle(self, kind: str) -> str:
        """A moment in the first half of a run, when it has pods."""
        history = self.runs[NAMES[kind]].history
        return times.rfc3339_nano((2 * history.begin_ns + history.end_ns) // 3)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    folder: pathlib.Path = tmp_path_factory.mktemp("kinds")
    makers = (kept.scenario, kept.life, kept.rehearsal, kept.load, kept.comparison)
    opened = open_runs([make(folder) for make in makers])
    with opening.show(opened) as shown:
        yield Kept(opened, shown.address)


@kinds
def test_every_view_of_a_run_loads(page: Page, runs: Kept, kind: str) -> None:
    """The console must stay empty: the fixture `page` checks that."""
    visit(page, runs.address, runs.part(kind, "#/map"))
    wait(page, "kubestage.nodes === 3")
    expect(page.locator("#connection")).to_have_text("kept run")
    page.get_by_role("link", name="Lives").click()
    wait(page, "kubestage.lives.isLoaded && kubestage.lives.drawn > 0")
    page.get_by_role("link", name="Charts").click()
    wait(page, "kubestage.charts.length > 0")
    wait(page, "kubestage.charts.every((each) => !each.isVisible || each.isDrawn)")
    page.get_by_role("link", name="Objects").click()
    page.get_by_label("Kind", exact=True).select_option(label="Node")
    expect(page.locator("table.objects tbody tr")).to_have_count(3)
    expect(page.locator("#messages")).to_be_empty()


@kinds
def test_every_view_of_a_past_moment_loads(page: Page, runs: Kept, kind: str) -> None:
    at = runs.middle(kind)
    visit(page, runs.address, runs.part(kind, f"#/map?at={at}"))
    wait(page, "kubestage.past.isLoaded && kubestage.nodes === 3")
    expect(page.locator("#connection")).to_have_text("past")
    for view, condition in (
        ("Lives", "kubestage.lives.isLoaded"),
        ("Charts", "kubestage.charts.length > 0"),
        ("Objects", "document.querySelector('table.objects')"),
    ):
        page.get_by_role("link", name=view).click()
        wait(page, condition)
        assert "at=" in page.url
    expect(page.locator("#messages")).to_be_empty()


@kinds
def test_a_fork_of_a_run_lets_time_pass(page: Page, runs: Kept, kind: str) -> None:
    at = runs.middle(kind)
    visit(page, runs.address, runs.part(kind, f"#/map?at={at}"))
    wait(page, "kubestage.past.isLoaded && kubestage.nodes === 3")
    page.get_by_role("button", name="Fork here").click()
    dialog = page.get_by_role("dialog", name="Fork here")
    expect(page.get_by_label("Scheduler configuration")).not_to_have_value("")
    dialog.get_by_role("button", name="Fork", exact=True).click()
    page.wait_for_url(re.compile(r"cluster=fork-"))
    wait(page, "kubestage.isLoaded && kubestage.nodes === 3 && kubestage.clock?.mode === 'paused'")
    before = page.evaluate("() => kubestage.clock.now")
    page.get_by_role("button", name="Advance by 10m").click()
    wait(page, f"Date.parse(kubestage.clock.now) === Date.parse({before!r}) + 600000")
    expect(page.locator("#messages")).to_be_empty()
