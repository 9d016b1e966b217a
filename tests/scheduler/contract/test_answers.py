"""What a plugin returns is checked; an error names plugin, method, value and fix."""

from __future__ import annotations

import copy
import math
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kubestage.errors import InputError
from kubestage.scheduler.framework import (
    SKIP,
    SUCCESS,
    Code,
    PostFilterResult,
    Status,
    unschedulable,
)
from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    from collections.abc import Callable

CONFIG = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {multiPoint: {enabled: [{name: Mine}]}}
"""
SORTING = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {queueSort: {enabled: [{name: Mine}], disabled: [{name: PrioritySort}]}}
"""


class Mine:
    """Does nothing; its kinds add methods."""

    name = "Mine"

    def __init__(self, args: Any, handle: Any) -> None: ...


def _stage(method: str, returns: Callable[..., Any], config: str = CONFIG, **more: Any) -> Stage:
    def call(self: Any, *args: Any) -> Any:
        return returns(*args)

    plugin = type("Mine", (Mine,), {method: call, **more})
    stage = Stage()
    stage.apply([make_node(name) for name in ("a", "b")])
    stage.add_scheduler(config, plugins={"Mine": plugin}, recording="decisions")
    return stage


def _refusal(method: str, returns: Callable[..., Any], config: str = CONFIG, **more: Any) -> str:
    with pytest.raises(InputError) as raised:
        _accepted(method, returns, config, **more)
    error = raised.value
    assert error.file == __file__
    assert error.line is not None
    assert error.path == "plugin Mine"
    assert error.fix
    return error.problem


def _accepted(method: str, returns: Callable[..., Any], config: str = CONFIG, **more: Any) -> str:
    stage = _stage(method, returns, config, **more)
    stage.apply([make_pod("web", cpu="100m")])
    stage.run("1s")
    node: str = stage.store.list(("v1", "Pod")).items[0]["spec"].get("nodeName", "")
    return node


def _kept(self: Any, state: Any, pod: Any, scores: Any, columns: Any, rows: Any) -> Any:
    return np.clip(scores, 0, 100)


def _explained(self: Any, state: Any, pod: Any, code: int) -> Status:
    return unschedulable("code")


def _released(self: Any, state: Any, pod: Any, node_name: str) -> None: ...


WHOLE = "not an integer, for node a"


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (0.7, f"score_node returned 0.7, {WHOLE}"),
        (2.0, f"score_node returned 2.0, {WHOLE}"),
        (math.nan, f"score_node returned nan, {WHOLE}"),
        (True, f"score_node returned True, {WHOLE}"),
        (None, f"score_node returned None, {WHOLE}"),
        ("7", f"score_node returned '7', {WHOLE}"),
        (101, "score_node returned 101, not a score from 0 to 100"),
        (-1, "score_node returned -1, not a score from 0 to 100"),
        (1 << 70, f"score_node returned {1 << 70}, not an integer of 64 bits"),
    ],
)
def test_a_score_of_one_node_is_an_integer_from_0_to_100(value: Any, problem: str) -> None:
    assert _refusal("score_node", lambda *_: value) == problem


@pytest.mark.parametrize("value", [0, 100, np.int64(7), np.int32(7)])
def test_integers_are_scores(value: Any) -> None:
    assert _accepted("score_node", lambda *_: value)


def test_scores_of_any_size_are_allowed_before_normalizing() -> None:
    best = {"a": -5, "b": 5000}
    assert _accepted("score_node", lambda s, p, node: best[node.name], normalize=_kept) == "b"


