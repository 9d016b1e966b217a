"""Stages that take more time, steps or memory than they may."""

from __future__ import annotations

import logging
import os
import pickle
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers.kwok import jq_process, queries
from kubestage.errors import InputError, LimitExceeded
from tests.controllers.kwok import stages
from tests.controllers.kwok.test_player import EVENT, NODE, STAGE, World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.controllers.kwok.stage_types import Stage

ENDLESS = "def f: f; f"
HUGE = '{{ repeat 2000000000 "abcdefgh" }}'
GOOD = {"patch": {"root": "metadata", "template": "labels: {good: yes-it-is}"}}


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test waits for the end of the whole time."""
    monkeypatch.setattr(jq_process, "_CPU_S", 0.5)
    jq_process._process(os.getpid()).close()
    yield
    jq_process._process(os.getpid()).close()


def _by_jq(expression: str) -> Json:
    key = {"key": expression, "operator": "Exists"}
    return {"selector": {"matchExpressions": [key]}, "steps": [GOOD]}


def _by_template(template: str) -> Json:
    return {"steps": [{"patch": {"subresource": "status", "root": "status", "template": template}}]}


def _good() -> Stage:
    expression = {"key": ".metadata.labels.good", "operator": "DoesNotExist"}
    spec = {"selector": {"matchExpressions": [expression]}, "steps": [GOOD], "weight": 1}
    return stages.stage(spec, "good", "Node")


def _labels(world: World) -> Any:
    return world.store.get(NODE, "n")["metadata"].get("labels", {}).get("good")


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        (_by_jq(ENDLESS), "jq took more than 0.5 s of CPU time: def f: f; f"),
        (_by_jq('"a" * (length * 300000000)'), "jq took more than 512 MiB of memory"),
        (_by_template(HUGE), "error calling repeat: a template may make values of 8 MiB"),
        (_by_template("{{range 1000000000}}{{end}}"), "a template may take 500,000 steps"),
        (
            {"delay": {"durationFrom": {"expressionFrom": ENDLESS}}, "steps": [GOOD]},
            "jq took more than 0.5 s",
        ),
    ],
)
def test_a_stage_beyond_its_limits_is_set_aside_and_reported(
    spec: Json, problem: str, caplog: pytest.LogCaptureFixture
) -> None:
    selector = {"matchExpressions": [{"key": ".metadata.name", "operator": "Exists"}]}
    bad = stages.stage({"selector": selector, "weight": 0, **spec}, "bad", "Node")
    world = World([bad])
    with caplog.at_level(logging.WARNING):
        world.add_node()
        world.run_to(60)
    assert problem in world.player.problems["bad"]
    (event,) = [each for each in world.store.list(EVENT).items if each["type"] == "Warning"]
    assert event["reason"] == "StageSetAside"
    assert "it is not played until it is changed" in event["message"]
    assert "Stage bad: " in caplog.text
    assert not world.player.plays("", "Node")
    syncs = world.runner.syncs
    world.store.patch(NODE, "n", {"metadata": {"labels": {"a": "b"}}})
    world.run_to(120)
    assert world.runner.syncs == syncs


def test_the_other_stages_are_played_on() -> None:
    bad = stages.stage({**_by_jq(ENDLESS), "weight": 1}, "bad", "Node")
    world = World([bad, _good()])
    world.add_node()
    world.run_to(60)
    assert _labels(world) == "yes-it-is"
    assert set(world.player.problems) == {"bad"}


def test_a_changed_stage_is_played_again() -> None:
    world = World([])
    resource = {"apiGroup": "v1", "kind": "Node"}
    world.store.create(
        {
            "apiVersion": STAGE[0],
            "kind": STAGE[1],
            "metadata": {"name": "s"},
            "spec": {"resourceRef": resource, **_by_jq(ENDLESS)},
        }
    )
    world.add_node()
    world.run_to(60)
    assert _labels(world) is None
    (event,) = [each for each in world.store.list(EVENT).items if each["type"] == "Warning"]
    assert event["involvedObject"]["kind"] == "Stage"
    mended = {"spec": {"resourceRef": resource, **_by_jq(".metadata.name")}}
    world.store.patch(STAGE, "s", mended)
    world.run_to(120)
    assert _labels(world) == "yes-it-is"


def test_an_expression_that_cannot_even_be_compiled_is_an_invalid_stage() -> None:
    with pytest.raises(InputError, match=r"spec.selector.*512 MiB of memory"):
        stages.stage(_by_jq('"a" * 1000000000 | length'), "bad", "Node")
    with pytest.raises(InputError, match="65,536 characters"):
        stages.stage(_by_jq("1" + "+1" * 40_000), "bad", "Node")


def test_jq_has_neither_environment_nor_files() -> None:
    assert queries.ask("$ENV.PATH, env.HOME", {}) == []
    with pytest.raises(InputError, match="module not found"):
        queries.check('# a comment\nimport "a" as $a; $a', "key")


def test_jq_answers_after_it_was_ended() -> None:
    with pytest.raises(LimitExceeded):
        queries.ask('[limit(200000000; repeat("abcdefgh"))]', {})
    assert queries.ask(".a + 1", {"a": 1}) == [2]
    assert queries.ask(".a + 1", {"a": []}) is None
    with pytest.raises(LimitExceeded, match="jq made more than 4 MiB"):
        queries.ask('"a" * (.a * 5000000)', {"a": 1})
    assert queries.ask("length", {"a": 1}) == [1]


def test_a_fork_asks_a_process_of_its_own() -> None:
    assert jq_process._process(-1) is not jq_process._process(os.getpid())


def test_what_was_set_aside_stays_so_in_a_copy() -> None:
    world = World([stages.stage(_by_jq(ENDLESS), "bad", "Node")])
    world.add_node()
    world.run_to(60)
    runner = pickle.loads(pickle.dumps(world.runner))
    assert set(runner.controllers[0].problems) == {"bad"}
