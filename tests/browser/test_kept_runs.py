"""Kept runs of every kind on the page: the map, a moment of the past, why, objects, links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from kubestage.runs.opening import open_runs
from kubestage.server.launch import opening
from tests.browser.opening import click_on, visit, wait
from tests.runs.opening import kept

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

    from playwright.sync_api import Page

    from kubestage.runs.opening import OpenedRun
    from kubestage.server.launch.opening import ShownRuns


class Kept:
    """Runs that are served, and what is known of them beside the page."""

    def __init__(self, runs: list[OpenedRun], shown: ShownRuns) -> None:
        self.runs = {each.name: each for each in runs}
        self.address = shown.address

    def part(self, name: str, rest: str) -> str:
        """What follows /ui/ in the address of a run."""
        is_first = name == next(iter(self.runs))
        return rest if is_first else f"?cluster={name}{rest}"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    folder: pathlib.Path = tmp_path_factory.mktemp("runs")
    paths = [kept.scenario(folder), kept.life(folder), kept.rehearsal(folder), kept.load(folder)]
    opened = open_runs(paths)
    with opening.show(opened) as shown:
        yield Kept(opened, shown)


def at(run: OpenedRun, share: float) -> str:
    """A moment of a run, as the address has it."""
    from kubestage.golang import times

    begin, end = run.history.begin_ns, run.history.end_ns
    return times.rfc3339_nano(begin + int((end - begin) * share))


def pods_at(run: OpenedRun, share: float) -> dict[str, Any]:
    begin, end = run.history.begin_ns, run.history.end_ns
    found: dict[str, Any] = run.history.objects_at(begin + int((end - begin) * share)).get(
        ("", "pods"), {}
    )
    return found


ALL = ("scenario", "life", "outage-node-n0", "load")


@pytest.mark.parametrize("name", ALL)
def test_the_map_shows_the_end_of_a_run(page: Page, runs: Kept, name: str) -> None:
    run = runs.runs[name]
    visit(page, runs.address, runs.part(name, "#/map"))
    pods = len(pods_at(run, 1))
    wait(page, f"kubestage.nodes === 3 && kubestage.pods === {pods}")
    expect(page.locator("#clusters summary")).to_contain_text(run.title)


@pytest.mark.parametrize("name", ALL)
def test_an_address_leads_to_a_moment_of_a_run(page: Page, runs: Kept, name: str) -> None:
    run = runs.runs[name]
    share = 0.3
    expected = pods_at(run, share)
    visit(page, runs.address, runs.part(name, f"#/map?at={at(run, share)}"))
    wait(page, f"kubestage.past.isLoaded && kubestage.pods === {len(expected)}")
    page.get_by_role("button", name="End", exact=True).click()
    wait(page, f"kubestage.pods === {len(pods_at(run, 1))}")


def test_why_a_pod_is_where_it_is_is_known_of_a_scenario(page: Page, runs: Kept) -> None:
    visit(page, runs.address, runs.part("scenario", "#/map"))
    click_on(page, "pod/default/p1")
    panel = page.get_by_role("complementary", name="Details")
    expect(panel.get_by_role("table", name="Scores")).to_contain_text("NodeResourcesFit")
    node = runs.runs["scenario"].stage.store.get(("v1", "Pod"), "p1", "default")["spec"]["nodeName"]
    expect(panel.locator(".decided")).to_contain_text(node)


def test_why_is_known_of_pods_of_a_past_moment(page: Page, runs: Kept) -> None:
    run = runs.runs["load"]
    # At the end of a load its pods are gone.
    moment, key = next(
        (share, key)
        for share in (0.4, 0.5, 0.6, 0.7)
        for key, pod in pods_at(run, share).items()
        if pod["spec"].get("nodeName")
    )
    visit(page, runs.address, runs.part("load", f"#/map?at={at(run, moment)}&select=pod/{key}"))
    panel = page.get_by_role("complementary", name="Details")
    expect(panel.get_by_role("heading", name="Why there")).to_be_visible()
    expect(panel.get_by_role("table", name="Filters")).to_be_visible()


def test_objects_of_a_run_are_listed_and_cannot_be_changed(page: Page, runs: Kept) -> None:
    visit(page, runs.address, runs.part("life", "#/map"))
    page.get_by_role("link", name="Objects").click()
    rows = page.locator("table.objects tbody tr")
    expect(rows).to_have_count(3)
    rows.first.click()
    expect(page.get_by_text("kept run").first).to_be_visible()


def test_objects_of_a_past_moment_are_those_of_then(page: Page, runs: Kept) -> None:
    run = runs.runs["load"]
    assert pods_at(run, 0.3)
    page.goto(f"{runs.address}/ui/{runs.part('load', f'#/objects?at={at(run, 0.3)}')}")
    expect(page.locator("table.objects tbody tr")).to_have_count(len(pods_at(run, 0.3)))


def test_runs_are_changed_in_the_header(page: Page, runs: Kept) -> None:
    visit(page, runs.address)
    page.locator("#clusters summary").click()
    page.get_by_role("link", name="outage node n0").click()
    wait(page, "kubestage.isLoaded && kubestage.pods === 3")
    assert "cluster=outage-node-n0" in page.url
    wait(page, "kubestage.past.marks > 0")
