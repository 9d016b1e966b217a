from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.opening import visit, wait

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Cluster

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
MAPS = "/api/v1/namespaces/default/configmaps"


def _printed(cluster: Cluster, path: str) -> list[list[str]]:
    """What the server prints of a collection, without the age."""
    table = cluster.call(path, accept=TABLE)
    shown = [at for at, each in enumerate(table["columnDefinitions"]) if each["priority"] == 0]
    return [[str(row["cells"][at]) for at in shown][:-1] for row in table["rows"]]


def test_a_list_is_what_the_server_prints(page: Page, cluster: Cluster) -> None:
    visit(page, cluster.address, "#/map")
    page.goto(f"{cluster.address}/ui/#/objects/v1/nodes")
    rows = page.locator("table.objects tbody tr")
    printed = _printed(cluster, "/api/v1/nodes")
    expect(rows).to_have_count(len(printed))
    # The version comes last here, and the age before it.
    shown = [[cell.inner_text() for cell in row.locator("td").all()][:3] for row in rows.all()]
    assert shown == [row[:3] for row in printed]


def test_a_list_follows_changes_and_a_filter(page: Page, cluster: Cluster) -> None:
    page.goto(f"{cluster.address}/ui/#/objects/v1/configmaps")
    page.get_by_label("Kind", exact=True).wait_for()
    cluster.call(MAPS, {"metadata": {"name": "colours"}, "data": {"sky": "blue"}})
    rows = page.locator("table.objects tbody tr")
    expect(page.locator("table.objects")).to_contain_text("colours")
    page.get_by_label("Filter rows").fill("colo")
    expect(rows).to_have_count(1)
    page.get_by_label("Kind", exact=True).select_option(label="Namespace")
    expect(page.locator("table.objects")).to_contain_text("kube-system")


def test_an_object_is_edited_and_an_error_is_shown(page: Page, cluster: Cluster) -> None:
    cluster.call(MAPS, {"metadata": {"name": "edited"}, "data": {"sky": "blue"}})
    page.goto(f"{cluster.address}/ui/#/objects/v1/configmaps?select=default/edited")
    text = page.get_by_label("YAML of default/edited")
    expect(text).to_have_value(re.compile("sky: blue"))
    text.fill(text.input_value().replace("sky: blue", "sky: grey"))
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("Applied.")).to_be_visible()
    assert cluster.call(f"{MAPS}/edited")["data"] == {"sky": "grey"}
    text.fill(text.input_value().replace("sky: grey", "sky: [1]"))
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".error")).to_contain_text("data")
    assert cluster.call(f"{MAPS}/edited")["data"] == {"sky": "grey"}


def test_an_object_is_deleted_after_a_question(page: Page, cluster: Cluster) -> None:
    cluster.call(MAPS, {"metadata": {"name": "doomed"}})
    page.goto(f"{cluster.address}/ui/#/objects/v1/configmaps?select=default/doomed")
    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("button", name="Cancel").click()
    assert cluster.call(f"{MAPS}/doomed")
    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator(".list")).not_to_contain_text("doomed")
    expect(page.get_by_role("complementary", name="Object")).to_be_hidden()


def test_a_pod_is_shown_on_the_map(page: Page, cluster: Cluster) -> None:
    page.goto(f"{cluster.address}/ui/#/objects/v1/pods?select=default/web")
    page.get_by_role("link", name="Show on the map").click()
    wait(page, "kubestage.locate('pod/default/web') !== null")
    expect(page.get_by_role("heading", name="pod default/web")).to_be_visible()


def test_an_address_without_a_whole_name_opens_no_list(page: Page, cluster: Cluster) -> None:
    page.goto(f"{cluster.address}/ui/#/objects/v1/nodes?select=node-1")
    expect(page.get_by_label("Object").get_by_role("heading")).to_contain_text("node-1")
    page.evaluate("() => { location.hash = '#/objects/v1/pods?select=default/'; }")
    expect(page.get_by_role("columnheader", name="Restarts")).to_be_visible()
    expect(page.get_by_label("Object", exact=True)).to_be_hidden()
