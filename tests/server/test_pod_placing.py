"""Bindings and evictions: what is refused before the pod is looked at."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.testing import make_pod
from tests.server import calling

if TYPE_CHECKING:
    from tests.server.calling import Answer

CORE = "/api/v1/namespaces"
SHOP = f"{CORE}/shop/pods/p"
NODE = {"kind": "Node", "name": "n"}
ANOTHER = "the namespace of the provided object does not match the namespace sent on the request"
both = pytest.mark.parametrize("kind", ["Binding", "Eviction"])


def _asked(path: str, body: dict[str, Any], *, ending: bool = False) -> Answer:
    """The answer of a server with one pod, whose namespace may be waiting for it to go."""
    pod = make_pod("p", namespace="shop")
    pod["metadata"]["finalizers"] = ["x.io/y"]

    async def ask() -> Answer:
        app = calling.application()
        await calling.call(app, "POST", CORE, {"metadata": {"name": "shop"}})
        await calling.call(app, "POST", f"{CORE}/shop/pods", pod)
        if ending:
            await calling.call(app, "DELETE", f"{CORE}/shop")
        return await calling.call(app, "POST", path, body)

    return asyncio.run(ask())


def _body(kind: str, **metadata: str) -> dict[str, Any]:
    return {"metadata": metadata, **({"target": NODE} if kind == "Binding" else {})}


@both
@pytest.mark.parametrize("metadata", [{}, {"name": "q"}])
def test_the_name_must_be_that_of_the_path(kind: str, metadata: dict[str, str]) -> None:
    answer = _asked(f"{SHOP}/{kind.lower()}", _body(kind, **metadata))
    assert answer.status == 400
    assert answer.json["message"] == f"name in URL does not match name in {kind} object"


@both
def test_the_namespace_must_be_that_of_the_path(kind: str) -> None:
    answer = _asked(f"{SHOP}/{kind.lower()}", _body(kind, name="p", namespace="default"))
    assert (answer.status, answer.json["message"]) == (400, ANOTHER)


@both
def test_the_namespace_must_be_there(kind: str) -> None:
    answer = _asked(f"{CORE}/none/pods/p/{kind.lower()}", _body(kind, name="p"))
    assert (answer.status, answer.json["message"]) == (404, 'namespaces "none" not found')


@both
def test_nothing_is_done_in_a_namespace_that_ends(kind: str) -> None:
    answer = _asked(f"{SHOP}/{kind.lower()}", _body(kind, name="p"), ending=True)
    assert answer.status == 403
    (cause,) = answer.json["details"]["causes"]
    assert cause["reason"] == "NamespaceTerminating"


def test_a_binding_names_a_node() -> None:
    kind = 'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"'
    for target, message in (
        ({"kind": "Pod", "name": "q"}, kind),
        ({"kind": "Pod"}, f"[{kind}, target.name: Required value]"),
        ({}, "target.name: Required value"),
    ):
        answer = _asked(f"{SHOP}/binding", {"metadata": {"name": "p"}, "target": target})
        assert (answer.status, answer.json["message"]) == (400, message)


def test_a_binding_on_its_own_path_needs_a_name_and_knows_no_uid() -> None:
    path = f"{CORE}/shop/bindings"
    nameless = _asked(path, _body("Binding"))
    assert (nameless.status, nameless.json["message"]) == (400, "Name parameter required.")
    assert _asked(path, _body("Binding", name="p", uid="x")).status == 201
    assert _asked(f"{SHOP}/binding", _body("Binding", name="p", uid="x")).status == 409