SCORES: dict[str, tuple[Callable[[int], Any], str]] = {
    "fractions": (
        lambda count: np.full(count, 0.5),
        "score returned an array of float64 with shape (2,), not 2 integers, one a row",
    ),
    "truth values": (
        lambda count: np.ones(count, np.bool_),
        "score returned an array of bool with shape (2,), not 2 integers, one a row",
    ),
    "too few": (
        lambda _: np.ones(1, np.int64),
        "score returned an array of int64 with shape (1,), not 2 integers, one a row",
    ),
    "a table": (
        lambda count: np.ones((count, 1), np.int64),
        "score returned an array of int64 with shape (2, 1), not 2 integers, one a row",
    ),
    "a list": (
        lambda count: [1] * count,
        "score returned [1, 1], not an array of 2 integers",
    ),
    "nothing": (lambda _: None, "score returned None, not an array of 2 integers"),
    "one number": (lambda _: 5, "score returned 5, not an array of 2 integers"),
    "above the range": (
        lambda count: np.arange(count) * 500,
        "score returned 500, not a score from 0 to 100",
    ),
    "below the range": (
        lambda count: -np.arange(count),
        "score returned -1, not a score from 0 to 100",
    ),
    "too large for int64": (
        lambda count: np.full(count, 1 << 63, np.uint64),
        "score returned an array of uint64 with shape (2,), not 2 integers, one a row",
    ),
}


@pytest.mark.parametrize("name", SCORES)
def test_scores_on_columns_are_one_integer_a_row(name: str) -> None:
    build, problem = SCORES[name]
    assert _refusal("score", lambda s, p, c, rows: build(len(rows))) == problem


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint32, np.int64])
def test_integers_of_any_width_are_scores(dtype: Any) -> None:
    def score(state: Any, pod: Any, columns: Any, rows: Any) -> Any:
        return np.where(rows == 1, 90, 10).astype(dtype)

    assert _accepted("score", score) == "b"


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (np.array([0.5, 0.5]), "normalize returned an array of float64 with shape (2,), not 2"),
        (np.array([1]), "normalize returned an array of int64 with shape (1,), not 2 integers"),
        (np.array([0, 101]), "normalize returned 101, not a score from 0 to 100"),
        (None, "normalize returned None, not an array of 2 integers"),
    ],
)
def test_scores_after_normalizing_are_from_0_to_100(value: Any, problem: str) -> None:
    def score(self: Any, state: Any, pod: Any, columns: Any, rows: Any) -> Any:
        return np.arange(len(rows)) * 1000

    assert _refusal("normalize", lambda *_: value, score=score).startswith(problem)


CODES: dict[str, tuple[Callable[[int], Any], str]] = {
    "a mask": (
        lambda count: np.ones(count, np.bool_),
        "filter returned an array of bool with shape (2,), not 2 integers, one a row",
    ),
    "fractions": (
        np.ones,
        "filter returned an array of float64 with shape (2,), not 2 integers, one a row",
    ),
    "too few": (
        lambda _: np.zeros(1, np.int32),
        "filter returned an array of int32 with shape (1,), not 2 integers, one a row",
    ),
    "negative": (
        lambda count: -np.ones(count, np.int32),
        "filter returned -1, not a code from 0 to 2147483647",
    ),
    "too large": (
        lambda count: np.full(count, 1 << 40),
        f"filter returned {1 << 40}, not a code from 0 to 2147483647",
    ),
    "a list": (lambda count: [0] * count, "filter returned [0, 0], not an array of 2 integers"),
}


@pytest.mark.parametrize("name", CODES)
def test_codes_are_one_integer_a_row(name: str) -> None:
    build, problem = CODES[name]

    def codes(state: Any, pod: Any, columns: Any, rows: Any) -> Any:
        return build(len(columns.pod_count[rows]))

    assert _refusal("filter", codes, status=_explained) == problem


def test_no_codes_at_all_let_every_node_pass() -> None:
    assert _accepted("filter", lambda *_: None, status=_explained)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (SUCCESS, "status returned Success for code 3, by which filter rejects a node"),
        (None, "status returned None, not a Status"),
        (SKIP, "status returned 'Skip', not whether the node fits"),
    ],
)
def test_every_code_has_a_status_that_rejects(value: Any, problem: str) -> None:
    def codes(self: Any, state: Any, pod: Any, columns: Any, rows: Any) -> Any:
        return np.full(len(columns.pod_count[rows]), 3, np.int32)

    assert _refusal("status", lambda *_: value, filter=codes) == problem


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (None, "filter_node returned None, not a Status"),
        (True, "filter_node returned True, not a Status"),
        (SKIP, "filter_node returned 'Skip', not whether the node fits"),
        (Status(Code.WAIT), "filter_node returned 'Wait', not whether the node fits"),
    ],
)
def test_a_verdict_on_one_node_is_a_status(value: Any, problem: str) -> None:
    assert _refusal("filter_node", lambda *_: value) == problem


