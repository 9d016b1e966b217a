"""Scenarios of many events: created in slices, grown by patches."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from kubestage.server import large_scenarios, slices
from kubestage.server.app import Application
from kubestage.server.live import Live
from kubestage.stage import Stage
from kubestage.store import event_window
from kubestage.testing import make_node, make_pod
from tests.scenario.building import create, done, scenario
from tests.server import calling, live_stage
from tests.server.live_stage import NODES, SCENARIOS
from tests.server.test_pacing import tell

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json


STRATEGIC = {"content-type": "application/strategic-merge-patch+json"}
JSON_PATCH = {"content-type": "application/json-patch+json"}
COUNT = event_window.LARGE + 500


def many(count: int = COUNT, *, with_ids: bool = True) -> Json:
    events: list[Json] = []
    for number in range(count):
        pod = make_pod(f"p{number}", cpu="1m")
        event = create(pod, number // 100)
        event["id"] = f"e{number}"
        if not with_ids:
            del event["id"]
        events.append(event)
    return scenario(*events)


def _served() -> tuple[Live, Application]:
    live = Live(Stage())
    return live, Application(live)


@pytest.fixture
def every_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others have their turn after each piece of work, however short it was."""
    monkeypatch.setattr(slices, "_SLICE_S", 0.0)


@pytest.mark.usefixtures("every_piece")
def test_others_are_served_while_a_large_scenario_is_taken_in() -> None:
    async def story() -> None:
        _, app = _served()
        creation = asyncio.ensure_future(calling.call(app, "POST", SCENARIOS, many()))
        await asyncio.sleep(0)
        answered = 0
        while not creation.done():
            found = await calling.call(app, "GET", SCENARIOS)
            assert found.status == 200
            # All of it is there at the end, or nothing.
            assert len(found.json["items"]) == (1 if creation.done() else 0) or creation.done()
            answered += 1
            await asyncio.sleep(0)
        assert (await creation).status == 201
        # Each hundred events are two pieces of work.
        assert answered >= COUNT // 100
        found = await calling.call(app, "GET", f"{SCENARIOS}/it")
        assert len(found.json["spec"]["events"]) == COUNT

    tell(story())


@pytest.mark.usefixtures("every_piece")
def test_who_leaves_before_the_end_has_created_nothing() -> None:
    async def story() -> None:
        live, app = _served()
        creation = asyncio.ensure_future(calling.call(app, "POST", SCENARIOS, many()))
        for _ in range(5):
            await asyncio.sleep(0)
        creation.cancel()
        await asyncio.gather(creation, return_exceptions=True)
        assert not live.store.list(("simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1",
                                    "Scenario")).items  # fmt: skip

    tell(story())


@pytest.mark.usefixtures("every_piece")
def test_of_two_of_a_name_the_first_to_be_complete_is_created() -> None:
    async def story() -> None:
        _, app = _served()
        both = await asyncio.gather(
            calling.call(app, "POST", SCENARIOS, many()),
            calling.call(app, "POST", SCENARIOS, many(COUNT + 1)),
        )
        assert sorted(each.status for each in both) == [201, 409]

    tell(story())


def _in_parts_and_whole(
    body: Json | bytes, monkeypatch: pytest.MonkeyPatch, **query: Any
) -> list[calling.Answer]:
    """The answers to the same creation, in parts and as that of a small Scenario."""

    async def ask() -> calling.Answer:
        _, app = _served()
        return await calling.call(app, "POST", SCENARIOS, body, **query)

    in_parts = asyncio.run(ask())
    monkeypatch.setattr(large_scenarios, "_LEAST_BYTES", 1 << 40)
    return [in_parts, asyncio.run(ask())]


@pytest.mark.parametrize("with_ids", [True, False])
def test_what_is_created_is_the_same_as_in_one_go(
    monkeypatch: pytest.MonkeyPatch, with_ids: bool
) -> None:
    in_parts, whole = _in_parts_and_whole(many(with_ids=with_ids), monkeypatch)
    assert in_parts.status == whole.status == 201
    assert in_parts.json["spec"] == whole.json["spec"]
    first, second = in_parts.json["metadata"], whole.json["metadata"]
    entries = first.pop("managedFields")
    second.pop("managedFields")
    assert first == second
    # So many events have one owner.
    (entry,) = entries
    assert entry["fieldsV1"]["f:spec"]["f:events"] == {}


def _misspelt(body: Json) -> None:
    body["spec"]["events"][1234]["stepp"] = 3


def _negative(body: Json) -> None:
    body["spec"]["events"][1234]["step"] = -1


def _no_object(body: Json) -> None:
    body["spec"]["events"][1234] = "create"


def _twice(body: Json) -> None:
    body["spec"]["events"][1234]["id"] = "e7"


def _no_list(body: Json) -> None:
    body["spec"]["events"][1234]["createOperation"] = []


@pytest.mark.parametrize("spoil", [_misspelt, _negative, _no_object, _twice, _no_list])
def test_what_is_wrong_is_refused_with_its_place_and_in_the_same_words(
    monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Json], None]
) -> None:
    body = many()
    spoil(body)
    in_parts, whole = _in_parts_and_whole(body, monkeypatch, fieldValidation="Strict")
    assert in_parts.status == whole.status
    assert in_parts.status in (400, 422)
    assert "spec.events[1234]" in in_parts.json["message"]
    assert in_parts.json["message"] == whole.json["message"]


