"""The scheduler's configuration on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.deadlines import until

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.browser.conftest import Cluster

CONFIGURATION = "/kubestage/v1/scheduler/configuration"
SCENARIOS = "/apis/simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1/scenarios"


@pytest.fixture
def text(page: Page, own_cluster: Cluster) -> Locator:
    page.goto(f"{own_cluster.address}/ui/#/scheduler")
    expect(page.get_by_label("Weight of NodeAffinity")).to_have_value("2")
    return page.get_by_label("YAML of the scheduler configuration")


def change(text: Locator, before: str, after: str) -> None:
    assert before in text.input_value()
    text.fill(text.input_value().replace(before, after))


def test_a_configuration_is_checked_and_switched_to(
    page: Page, own_cluster: Cluster, text: Locator
) -> None:
    switch = page.get_by_role("button", name="Switch…")
    expect(switch).to_be_disabled()
    change(text, "parallelism: 16", "parallelism: 7")
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_text("It can be used. Nothing was changed.")).to_be_visible()
    assert own_cluster.call(CONFIGURATION)["parallelism"] == 16
    switch.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("del")).to_contain_text("parallelism: 16")
    expect(dialog.locator("ins")).to_contain_text("parallelism: 7")
    dialog.get_by_role("button", name="Cancel").click()
    assert own_cluster.call(CONFIGURATION)["parallelism"] == 16
    switch.click()
    dialog.get_by_role("button", name="Switch").click()
    expect(page.get_by_text("It is at work now.")).to_be_visible()
    assert own_cluster.call(CONFIGURATION)["parallelism"] == 7


@pytest.mark.parametrize(
    ("before", "after", "line", "words"),
    [
        ("parallelism: 16", "parallelism: -1", "parallelism: -1", "greater than zero"),
        ("parallelism: 16", "parallel: 16", "parallel: 16", "unknown field"),
        (
            "- name: ImageLocality",
            "- name: Nonsense",
            "name: Nonsense",
            '"Nonsense" does not exist',
        ),
    ],
)
def test_an_error_is_at_its_line(
    page: Page, text: Locator, before: str, after: str, line: str, words: str
) -> None:
    change(text, before, after)
    expect(page.locator(".problem")).to_contain_text(words)
    expect(page.get_by_role("button", name="Switch…")).to_be_disabled()
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".line.is-error")).to_contain_text(line)
    expect(text).to_be_focused()


def test_the_table_edits_the_text(page: Page, own_cluster: Cluster, text: Locator) -> None:
    weight = page.get_by_label("Weight of NodeAffinity")
    weight.fill("9")
    weight.press("Enter")
    expect(page.get_by_text("NodeAffinity: changed in the text")).to_be_visible()
    page.get_by_title("Disable ImageLocality at score").click()
    expect(page.get_by_title("Enable ImageLocality at score")).to_be_visible()
    assert "name: ImageLocality" in text.input_value()
    assert (
        "score" in own_cluster.call("/kubestage/v1/scheduler/profiles")["plugins"]["ImageLocality"]
    )
    page.get_by_role("button", name="Switch…").click()
    page.get_by_role("dialog").get_by_role("button", name="Switch").click()
    expect(page.get_by_text("It is at work now.")).to_be_visible()
    (profile,) = own_cluster.call("/kubestage/v1/scheduler/profiles")["profiles"]
    weights = {each["name"]: each["weight"] for each in profile["plugins"]["score"]}
    assert weights["NodeAffinity"] == 9
    assert "ImageLocality" not in weights
    page.get_by_title("Enable ImageLocality at score").click()
    expect(page.get_by_title("Disable ImageLocality at score")).to_be_visible()


def test_a_paused_scenario_is_named_before_it_fails(
    page: Page, own_cluster: Cluster, text: Locator
) -> None:
    own_cluster.call(SCENARIOS, {"metadata": {"name": "going"}, "spec": {"events": []}})

    def phase() -> str:
        status = own_cluster.call(f"{SCENARIOS}/going").get("status") or {}
        return str(status.get("phase"))

    until(lambda: phase() == "Paused")
    change(text, "parallelism: 16", "parallelism: 7")
    page.get_by_role("button", name="Switch…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Scenario going will fail")
    dialog.get_by_role("button", name="Switch").click()
    until(lambda: phase() == "Failed")
