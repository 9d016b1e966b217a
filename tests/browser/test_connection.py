from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.conftest import Cluster
from tests.browser.opening import visit, wait
from tests.deadlines import until
from tests.server.served import Served

if TYPE_CHECKING:
    import pathlib

    from playwright.sync_api import Browser, Page

TOKEN = "a-token-of-many-letters"


def test_the_map_survives_a_restart_of_the_server(
    page: Page, browser: Browser, tmp_path: pathlib.Path
) -> None:
    kept = ("--data-dir", str(tmp_path / "data"))
    with Served(*kept, "--nodes", "2") as served:
        port = served.address.rpartition(":")[2]
        visit(page, served.address)
        wait(page, "kubestage.nodes === 2")
    expect(page.get_by_text("reconnecting")).to_be_visible()
    with Served(*kept, "--port", port) as served:
        Cluster(served).create_pod("after")
        wait(page, "kubestage.locate('pod/default/after') !== null")
        expect(page.locator("#connection")).to_have_text("live")


def test_the_map_lists_again_when_its_version_is_gone(page: Page, cluster: Cluster) -> None:
    gone = '{"type":"ERROR","object":{"kind":"Status","code":410,"message":"too old"}}\n'
    lists: list[str] = []
    page.on("request", lambda sent: lists.append(sent.url) if "/pods?limit" in sent.url else None)
    page.route(
        "**/api/v1/pods?watch=1*",
        lambda route: route.fulfill(content_type="application/json", body=gone),
        times=1,
    )
    visit(page, cluster.address)
    expect(page.locator("#connection")).to_have_text("live")
    until(lambda: page.evaluate("() => kubestage.pods") and len(lists) > 1)
    cluster.create_pod("later")
    wait(page, "kubestage.locate('pod/default/later') !== null")
    cluster.call("/api/v1/namespaces/default/pods/later?gracePeriodSeconds=0", method="DELETE")


def test_a_hidden_page_does_not_watch(page: Page, cluster: Cluster) -> None:
    visit(page, cluster.address)
    expect(page.locator("#connection")).to_have_text("live")
    with page.expect_event("requestfailed", lambda sent: "/pods?watch" in sent.url):
        _set_hidden(page, "true")
    before = page.evaluate("() => kubestage.pods")
    cluster.create_pod("unseen")
    with page.expect_request("**/api/v1/pods?watch=1*") as resumed:
        _set_hidden(page, "false")
    assert "resourceVersion=" in resumed.value.url
    wait(page, f"kubestage.pods === {before + 1}")
    cluster.call("/api/v1/namespaces/default/pods/unseen?gracePeriodSeconds=0", method="DELETE")


def _set_hidden(page: Page, hidden: str) -> None:
    page.evaluate(f"""() => {{
      Object.defineProperty(document, "hidden", {{ value: {hidden}, configurable: true }});
      document.dispatchEvent(new Event("visibilitychange"));
    }}""")


def test_a_server_that_requires_a_token_is_given_it(
    page: Page, browser: Browser, tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN)
    file.chmod(0o600)
    context = browser.new_context(ignore_https_errors=True)
    opened = context.new_page()
    with Served("--token-file", str(file), "--nodes", "2") as served:
        opened.goto(served.address)
        opened.get_by_label("Token").fill("another-token-of-many-letters")
        opened.get_by_role("button", name="Use it").click()
        expect(opened.get_by_text("The token was refused.")).to_be_visible()
        opened.get_by_label("Token").fill(TOKEN)
        opened.get_by_role("button", name="Use it").click()
        wait(opened, "kubestage.nodes === 2")
        opened.reload()
        wait(opened, "kubestage.nodes === 2")
        assert opened.evaluate("() => localStorage.length") == 0
    context.close()
