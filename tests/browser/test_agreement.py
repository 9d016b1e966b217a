"""A replay on the page: how far it agrees with its recording."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from kubestage.runs.opening import open_runs
from kubestage.runs.replaying import ReplayOptions, replay
from kubestage.server.launch import opening
from tests.runs.replaying import recordings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

    from kubestage.runs.replaying import ReplayResult


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, ReplayResult]]:
    folder = tmp_path_factory.mktemp("replayed")
    recording = recordings.make(folder / "rec", recordings.PACKING)
    result = replay(recording, ReplayOptions(without=("n5",), out=str(folder / "kept")))
    with opening.show(open_runs([folder / "kept"])) as shown:
        yield shown.address, result


def test_the_charts_begin_with_the_agreement(page: Page, kept: tuple[str, ReplayResult]) -> None:
    address, result = kept
    page.goto(f"{address}/ui/#/charts")
    section = page.locator("#charts section").first
    expect(section).to_contain_text("Agreement with the recording")
    expect(section.locator(".shares")).to_contain_text("decisions on an equally good node")
    assert result.decisions is not None
    for miss in result.decisions.misses:
        expect(section).to_contain_text(miss.explanation)
    expect(section.locator("svg.plot path.series")).to_have_count(2)
    expect(
        section.get_by_role("img", name=re.compile("Nodes: replayed from 5 to 5"))
    ).to_be_visible()
    page.goto(f"{address}/ui/#/charts?group=Pods")
    expect(page.locator(".agreement")).to_have_count(0)