@pytest.mark.parametrize("value", [SUCCESS, Status(Code.SUCCESS)])
def test_any_success_lets_a_node_pass(value: Status) -> None:
    assert _accepted("filter_node", lambda *_: value)


PAIRS: dict[str, list[tuple[Any, str]]] = {
    "pre_filter": [
        (SUCCESS, "pre_filter returned Status("),
        (None, "pre_filter returned None, not a pair"),
        ((None, None), "pre_filter returned None, not a Status"),
        ((SUCCESS, ["a"]), "pre_filter returned ['a'], not a set of names of nodes"),
        ((SUCCESS, {1}), "pre_filter returned {1}, not a set of names of nodes"),
    ],
    "permit": [
        (SUCCESS, "permit returned Status("),
        ((SUCCESS, 1.5), "permit returned 1.5, not a timeout in whole nanoseconds"),
        ((SUCCESS, -1), "permit returned -1, not a timeout in whole nanoseconds"),
        ((True, 0), "permit returned True, not a Status"),
    ],
    "reserve": [(None, "reserve returned None, not a Status")],
    "pre_bind": [(True, "pre_bind returned True, not a Status")],
    "bind": [(None, "bind returned None, not a Status")],
    "pre_enqueue": [(None, "pre_enqueue returned None, not a Status")],
    "pre_score": [(None, "pre_score returned None, not a Status")],
    "events_to_register": [
        (None, "events_to_register returned None, not a list of EventHints"),
        (["Node"], "events_to_register returned ['Node'], not a list of EventHints"),
    ],
}


@pytest.mark.parametrize(
    ("method", "value", "problem"),
    [(method, *case) for method, cases in PAIRS.items() for case in cases],
)
def test_other_methods_return_what_the_contract_says(method: str, value: Any, problem: str) -> None:
    more: dict[str, Any] = {"unreserve": _released} if method == "reserve" else {}
    more["score_node"] = lambda *_: 1
    if method == "events_to_register":
        more["filter_node"] = lambda *_: SUCCESS
    enabled = CONFIG
    if method == "bind":
        enabled = CONFIG.replace(
            "plugins: {", "plugins: {bind: {disabled: [{name: DefaultBinder}]}, "
        )
    assert _refusal(method, lambda *_: value, enabled, **more).startswith(problem)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (SUCCESS, "post_filter returned Status("),
        (("a", SUCCESS), "post_filter returned 'a', not a PostFilterResult or None"),
        ((PostFilterResult("a"), "ok"), "post_filter returned 'ok', not a Status"),
    ],
)
def test_a_post_filter_returns_a_result_and_a_status(value: Any, problem: str) -> None:
    refuses = {"filter_node": lambda *_: unschedulable("never")}
    disabled = CONFIG.replace(
        "plugins: {", "plugins: {postFilter: {disabled: [{name: DefaultPreemption}]}, "
    )
    assert _refusal("post_filter", lambda *_: value, disabled, **refuses).startswith(problem)


@pytest.mark.parametrize("value", [3, None, (), (math.nan,)])
def test_a_sort_key_is_a_tuple_of_numbers(value: Any) -> None:
    assert "sort_key returned" in _refusal("sort_key", lambda *_: value, SORTING)


class Pickled(Mine):
    """Can be found by its name, so that it pickles; refuses to score a pod named odd."""

    name = "Mine"

    def score(self, state: Any, pod: Any, columns: Any, rows: Any) -> Any:
        return np.full(
            len(rows), 0.5 if pod.name == "odd" else 5, None if pod.name == "odd" else int
        )


def test_copies_are_checked_as_well() -> None:
    stage = Stage()
    stage.apply([make_node("a"), make_node("b")])
    scheduler = stage.add_scheduler(CONFIG, plugins={"Mine": Pickled})
    for copied in (pickle.loads(pickle.dumps(stage)), copy.deepcopy(scheduler), stage.fork()):
        assert copied is not None
    for each in (stage.fork(), pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(stage))))):
        each.apply([make_pod("even")])
        each.run("1s")
        each.apply([make_pod("odd")])
        with pytest.raises(InputError, match="score returned an array of float64"):
            each.run("1s")
