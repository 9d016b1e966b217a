"""Webhooks: who is asked, what, and what becomes of the answer."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from kubestage.errors import AdmissionDenied, ApiError, BadRequest, Forbidden
from kubestage.store.admission import caller as callers
from kubestage.store.admission.caller import Caller
from kubestage.store.admission.webhook.call_failed import CallFailed
from tests.store.admission.test_policies import GROUP, RULE, config_map
from tests.store.samples import make_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.store.store import Store


class Webhooks:
    """Answers for webhooks by name, and keeps what they were asked."""

    def __init__(self, **answers: Callable[[Json], Json]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, Json]] = []

    def answer(self, configuration: str, hook: Json, review: Json) -> Json:
        del configuration
        name = hook["name"].partition(".")[0]
        self.asked.append((name, review["request"]))
        response = {"uid": review["request"]["uid"], **self.answers[name](review["request"])}
        return {"kind": review["kind"], "apiVersion": review["apiVersion"], "response": response}


def allow(_: Json) -> Json:
    return {"allowed": True}


def patch(**data: str) -> Callable[[Json], Json]:
    operations = [
        {"op": "add", "path": f"/data/{key}", "value": text} for key, text in data.items()
    ]
    encoded = base64.b64encode(msgspec.json.encode(operations)).decode()
    return lambda _: {"allowed": True, "patch": encoded, "patchType": "JSONPatch"}


def configure(store: Store, kind: str, *names: str, **more: Any) -> None:
    hooks = [
        {
            "name": f"{name}.example.com",
            "clientConfig": {"url": "https://localhost:1"},
            "rules": [{**RULE, "operations": ["*"]}],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            **more,
        }
        for name in names
    ]
    made = {
        "apiVersion": GROUP,
        "kind": f"{kind}WebhookConfiguration",
        "metadata": {"name": kind.lower()},
    }
    store.create({**made, "webhooks": hooks})


def writing(webhooks: Webhooks) -> Any:
    return callers.writing(Caller({"username": "ann"}, calls=webhooks))


def test_an_object_is_changed_and_then_decided_about() -> None:
    store, webhooks = make_store(), Webhooks(change=patch(b="2"), decide=allow)
    configure(store, "Mutating", "change")
    configure(store, "Validating", "decide")
    made = config_map("", a="1")
    made["metadata"]["generateName"] = "c-"
    with writing(webhooks):
        created = store.create(made)
    assert created["data"] == {"a": "1", "b": "2"}
    (_, first), (_, second) = webhooks.asked
    assert "uid" not in first["object"]["metadata"]
    assert first["name"] == ""
    assert second["object"]["data"] == {"a": "1", "b": "2"}
    assert second["name"] == created["metadata"]["name"]
    assert second["userInfo"] == {"username": "ann"}
    assert second["options"]["kind"] == "CreateOptions"


def test_a_refusal_has_the_status_of_the_webhook() -> None:
    status = {"code": 418, "reason": "Teapot", "message": "no coffee"}
    store = make_store()
    configure(store, "Validating", "deny")
    webhooks = Webhooks(deny=lambda _: {"allowed": False, "status": status})
    with writing(webhooks), pytest.raises(AdmissionDenied) as refused:
        store.create(config_map())
    assert refused.value.message == (
        'admission webhook "deny.example.com" denied the request: no coffee'
    )
    assert (refused.value.code, refused.value.reason) == (418, "Teapot")
    webhooks = Webhooks(deny=lambda _: {"allowed": False})
    with writing(webhooks), pytest.raises(AdmissionDenied, match="without explanation"):
        store.create(config_map())


def _fail(_: Json) -> Json:
    raise CallFailed("connect: connection refused")


def test_the_failure_policy_decides_about_what_cannot_be_called() -> None:
    store = make_store()
    configure(store, "Validating", "gone")
    with writing(Webhooks(gone=_fail)), pytest.raises(ApiError) as refused:
        store.create(config_map())
    assert refused.value.message == (
        'Internal error occurred: failed calling webhook "gone.example.com": failed to call '
        "webhook: connect: connection refused"
    )
    open_store = make_store()
    configure(open_store, "Validating", "gone", failurePolicy="Ignore")
    with writing(Webhooks(gone=_fail)):
        open_store.create(config_map())


def test_answers_that_are_none() -> None:
    store = make_store()
    configure(store, "Validating", "odd")
    webhooks = Webhooks(odd=patch(a="1"))
    with writing(webhooks), pytest.raises(ApiError, match="validating webhook may not return"):
        store.create(config_map())
    webhooks = Webhooks(odd=lambda _: {"allowed": True, "uid": "other"})
    with writing(webhooks), pytest.raises(ApiError, match='="", got "other"'):
        store.create(config_map())


def test_side_effects_and_dry_runs() -> None:
    store = make_store()
    configure(store, "Validating", "effects")
    made = store.get((GROUP, "ValidatingWebhookConfiguration"), "validating")
    effects = {**made["webhooks"][0], "sideEffects": "Some"}
    collection = store.ledger.collection(store.kind((GROUP, "ValidatingWebhookConfiguration")))
    collection.objects["validating"] = {**made, "webhooks": [effects]}
    with writing(Webhooks(effects=allow)):
        with pytest.raises(BadRequest, match="does not support dry run"):
            store.create(config_map(), dry_run=True)
        store.create(config_map())


def test_conditions_are_evaluated_and_configurations_are_exempt() -> None:
    store = make_store()
    conditions = [{"name": "not-mine", "expression": "object.metadata.name != 'mine'"}]
    rules = [{**RULE, "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}]
    configure(store, "Validating", "deny", matchConditions=conditions, rules=rules)
    webhooks = Webhooks(deny=lambda _: {"allowed": False})
    with writing(webhooks):
        store.create(config_map("mine"))
        configure(store, "Mutating", "deny", rules=rules)
        store.delete((GROUP, "MutatingWebhookConfiguration"), "mutating")
        with pytest.raises(AdmissionDenied):
            store.create(config_map("other"))
    failing = [{"name": "a", "expression": "object.nope == 1"}]
    store.patch(
        (GROUP, "ValidatingWebhookConfiguration"),
        "validating",
        {"webhooks": [{**store_hook(store), "matchConditions": failing}]},
    )
    with writing(webhooks), pytest.raises(Forbidden, match="no such key: nope"):
        store.create(config_map("other"))


def store_hook(store: Store) -> Json:
    found = store.get((GROUP, "ValidatingWebhookConfiguration"), "validating")
    hook: Json = found["webhooks"][0]
    return hook


def test_a_webhook_that_asks_for_it_is_called_again() -> None:
    def copied(request: Json) -> Json:
        data = request["object"].get("data") or {}
        return patch(copy="yes")(request) if "second" in data and "copy" not in data else allow({})

    store, webhooks = make_store(), Webhooks(first=copied, second=patch(second="yes"))
    configure(store, "Mutating", "first", "second", reinvocationPolicy="IfNeeded")
    with writing(webhooks):
        created = store.create(config_map(a="1"))
    assert created["data"] == {"a": "1", "copy": "yes", "second": "yes"}
    assert [name for name, _ in webhooks.asked] == ["first", "second", "first", "second"]


def test_components_and_runs_call_nobody() -> None:
    store = make_store()
    configure(store, "Validating", "deny")
    store.create(config_map())
