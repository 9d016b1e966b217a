"""kubectl and an API server behind an APIService."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING

import pytest

from tests.deadlines import HANG_S
from tests.server.kubectl.conftest import Kubectl
from tests.server.outside.api_server import Fruits, api_service, fruit
from tests.server.served import Served, require_kubectl

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def fruits_url() -> Iterator[str]:
    """An API server in a thread of its own, and its URL."""
    found: list[str] = []
    is_ready, loop = threading.Event(), asyncio.new_event_loop()
    ends: list[asyncio.Event] = []

    async def run() -> None:
        ends.append(asyncio.Event())
        async with Fruits().listening() as url:
            found.append(url)
            is_ready.set()
            await ends[0].wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()))
    thread.start()
    assert is_ready.wait(HANG_S)
    yield found[0]
    loop.call_soon_threadsafe(ends[0].set)
    thread.join(HANG_S)
    loop.close()


def test_kubectl_uses_an_aggregated_api(fruits_url: str) -> None:
    require_kubectl()
    with Served("--webhook-url", f"shop/fruits={fruits_url}") as running:
        kubectl = Kubectl(running, "default")
        kubectl("apply", "-f", "-", given=json.dumps(api_service()))
        name = api_service()["metadata"]["name"]
        kubectl("wait", "--for=condition=Available", f"apiservice/{name}", f"--timeout={HANG_S}s")
        rows = {each["NAME"]: each for each in kubectl.table("get", "apiservices")}
        assert (rows[name]["SERVICE"], rows[name]["AVAILABLE"]) == ("shop/fruits", "True")
        assert (rows["v1.apps"]["SERVICE"], rows["v1.apps"]["AVAILABLE"]) == ("Local", "True")
        resources = kubectl("api-resources", "--api-group=fruit.example.com", "-o", "name")
        assert resources.split() == ["fruits.fruit.example.com"]
        kubectl("create", "-f", "-", given=json.dumps(fruit("apple", colour="red")))
        assert kubectl.json("get", "fruit", "apple")["colour"] == "red"
        assert "apple" in kubectl("get", "fr")
        assert "How it looks." in kubectl("explain", "fruits.colour")
        kubectl("delete", "apiservice", name)
        assert "could not find the requested resource" in kubectl.refused("get", "fruits")


def test_kubectl_is_told_of_an_api_server_that_is_not_there() -> None:
    require_kubectl()
    with Served() as running:
        kubectl = Kubectl(running, "default")
        kubectl("apply", "-f", "-", given=json.dumps(api_service()))
        name = api_service()["metadata"]["name"]
        missing = "--for=jsonpath={.status.conditions[0].reason}=ServiceNotFound"
        kubectl("wait", missing, f"apiservice/{name}", f"--timeout={HANG_S}s")
        shown = {each["NAME"]: each["AVAILABLE"] for each in kubectl.table("get", "apiservices")}
        assert shown[name] == "False (ServiceNotFound)"
        assert "resource type" in kubectl.refused("get", "fruits")
        refused = kubectl.refused("get", "--raw", "/apis/fruit.example.com/v1/fruits")
        assert "the server is currently unable to handle the request" in refused
        assert "kubernetes" in kubectl("get", "services")
