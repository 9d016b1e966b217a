"""Requests that our own OpenAPI documents describe: every path and method of every group."""

from __future__ import annotations

import asyncio
import functools
import json
import random
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from kubestage.server.openapi import documents as openapi
from kubestage.stage import Stage
from tests.server.fuzz import hostile, mutating, oracle, worlds
from tests.server.fuzz.schema_values import NAMES, Maker
from tests.server.fuzz.test_mutated import is_bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.server.fuzz.wire import Wire

SEEDS = 4
METHODS = ("get", "post", "put", "patch", "delete")
# All paths and methods together; each seed takes its share of them, with several bodies.
LEAST_OPERATIONS = 600
ROUNDS = 9


@functools.cache
def documents() -> list[dict[str, Any]]:
    """All of them, as a server gives them away."""
    kinds = Stage().store.kinds
    found = [openapi.document(kinds, path) for path in openapi.index(kinds)["paths"]]
    return [json.loads(each.body) for each in found if each is not None]


def operations() -> Iterator[tuple[dict[str, Any], str, str, dict[str, Any]]]:
    """Document, path, method and operation."""
    for document in documents():
        for path, item in sorted(document["paths"].items()):
            shared = item.get("parameters") or []
            for method in METHODS:
                if method in item:
                    operation = item[method]
                    given = [*shared, *(operation.get("parameters") or [])]
                    yield document, path, method, {**operation, "parameters": given}


def request(
    document: dict[str, Any],
    path: str,
    method: str,
    operation: dict[str, Any],
    rng: random.Random,
) -> Wire:
    """One request that an operation describes."""
    maker, query = Maker(document, rng), []
    for parameter in operation["parameters"]:
        name = parameter["name"]
        if parameter["in"] == "path":
            filled = "hostile" if name == "namespace" else rng.choice(NAMES)
            path = path.replace(f"{{{name}}}", filled)
        elif rng.random() < 0.15:
            value = maker.value(parameter.get("schema") or {}, name)
            odd = str(value).encode("utf-8", "replace").decode()
            query.append((name, odd if rng.random() < 0.7 else rng.choice(mutating.QUERY_VALUES)))
    body, form = b"", "application/json"
    content = (operation.get("requestBody") or {}).get("content") or {}
    if content:
        form = rng.choice(sorted(content))
        schema = content[form].get("schema") or {}
        kind = operation.get("x-kubernetes-group-version-kind") or {}
        value = maker.value(schema)
        if isinstance(value, dict) and kind and rng.random() < 0.9:
            group, version = kind.get("group"), kind.get("version")
            value["apiVersion"] = f"{group}/{version}" if group else version
            value["kind"] = kind.get("kind")
        body = json.dumps(value).encode()
    sent = urlencode(query, errors="replace").encode()
    return hostile.write(method.upper(), path, body, form, sent)


def test_the_documents_describe_the_whole_api() -> None:
    assert len(list(operations())) >= LEAST_OPERATIONS


@pytest.mark.parametrize("seed", range(SEEDS))
def test_all_that_the_documents_describe_is_answered(
    seed: int, capfd: pytest.CaptureFixture[str]
) -> None:
    async def story() -> int:
        rng, loop, world = random.Random(seed), oracle.Loop(), worlds.still()
        await oracle.ask(world.app, hostile.first())
        chosen = list(operations())[seed::SEEDS]
        count = 0
        for _ in range(ROUNDS):
            rng.shuffle(chosen)
            for each in chosen:
                made = request(*each, rng)
                if is_bounded(made):
                    await oracle.ask(world.app, made)
                    count += 1
        await world.check()
        assert not loop.problems
        return count

    assert asyncio.run(story()) >= ROUNDS * LEAST_OPERATIONS // SEEDS // 2
    assert "Traceback" not in capfd.readouterr().err
