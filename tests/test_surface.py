"""The names that users build on: a change here is a change of the public contract."""

from __future__ import annotations

import kubestage
from kubestage import testing
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
    }  # fmt: skip
    assert all(hasattr(framework, name) for name in framework.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(kubestage, "Stagge")


def test_every_public_error_descends_from_one_root() -> None:
    errors = (kubestage.ApiError, kubestage.InputError, kubestage.SimulationError)
    assert all(issubclass(error, kubestage.KubestageError) for error in errors)


def test_testing_offers_just_these_builders() -> None:
    assert set(testing.__all__) == {
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
