"""Large requests are worked on beside others, and end as if nothing else had happened."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import yaml

from kubestage.server import background, json_text, large_writes, presentation, slices
from kubestage.stage import Stage
from tests.server import calling

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.app import Application

MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
JSON = {"content-type": "application/json"}
YAML = {"content-type": "application/yaml"}


def large(name: str = "large", keys: int = 2000) -> Json:
    data = {f"key-{number}": "value" for number in range(keys)}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


class Threads:
    """Remembers in which threads work is done that does not touch the event loop's."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.used: list[threading.Thread] = []
        run = background.run

        async def noted(function: Any, *arguments: Any, **more: Any) -> Any:
            def work() -> Any:
                self.used.append(threading.current_thread())
                return function(*arguments, **more)

            return await run(work)

        monkeypatch.setattr(background, "run", noted)

    @property
    def is_aside(self) -> bool:
        return bool(self.used) and threading.main_thread() not in self.used


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> Threads:
    return Threads(monkeypatch)


REQUESTS: dict[str, tuple[str, str, Any, dict[str, str], int]] = {
    "create": ("POST", MAPS, large(), JSON, 201),
    "create of YAML": (
        "POST",
        MAPS,
        b"metadata: {name: large}\ndata:\n" + b"".join(b"  k%d: v\n" % n for n in range(3000)),
        YAML,
        201,
    ),
    "update": ("PUT", f"{MAPS}/there", large("there"), JSON, 200),
    "merge patch": (
        "PATCH",
        f"{MAPS}/there",
        {"data": large()["data"]},
        {"content-type": "application/merge-patch+json"},
        200,
    ),
    "JSON patch": (
        "PATCH",
        f"{MAPS}/there",
        [{"op": "add", "path": f"/data/k{number}", "value": "v"} for number in range(500)],
        {"content-type": "application/json-patch+json"},
        200,
    ),
    "apply": (
        "PATCH",
        f"{MAPS}/large?fieldManager=me",
        large(),
        {"content-type": "application/apply-patch+yaml"},
        201,
    ),
    "refusal": ("POST", MAPS, {**large(), "data": {"-/": "x" * 20_000}}, JSON, 422),
}


async def ask(app: Application, asked: tuple[str, str, Any, dict[str, str], int]) -> Any:
    method, path, body, headers, _ = asked
    path, _, query = path.partition("?")
    parameters = dict([query.split("=")]) if query else {}
    return await calling.call(app, method, path, body, headers, **parameters)


def fresh() -> Application:
    app = calling.application(Stage(implicit_namespaces=False))
    app.live.store.create(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "there"},
            "data": {"a": "b"},
        },
        manager="somebody",
    )
    return app


@pytest.mark.parametrize("name", REQUESTS)
def test_a_large_write_is_worked_out_in_a_thread_with_the_same_result(
    name: str, threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        asked = REQUESTS[name]
        aside = await ask(fresh(), asked)
        assert threads.is_aside
        monkeypatch.setattr(large_writes, "_LEAST_BYTES", 1 << 30)
        at_once = await ask(fresh(), asked)
        assert (aside.status, aside.body) == (at_once.status, at_once.body)
        assert aside.status == asked[-1]
        assert sorted(aside.headers) == sorted(at_once.headers)

    asyncio.run(story())


def test_what_changes_meanwhile_is_taken_into_account(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        app, plans, run = fresh(), 0, background.run

        async def disturbed(function: Any, *arguments: Any, **more: Any) -> Any:
            nonlocal plans
            plans += 1
            planned = await run(function, *arguments, **more)
            if plans <= 2:
                patch = {"data": {f"meanwhile-{plans}": "x"}}
                app.live.store.patch(("v1", "ConfigMap"), "there", patch, "default")
            return planned

        monkeypatch.setattr(background, "run", disturbed)
        answer = await ask(app, REQUESTS["merge patch"])
        assert answer.status == 200
        assert plans == 3
        assert {"meanwhile-1", "meanwhile-2", "a", "key-0"} <= answer.json["data"].keys()

    asyncio.run(story())


def test_a_name_that_is_taken_meanwhile_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        app, run = fresh(), background.run

        async def disturbed(function: Any, *arguments: Any, **more: Any) -> Any:
            planned = await run(function, *arguments, **more)
            app.live.store.create(large(keys=1))
            return planned

        monkeypatch.setattr(background, "run", disturbed)
        answer = await ask(app, REQUESTS["create"])
        assert answer.status == 409
        assert answer.json["reason"] == "AlreadyExists"

    asyncio.run(story())


def crowd(count: int) -> Application:
    app = calling.application(Stage(implicit_namespaces=False))
    spec = {"containers": [{"name": "a", "image": "x"}]}
    for number in range(count):
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"p{number:05}"}}
        app.live.store.create({**pod, "spec": spec})
    return app


@pytest.mark.parametrize(
    "accept",
    [
        "application/json;as=Table;v=v1;g=meta.k8s.io",
        "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
        "application/yaml",
        "application/yaml;as=Table;v=v1;g=meta.k8s.io",
    ],
)
def test_a_long_list_in_another_form_is_made_in_a_thread_with_the_same_result(
    accept: str, threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        app = crowd(120)
        aside = await calling.call(app, "GET", PODS, headers={"accept": accept})
        assert aside.status == 200
        assert threads.is_aside
        monkeypatch.setattr(presentation, "_FEW", 1000)
        at_once = await calling.call(app, "GET", PODS, headers={"accept": accept})
        # Encoded at once, the objects of one template refer to each other.
        assert yaml.safe_load(aside.body) == yaml.safe_load(at_once.body)
        if "json" in accept:
            assert aside.body == at_once.body

    asyncio.run(story())


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_others_are_served_during_a_long_list_and_a_long_deletion(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slices, "_SLICE_S", 0.0)

    async def story() -> None:
        app = crowd(1500)
        task = asyncio.ensure_future(calling.call(app, method, PODS))
        served = 0
        while not task.done():
            await calling.call(app, "GET", f"{PODS}/p00000")
            served += 1
            await asyncio.sleep(0)
        answer = await task
        assert served > 3
        assert len(answer.json["items"]) == 1500
        left = len(app.live.store.read(("v1", "Pod")))
        assert left == (1500 if method == "GET" else 0)
        # Bytes of what is gone are not kept.
        assert len(app.encoder._cached) <= app.live.store.object_count

    asyncio.run(story())


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        {"a": {}, "b": [], "c": None},
        {"items": list(range(2000)), "spec": {"events": [{"x": "\u00e9"}] * 600, "y": {"z": 1}}},
        {"deep": {"deeper": {"deepest": list(range(600))}}},
        [["a"]] * 700,
        "text",
    ],
)
def test_what_is_encoded_in_pieces_is_the_same(value: Any) -> None:
    assert json_text.encode(value) == msgspec.json.encode(value)
