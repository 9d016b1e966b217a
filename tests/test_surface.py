"""The names that users build on: a change here is a change of the public contract."""

from __future__ import annotations

import importlib
import inspect
import pydoc

import pytest
from tools import api_reference

import kubestage
from kubestage import errors, runs, stage, testing
from kubestage.scheduler import framework

PUBLIC = {
    "ApiError",
    "Environment",
    "InputError",
    "KubestageError",
    "SimulationError",
    "Stage",
    "Store",
    "__version__",
    "analyze",
    "backtest",
    "compare",
    "explain",
    "find_limit",
    "load",
    "run",
    "serve",
    "validate",
    "verify",
}
RUNS = {
    "AnalyzeOptions",
    "AnalyzedTable",
    "BacktestOptions",
    "BacktestResult",
    "CompareOptions",
    "ComparedLives",
    "ComparedRuns",
    "ExplainOptions",
    "Explanation",
    "GetOptions",
    "GetResult",
    "LimitOptions",
    "LimitResult",
    "LivingResult",
    "LoadObserver",
    "LoadOptions",
    "LoadResults",
    "ManifestsResult",
    "Observer",
    "PodExplanation",
    "RunOptions",
    "RunResult",
    "ScenariosResult",
    "ValidationResult",
    "VerifyResult",
    "get",
    "plan_load",
}


def test_the_package_offers_just_these_names() -> None:
    assert set(kubestage.__all__) == PUBLIC
    assert len(kubestage.__all__) <= 20


def test_every_public_name_can_be_had() -> None:
    assert all(getattr(kubestage, name) is not None for name in kubestage.__all__)


def test_the_plugin_contract_is_just_this() -> None:
    assert set(framework.__all__) == {
        "ActionType", "ClusterEvent", "EventHint", "EventResource",
        "MAX_NODE_SCORE", "SKIP", "SUCCESS", "Bind", "Code", "Codes", "Columns", "CycleState",
        "EnqueueExtensions", "Filter", "Ints", "Mask", "NodeFilter", "NodeInfo", "NodeScore",
        "Permit", "Plugin", "PostBind", "PostFilter", "PostFilterResult", "PreBind", "PreEnqueue",
        "PreFilter", "PreFilterExtensions", "PreScore", "QueueSort", "Reserve", "Rows", "Score",
        "ScoreExtensions", "Status", "error", "unresolvable", "unschedulable",
        "DeviceRequest", "DeviceTable", "Devices", "Hooks", "Remembered", "SharesDevices",
        "MeasureDefinition", "Measured", "Moment", "measure",
    }  # fmt: skip
    assert all(hasattr(framework, name) for name in framework.__all__)


def test_help_on_the_plugin_contract_works() -> None:
    text = pydoc.plain(pydoc.render_doc(framework))
    assert all(
        name in text for name in ("filter_node", "EventHint", "pick_devices", "on_pod_bound")
    )


def test_the_options_and_results_are_just_these() -> None:
    assert set(runs.__all__) == RUNS
    assert all(getattr(runs, name).__name__ == name for name in runs.__all__)


def test_a_stage_comes_with_just_these_names() -> None:
    assert set(stage.__all__) == {"SchedulerOptions", "Stage", "few_collections", "rank"}


def test_all_errors_are_listed() -> None:
    defined = [each for each in vars(errors).values() if inspect.isclass(each)]
    own = {each.__name__ for each in defined if issubclass(each, errors.KubestageError)}
    assert set(errors.__all__) == own
    assert {"ApiError", "InputError", "MalformedValue", "SimulationError"} < set(errors.__all__)


@pytest.mark.parametrize("name", api_reference.MODULES)
def test_every_public_name_is_documented(name: str) -> None:
    module = importlib.import_module(name)
    for each in module.__all__:
        value = getattr(module, each)
        assert not inspect.isclass(value) or inspect.getdoc(value), f"{name}.{each}"
        assert not inspect.isfunction(value) or inspect.getdoc(value), f"{name}.{each}"


def test_the_reference_has_every_public_name() -> None:
    page = api_reference.page()
    for name in api_reference.MODULES:
        assert f"\n## {name}\n" in page
    assert "### run\n" in page
    assert "### RunOptions\n" in page
    assert " at 0x" not in page


def test_no_public_call_takes_anything() -> None:
    """Options are typed: no ``**options: Any``."""
    for function in (kubestage.run, kubestage.validate, stage.Stage, *vars(stage.Stage).values()):
        if inspect.isfunction(function) or inspect.isclass(function):
            for parameter in inspect.signature(function).parameters.values():
                is_any = str(parameter.annotation) == "Any"
                assert not (parameter.kind is parameter.VAR_KEYWORD and is_any)


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(kubestage, "Stagge")


def test_every_public_error_descends_from_one_root() -> None:
    errors = (kubestage.ApiError, kubestage.InputError, kubestage.SimulationError)
    assert all(issubclass(error, kubestage.KubestageError) for error in errors)


def test_testing_offers_just_these_builders_and_clusters() -> None:
    assert set(testing.__all__) == {
        "Cluster",
        "ClusterFactory",
        "ClusterServer",
        "ExpectationFailed",
        "Fault",
        "make_container",
        "make_daemon_set",
        "make_deployment",
        "make_horizontal_pod_autoscaler",
        "make_job",
        "make_namespace",
        "make_node",
        "make_pod",
        "make_pod_disruption_budget",
        "make_priority_class",
        "make_replica_set",
        "make_service",
        "make_stateful_set",
        "owner_reference",
    }
