"""Keys that are set twice in the body of a request: refused, reported or ignored."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.server import calling

MAPS = "/api/v1/namespaces/default/configmaps"
YAML = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: one\n  k: two\n"
PROBLEM = 'yaml: unmarshal errors:\n  line 7: key "k" already set in map'


async def send(app: Any, method: str, content_type: str, body: bytes, validation: str) -> Any:
    path = MAPS if method == "POST" else f"{MAPS}/a"
    headers = {"content-type": content_type}
    query = {"fieldValidation": validation, "fieldManager": "test"}
    return await calling.call(app, method, path, body, headers, **query)


@pytest.mark.parametrize("validation", ["Strict", "Warn", "Ignore"])
def test_applied_yaml(validation: str) -> None:
    async def story() -> None:
        app = calling.application()
        answer = await send(app, "PATCH", "application/apply-patch+yaml", YAML, validation)
        if validation == "Strict":
            assert answer.status == 400
            assert answer.json["message"] == (
                f"error strict decoding YAML: error converting YAML to JSON: {PROBLEM}"
            )
        else:
            assert answer.json["data"] == {"k": "two"}

    asyncio.run(story())


def test_created_yaml() -> None:
    async def story() -> None:
        app = calling.application()
        refused = await send(app, "POST", "application/yaml", YAML + b"odd: 1\n", "Strict")
        assert refused.status == 400
        assert refused.json["message"] == (
            'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: '
            f'{PROBLEM}, unknown field "odd"'
        )
        created = await send(app, "POST", "application/yaml", YAML, "Ignore")
        assert created.json["data"] == {"k": "two"}

    asyncio.run(story())


@pytest.mark.parametrize(
    ("content_type", "body", "problem"),
    [
        ("merge-patch", b'{"data":{"k":"1","k":"2"}}', 'duplicate field "data.k"'),
        ("strategic-merge-patch", b'{"data":{"k":"1","k":"2"}}', 'duplicate field "data.k"'),
        (
            "json-patch",
            b'[{"op":"add","path":"/data/k","value":"1","foo":1}]',
            'json patch unknown field "[0].foo"',
        ),
    ],
)
def test_patches(content_type: str, body: bytes, problem: str) -> None:
    async def story() -> None:
        app = calling.application()
        await calling.call(app, "POST", MAPS, {"metadata": {"name": "a"}, "data": {"k": "0"}})
        content = f"application/{content_type}+json"
        refused = await send(app, "PATCH", content, body, "Strict")
        assert refused.status == 422
        assert f"strict decoding error: {problem}" in refused.json["message"]
        warned = await send(app, "PATCH", content, body, "Warn")
        assert warned.status == 200
        quoted = problem.replace('"', '\\"')
        assert warned.header("warning") == [f'299 - "{quoted}"']

    asyncio.run(story())
