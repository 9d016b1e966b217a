"""What tests do with the page again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.deadlines import attempts

if TYPE_CHECKING:
    from playwright.sync_api import Page


def visit(page: Page, address: str, part: str = "") -> None:
    """Open the page, and wait until it has read the cluster."""
    page.goto(f"{address}/ui/{part}")
    wait(page, "kubestage.isLoaded && kubestage.frames > 0")


def wait(page: Page, condition: str) -> None:
    """Wait until something is true of what the page knows."""
    page.wait_for_function(f"() => window.kubestage && ({condition})")


def state(page: Page, name: str) -> Any:
    """Something that the page knows."""
    return page.evaluate(f"() => kubestage.{name}")


def click_on(page: Page, name: str) -> None:
    """Click a pod or node on the map; again if the map has moved meanwhile."""
    wait(page, f"kubestage.locate({name!r})")
    for _ in attempts():
        x, y = page.evaluate("(name) => kubestage.locate(name)", name)
        page.mouse.click(x, y)
        if page.evaluate("() => decodeURIComponent(location.hash)").endswith(f"select={name}"):
            return