def test_a_field_that_appears_twice_is_found_in_an_event() -> None:
    body = msgspec.json.encode(many()).replace(b'"id":"e1300"', b'"id":"e1300","id":"e1300"')

    async def story() -> None:
        _, app = _served()
        answer = await calling.call(app, "POST", SCENARIOS, body, fieldValidation="Strict")
        assert answer.status == 400
        assert 'duplicate field "spec.events[1300].id"' in answer.json["message"]

    tell(story())


def test_one_event_may_not_hold_more_than_a_whole_object_may() -> None:
    body = many()
    body["spec"]["events"][3]["createOperation"]["object"]["spec"] = [{}] * 300_000

    async def story() -> None:
        _, app = _served()
        answer = await calling.call(app, "POST", SCENARIOS, body)
        assert answer.status == 413
        assert "values in one event" in answer.json["message"]

    tell(story())


def test_a_dry_run_creates_nothing_and_tells_all() -> None:
    async def story() -> None:
        _, app = _served()
        answer = await calling.call(app, "POST", SCENARIOS, many(), dryRun="All")
        assert answer.status == 201
        assert len(answer.json["spec"]["events"]) == COUNT
        found = await calling.call(app, "GET", SCENARIOS)
        assert found.json["items"] == []

    tell(story())


def test_a_large_scenario_runs() -> None:
    async def story() -> None:
        async with live_stage.served(alive=False) as stage:
            body = many()
            nodes = [create(make_node(f"n{number}", pods=1000)) for number in range(2)]
            body["spec"]["events"] = [*nodes, *body["spec"]["events"], done(99)]
            await stage.call("POST", SCENARIOS, body)
            status = await stage.scenario(phases=("Succeeded", "Failed"))
            assert status["phase"] == "Succeeded", status.get("message")
            assert status["pods"]["scheduled"] == COUNT
            # Others were served, too: nobody waits for a Scenario.
            assert (await stage.call("GET", NODES))["items"]

    tell(story())


def _grown(patch: Json | list[Json], headers: dict[str, str], *, whole: bool) -> calling.Answer:
    """A Scenario of many events after a patch, worked out on a part of it or on the whole."""

    async def ask() -> calling.Answer:
        _, app = _served()
        await calling.call(app, "POST", SCENARIOS, many())
        with pytest.MonkeyPatch.context() as patched:
            if whole:
                patched.setattr(event_window, "LARGE", 1 << 40)
            path = f"{SCENARIOS}/it"
            answer = await calling.call(app, "PATCH", path, patch, headers=headers)
            if answer.status == 200:
                return await calling.call(app, "GET", path)
            return answer

    return asyncio.run(ask())


def _named(identity: str, **more: Any) -> Json:
    event = create(make_pod(f"more-{identity.lower()}"), 50)
    return {**event, "id": identity, **more}


PATCHES: list[tuple[Json | list[Json], dict[str, str]]] = [
    ({"spec": {"events": [_named("new-1"), _named("new-2")]}}, STRATEGIC),
    ({"spec": {"events": [{"id": "e5", "step": 77}, _named("new"), {"id": "e1"}]}}, STRATEGIC),
    ({"spec": {"events": [_named("new", step=-1)]}}, STRATEGIC),
    ({"spec": {"events": [{"id": "e5", "step": -7}]}}, STRATEGIC),
    ({"spec": {"events": [{"$patch": "delete", "id": "e5"}]}}, STRATEGIC),
    ({"spec": {"stepDuration": "5s", "events": [_named("new")]}}, STRATEGIC),
    ([{"op": "add", "path": "/spec/events/-", "value": _named("new")}], JSON_PATCH),
    ([{"op": "add", "path": "/spec/events/-", "value": _named("e3")}], JSON_PATCH),
    ([{"op": "replace", "path": "/spec/events/3/step", "value": 9}], JSON_PATCH),
]


@pytest.mark.parametrize(("patch", "headers"), PATCHES)
def test_a_patch_of_some_events_has_the_same_effect_as_on_the_whole(
    patch: Json | list[Json], headers: dict[str, str]
) -> None:
    quick, slow = (_grown(patch, headers, whole=whole) for whole in (False, True))
    assert quick.status == slow.status
    if quick.status != 200:
        assert quick.json["message"] == slow.json["message"]
        return
    assert quick.json["spec"] == slow.json["spec"]
    first, second = quick.json["metadata"], slow.json["metadata"]
    first.pop("managedFields", None)
    second.pop("managedFields", None)
    assert first == second


def test_events_that_a_patch_does_not_name_are_not_even_looked_at() -> None:
    """So that a hundred patches of a thousand events are not a hundred times as much work."""

    async def story() -> None:
        live, app = _served()
        await calling.call(app, "POST", SCENARIOS, many())
        store = live.store
        row = store.kinds.by_plural(
            "simulation.kube-scheduler-simulator.x-k8s.io", "v1alpha1", "scenarios"
        )
        assert row is not None
        before = store.get(row, "it")["spec"]["events"]
        for number in range(3):
            patch = {"spec": {"events": [_named(f"x{number}"), {"id": "e9", "step": number}]}}
            await calling.call(app, "PATCH", f"{SCENARIOS}/it", patch, headers=STRATEGIC)
        after = store.get(row, "it")["spec"]["events"]
        kept = {id(each) for each in before}
        assert [each["id"] for each in after if id(each) not in kept] == ["x2", "x1", "x0", "e9"]
        now = store.get(row, "it")
        (entry,) = now["metadata"]["managedFields"]
        assert entry["fieldsV1"]["f:spec"]["f:events"] == {}
        # A patch that changes nothing is no new version.
        again = {"spec": {"events": [{"id": "e9", "step": 2}]}}
        await calling.call(app, "PATCH", f"{SCENARIOS}/it", again, headers=STRATEGIC)
        assert store.get(row, "it") is now

    tell(story())
