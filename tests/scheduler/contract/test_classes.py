"""A plugin class that cannot work is refused before anything runs, with the likely fix."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from kubestage.errors import InputError
from kubestage.scheduler import framework
from kubestage.scheduler.contract import classes, methods
from kubestage.scheduler.plugins.inter_pod_affinity import InterPodAffinity
from kubestage.scheduler.plugins.node_resources_fit import NodeResourcesFit
from kubestage.scheduler.plugins.pod_topology_spread import PodTopologySpread
from kubestage.stage import Stage


def _plugin(*signatures: str, **attributes: Any) -> type[Any]:
    """A plugin class with these methods, which do nothing."""
    body: dict[str, Any] = {}
    for each in ("__init__(self, args, handle)", *signatures):
        exec(f"def {each}: ...", body)
    del body["__builtins__"]
    return type("Mine", (), {"name": "Mine", **body, **attributes})


FILTER_NODE = "filter_node(self, state, pod, node)"
SCORE_NODE = "score_node(self, state, pod, node)"


@pytest.mark.parametrize(
    ("misspelt", "likely"),
    [
        ("scoreNode", "score_node"),
        ("filter_nodes", "filter_node"),
        ("prefilter", "pre_filter"),
        ("PreFilter", "pre_filter"),
        ("Filter", "filter"),
        ("normalise", "normalize"),
        ("normalize_score", "normalize"),
        ("unreserv", "unreserve"),
        ("pre_scores", "pre_score"),
        ("postBind", "post_bind"),
        ("events_to_registr", "events_to_register"),
        ("Less", "sort_key"),
    ],
)
def test_a_misspelt_method_is_refused_with_the_likely_one(misspelt: str, likely: str) -> None:
    problem = classes.find_problem(_plugin(SCORE_NODE, f"{misspelt}(self, *args)"))
    assert problem is not None
    assert problem.method == misspelt
    assert f"did you mean {likely}?" in problem.text
    assert f"rename it to {likely}(self" in problem.fix


@pytest.mark.parametrize("own", ["_scoreNode", "fragmentation", "weights", "nodes_of", "rank"])
def test_methods_of_the_users_own_are_left_alone(own: str) -> None:
    assert classes.find_problem(_plugin(SCORE_NODE, f"{own}(self)")) is None


@pytest.mark.parametrize("built_in", [NodeResourcesFit, InterPodAffinity, PodTopologySpread])
def test_a_plugin_may_extend_a_built_in_one(built_in: type[Any]) -> None:
    assert classes.find_problem(type("Mine", (built_in,), {"name": "Mine"})) is None


def test_an_attribute_that_is_no_method_may_have_any_name() -> None:
    assert classes.find_problem(_plugin(SCORE_NODE, scores=[])) is None


@pytest.mark.parametrize(
    ("present", "missing"),
    [
        ("filter(self, state, pod, columns, rows)", "status"),
        ("status(self, state, pod, code)", "filter"),
        ("reserve(self, state, pod, node_name)", "unreserve"),
        ("unreserve(self, state, pod, node_name)", "reserve"),
        ("add_pod(self, state, pod, added, columns, row)", "remove_pod"),
        ("remove_pod(self, state, pod, removed, columns, row)", "add_pod"),
        ("normalize(self, state, pod, scores, columns, rows)", "score or score_node"),
    ],
)
def test_a_method_without_its_partner_is_refused(present: str, missing: str) -> None:
    method = present.partition("(")[0]
    problem = classes.find_problem(_plugin("post_bind(self, state, pod, node_name)", present))
    assert problem is not None
    assert problem.text.startswith(f"has {method} without {missing}: ")
    assert problem.fix.startswith(f"define {missing.partition(' ')[0]}(self, ")


def test_pods_that_are_tried_need_what_pre_filter_stored() -> None:
    tracking = [
        "add_pod(self, state, pod, added, columns, row)",
        "remove_pod(self, state, pod, removed, columns, row)",
    ]
    problem = classes.find_problem(_plugin(SCORE_NODE, *tracking))
    assert problem is not None
    assert "without pre_filter" in problem.text
    whole = _plugin(*tracking, "pre_filter(self, state, pod, columns)")
    assert classes.find_problem(whole) is None


def test_a_method_with_other_parameters_is_refused() -> None:
    problem = classes.find_problem(_plugin("filter_node(self, pod, node)"))
    assert problem == classes.Problem(
        "filter_node",
        "filter_node(self, pod, node) cannot be called with 3 arguments",
        f"define {FILTER_NODE}",
    )
    assert classes.find_problem(_plugin("filter_node(self, *args)")) is None
    assert classes.find_problem(_plugin("filter_node(self, a, b, c, d=None)")) is None
    static = _plugin(filter_node=staticmethod(lambda state, pod, node: framework.SUCCESS))
    assert classes.find_problem(static) is None


def test_a_method_that_is_none_is_refused() -> None:
    problem = classes.find_problem(_plugin(SCORE_NODE, reserve=3))
    assert problem is not None
    assert problem.text == "reserve is int, not a method"


def test_every_protocol_has_the_parameters_that_are_checked() -> None:
    checked = {}
    for name in framework.__all__:
        for method, function in getattr(getattr(framework, name), "__dict__", {}).items():
            if method in methods.PARAMETERS and inspect.isfunction(function):
                checked[method] = tuple(inspect.signature(function).parameters)[1:]
    assert checked == methods.PARAMETERS


def test_a_stage_refuses_a_class_at_once() -> None:
    with pytest.raises(InputError, match=r"plugin Mine: has reserve without unreserve"):
        Stage().add_scheduler(
            plugins={"Mine": _plugin("reserve(self, state, pod, node_name)")},
        )
    with pytest.raises(InputError, match="plugin Mine: claims no extension point"):
        Stage().add_scheduler(plugins={"Mine": _plugin()})
    with pytest.raises(InputError, match='is passed under the name "Other"'):
        Stage().add_scheduler(plugins={"Other": _plugin(SCORE_NODE)})


class Placed:
    name = "Placed"

    def __init__(self, args: Any, handle: Any) -> None: ...

    def score_node(self, state: Any, pod: Any) -> int:
        return 1


def test_the_place_in_the_file_is_named() -> None:
    with pytest.raises(InputError) as raised:
        classes.points_of_all({"Placed": Placed})
    assert raised.value.file == __file__
    assert raised.value.line == Placed.score_node.__code__.co_firstlineno
