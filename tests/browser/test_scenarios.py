"""Scenarios on the page: written, started, paused, continued, explained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.deadlines import until

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Cluster

SCENARIOS = "/apis/simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1/scenarios"


def start(page: Page, cluster: Cluster) -> None:
    """Start the Scenario of the template."""
    page.goto(f"{cluster.address}/ui/#/scenarios")
    page.get_by_role("button", name="New…").click()
    expect(page.get_by_label("YAML of a new Scenario")).to_be_focused()
    page.get_by_role("button", name="Start").click()


def phase(page: Page, words: str) -> None:
    expect(page.locator(".run-head .badge").first).to_have_text(words)


def test_a_scenario_is_written_started_and_continued(page: Page, own_cluster: Cluster) -> None:
    start(page, own_cluster)
    phase(page, "Paused")
    steps = page.get_by_role("table", name="A step links")
    expect(steps.locator("tbody tr")).to_have_count(3)
    page.get_by_role("link", name="Add events…").click()
    text = page.get_by_label("Events to add to first")
    expect(text).to_be_focused()
    expect(page.locator(".problem")).to_have_count(0)
    page.get_by_role("button", name="Add").click()
    expect(steps.locator("tbody tr")).to_have_count(4)
    phase(page, "Paused")
    expect(page.get_by_role("link", name="Pod default/added-3")).to_be_visible()
    page.get_by_role("button", name="End it").click()
    phase(page, "Succeeded")
    spec = own_cluster.call(f"{SCENARIOS}/first")["spec"]
    assert sorted(each["step"] for each in spec["events"]) == [0, 1, 2, 3, 4]


def test_a_step_and_a_decision_have_links(page: Page, own_cluster: Cluster) -> None:
    start(page, own_cluster)
    phase(page, "Paused")
    page.get_by_role("table", name="A step links").get_by_role("link", name="1").click()
    expect(page.get_by_role("heading", name="What happened in step 1")).to_be_visible()
    rows = page.get_by_role("table", name="In order").locator("tbody tr")
    expect(rows).to_have_count(4)
    expect(rows.last).to_contain_text("Insufficient cpu")
    rows.last.get_by_role("link").click()
    panel = page.get_by_role("complementary", name="Pod")
    expect(panel).to_contain_text("Scheduled on node-2: created in step 1, bound in step 2.")
    expect(panel.get_by_text("Attempt 1: unschedulable")).to_be_visible()
    page.reload()
    expect(panel.get_by_text("Attempt 3: scheduled on node-2")).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()


def test_a_scenario_waits_for_a_paused_clock(page: Page, own_cluster: Cluster) -> None:
    own_cluster.call("/kubestage/v1/clock/pause", {})
    start(page, own_cluster)
    expect(page.locator(".run-head")).to_contain_text("first")
    until(lambda: own_cluster.call("/kubestage/v1/clock")["mode"] == "paused")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    page.get_by_role("link", name="Add events…").click()
    page.get_by_role("button", name="Add").click()
    page.get_by_role("button", name="Resume").click()
    phase(page, "Paused")
    assert own_cluster.call("/kubestage/v1/clock")["mode"] == "jump"


def test_a_running_scenario_is_paused_and_resumed(page: Page, own_cluster: Cluster) -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}
    event = {"id": "n", "step": 0, "operation": "Create", "createOperation": {"object": node}}
    done = {"id": "d", "step": 50_000, "operation": "Done", "doneOperation": {"done": True}}
    own_cluster.call("/kubestage/v1/clock", {"speed": 60}, "PUT")  # two hours, if nobody jumps
    spec = {"stepDuration": "10s", "events": [event, done]}
    own_cluster.call(SCENARIOS, {"metadata": {"name": "slow"}, "spec": spec})
    page.goto(f"{own_cluster.address}/ui/#/scenarios/slow")
    phase(page, "Running")
    page.get_by_role("button", name="Pause", exact=True).last.click()
    expect(page.get_by_text("the clock is paused")).to_be_visible()
    step = own_cluster.call(f"{SCENARIOS}/slow")["status"]["step"]
    page.get_by_role("button", name="Resume").click()
    until(lambda: own_cluster.call(f"{SCENARIOS}/slow")["status"]["step"] > step)
    own_cluster.call("/kubestage/v1/clock", {"mode": "jump"}, "PUT")
    phase(page, "Succeeded")


def test_an_error_in_an_event_is_at_its_line(page: Page, own_cluster: Cluster) -> None:
    page.goto(f"{own_cluster.address}/ui/#/scenarios?new=1")
    text = page.get_by_label("YAML of a new Scenario")
    expect(text).to_be_focused()
    text.fill(text.input_value().replace("image: nginx:1.27", "imagge: nginx:1.27"))
    expect(page.locator(".line.is-error").first).to_contain_text("imagge: nginx:1.27")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".line.is-error").first).to_be_visible()
    assert own_cluster.call(SCENARIOS)["items"] == []


def test_a_scenario_is_deleted_after_a_question(page: Page, own_cluster: Cluster) -> None:
    start(page, own_cluster)
    phase(page, "Paused")
    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    until(lambda: own_cluster.call(SCENARIOS)["items"] == [])
    expect(page.get_by_text("Choose a Scenario, or write one.")).to_be_visible()
