"""What storms have found, each as the rule that it broke."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects import nesting
from tests.server.fuzz import hostile, oracle, worlds

if TYPE_CHECKING:
    from tests.server.fuzz.wire import Answer, Wire

CONFIG_MAPS = f"{hostile.NAMESPACE}/configmaps"
DEEP = "[" * (nesting.DEEPEST + 1) + "]" * (nesting.DEEPEST + 1)
JSON_PATCH = "application/json-patch+json"


def answers(*requests: Wire) -> list[Answer]:
    """One after the other, to a server of their own."""

    async def story() -> list[Answer]:
        world = worlds.still()
        await oracle.ask(world.app, hostile.first())
        found = [await oracle.ask(world.app, request) for request in requests]
        await world.check()
        return found

    return asyncio.run(story())


def refusal(*requests: Wire) -> tuple[int, str]:
    """Code and words of the last answer."""
    answer = answers(*requests)[-1]
    return answer.status, json.loads(answer.body)["message"]


@pytest.mark.parametrize(
    ("method", "form"),
    [
        ("POST", "application/json"),
        ("POST", "application/yaml"),
        ("PATCH", JSON_PATCH),
        ("PATCH", "application/merge-patch+json"),
        ("PATCH", "application/strategic-merge-patch+json"),
        ("PATCH", "application/apply-patch+yaml"),
        ("DELETE", "application/json"),
    ],
)
def test_a_body_that_is_nested_too_deep_is_refused(method: str, form: str) -> None:
    body = f'{{"apiVersion":"v1","kind":"ConfigMap","x":{DEEP}}}'.encode()
    path = CONFIG_MAPS if method == "POST" else f"{CONFIG_MAPS}/a"
    code, message = refusal(hostile.write(method, path, body, form))
    assert code == 400
    assert nesting.TOO_DEEP in message or "nested too deeply" in message


@pytest.mark.parametrize("form", ["application/json", "application/yaml"])
def test_a_body_of_too_many_values_is_refused(form: str) -> None:
    body = b'{"x":[' + b"0," * nesting.MOST_VALUES + b"0]}"
    code, message = refusal(hostile.write("POST", CONFIG_MAPS, body, form))
    assert (code, message) == (413, f"limit is {nesting.MOST_VALUES} values")


def test_a_json_patch_has_ten_thousand_operations_at_most() -> None:
    made = hostile.post(CONFIG_MAPS, {"metadata": {"name": "a"}})
    operations = [{"op": "test", "path": "/kind", "value": "ConfigMap"}] * 10_001
    code, message = refusal(
        made, hostile.write("PATCH", f"{CONFIG_MAPS}/a", operations, JSON_PATCH)
    )
    assert code == 413
    assert message == "The allowed maximum operations in a JSON patch is 10000, got 10001"


def test_a_configuration_to_apply_needs_a_name_in_it() -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}}
    apply = hostile.write("PATCH", f"{CONFIG_MAPS}/a", body, "application/apply-patch+yaml")
    code, message = refusal(apply)
    assert code == 400
    assert "name must be provided" in message


@pytest.mark.parametrize(
    "metadata",
    [
        {"name": {"a": 1}},
        {"name": "a", "labels": "b"},
        {"name": "a", "annotations": {"a": []}},
        {"name": "a", "finalizers": {}},
        [],
        "a",
    ],
)
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/apis/kwok.x-k8s.io/v1alpha1/stages", "Stage"),
        ("/apis/simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1/scenarios", "Scenario"),
    ],
)
def test_metadata_of_our_own_kinds_has_the_types_of_all_metadata(
    path: str, kind: str, metadata: Any
) -> None:
    version = path.removeprefix("/apis/").rpartition("/")[0]
    body = {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": {}}
    code, message = refusal(hostile.post(path, body))
    assert code == 400
    assert "json: cannot unmarshal" in message


def test_a_label_that_is_null_is_empty_for_every_kind() -> None:
    path = "/apis/autoscaling.k8s.io/v1/namespaces/hostile/verticalpodautoscalercheckpoints"
    metadata = {"name": "a", "labels": {"a": None}}
    body = {
        "apiVersion": "autoscaling.k8s.io/v1",
        "kind": "VerticalPodAutoscalerCheckpoint",
        "metadata": metadata,
        "spec": {},
    }
    answer = answers(hostile.post(path, body))[0]
    assert answer.status == 201
    assert json.loads(answer.body)["metadata"]["labels"] == {"a": ""}


def test_owners_that_are_repeated_are_kept_once_however_many_there_are() -> None:
    owners = [
        {"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": f"u{number % 5000}"}
        for number in range(10_000)
    ]
    body = {"metadata": {"name": "a", "ownerReferences": owners}}
    answer = answers(hostile.post(CONFIG_MAPS, body))[0]
    assert json.loads(answer.body)["metadata"]["ownerReferences"] == owners[:5000]
    warning = answer.header(b"warning")
    assert warning.count(b"u7,") == 1
    # Long warnings are cut, as by kube-apiserver.
    assert b"u42," not in warning


def test_an_import_that_is_no_utf8_is_refused() -> None:
    body = b'{"apiVersion":"v1","kind":"List","items":[]} {"\xff"}'
    request = hostile.write("POST", "/kubestage/v1/import", body, "application/json", b"")
    code, message = refusal(request)
    assert code == 400
    assert "UTF-8" in message


def test_a_warning_is_one_line_whatever_it_quotes() -> None:
    body = {"metadata": {"name": "a"}, "a\r\nset-cookie: x": 1, "é\u2028": 1}
    request = hostile.write("POST", CONFIG_MAPS, body, "application/json", b"fieldValidation=Warn")
    answer = answers(request)[0]
    assert answer.status == 201
    assert b"set-cookie" in answer.header(b"warning")
