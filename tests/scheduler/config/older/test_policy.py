from __future__ import annotations

import json
from typing import Any

import pytest

from kubestage.scheduler import config
from tests.scheduler.config.texts import args, load, refusal, resolve, scores

FILE = "algorithmSource: {policy: {file: {path: policy.json}}}"


def _reader(policy: Any) -> Any:
    content = policy if isinstance(policy, str) else json.dumps(policy)
    return lambda source: content


def _load(policy: Any, body: str = FILE) -> config.SchedulerConfiguration:
    return load(body, "v1alpha1", read_policy=_reader(policy))


def _resolve(policy: Any) -> config.ProfilePlugins:
    return resolve(FILE, "v1alpha1", read_policy=_reader(policy))


def _refusal(policy: Any, body: str = FILE) -> config.ConfigError:
    error = refusal(body, "v1alpha1", read_policy=_reader(policy))
    assert error.stage == "instantiate"
    return error


def test_predicates_run_in_their_order_with_those_that_are_mandatory() -> None:
    profile = _resolve(
        {"predicates": [{"name": "MatchInterPodAffinity"}, {"name": "PodFitsPorts"}],
         "priorities": []}
    )  # fmt: skip
    assert profile.points["filter"] == (
        "NodeUnschedulable",
        "NodePorts",
        "TaintToleration",
        "InterPodAffinity",
    )
    assert profile.points["preFilter"] == ("NodePorts", "InterPodAffinity")
    assert profile.points["score"] == ()
    assert profile.points["queueSort"] == ("PrioritySort",)
    assert profile.points["bind"] == ("DefaultBinder",)
    assert profile.points["postFilter"] == ("DefaultPreemption",)


def test_a_plugin_that_two_predicates_need_runs_once() -> None:
    profile = _resolve(
        {"predicates": [{"name": "PodFitsResources"}, {"name": "GeneralPredicates"}]}
    )
    assert profile.points["filter"] == (
        "NodeUnschedulable",
        "NodeResourcesFit",
        "NodeName",
        "NodePorts",
        "NodeAffinity",
        "TaintToleration",
    )


def test_binding_volumes_takes_four_points() -> None:
    profile = _resolve({"predicates": [{"name": "CheckVolumeBinding"}]})
    for point in ("preFilter", "filter", "reserve", "preBind"):
        assert "VolumeBinding" in profile.points[point]


def test_a_policy_that_names_nothing_has_the_defaults_of_policies() -> None:
    profile = _resolve({"kind": "Policy", "apiVersion": "v1"})
    assert scores(profile) == [
        ("NodeResourcesBalancedAllocation", 1),
        ("PodTopologySpread", 2),
        ("ImageLocality", 1),
        ("InterPodAffinity", 1),
        ("NodeResourcesFit", 1),
        ("NodeAffinity", 1),
        ("TaintToleration", 1),
    ]
    assert profile.points["filter"] == (
        "NodeUnschedulable", "NodeResourcesFit", "NodeName", "NodePorts", "NodeAffinity",
        "VolumeRestrictions", "TaintToleration", "NodeVolumeLimits", "VolumeBinding",
        "VolumeZone", "PodTopologySpread", "InterPodAffinity",
    )  # fmt: skip


def test_priorities_become_scores_in_the_order_of_their_names() -> None:
    policy = {
        "priorities": [
            {"name": "TaintTolerationPriority", "weight": 3},
            {"name": "EqualPriority", "weight": 1},
            {"name": "MostRequestedPriority", "weight": 2},
            {"name": "ServiceSpreadingPriority", "weight": 5},
        ]
    }
    assert scores(_resolve(policy)) == [
        ("NodeResourcesFit", 2),
        ("PodTopologySpread", 5),
        ("TaintToleration", 3),
    ]
    configuration = _load(policy)
    strategy = args(configuration, "NodeResourcesFit")["scoringStrategy"]
    assert strategy["type"] == "MostAllocated"
    assert args(configuration, "PodTopologySpread") == {"defaultingType": "System"}


def test_spreading_by_topology_alone_has_no_constraints_of_its_own() -> None:
    policy = {"priorities": [{"name": "EvenPodsSpreadPriority", "weight": 1}]}
    assert args(_load(policy), "PodTopologySpread") == {"defaultingType": "List"}


def test_of_two_spreading_priorities_the_first_name_gives_the_weight() -> None:
    policy = {
        "priorities": [
            {"name": "SelectorSpreadPriority", "weight": 7},
            {"name": "EvenPodsSpreadPriority", "weight": 3},
        ]
    }
    assert scores(_resolve(policy)) == [("PodTopologySpread", 3)]
    assert args(_load(policy), "PodTopologySpread") == {"defaultingType": "System"}


def test_a_custom_priority_may_be_a_ratio_of_requests_to_capacity() -> None:
    shape = [{"utilization": 0, "score": 10}, {"utilization": 100, "score": 0}]
    policy = {
        "priorities": [
            {
                "name": "any",
                "weight": 2,
                "argument": {"requestedToCapacityRatioArguments": {"shape": shape}},
            }
        ]
    }
    assert scores(_resolve(policy)) == [("NodeResourcesFit", 2)]
    strategy = args(_load(policy), "NodeResourcesFit")["scoringStrategy"]
    assert strategy["requestedToCapacityRatio"] == {"shape": shape}


def test_a_policys_weight_of_hard_affinity_counts_where_affinity_scores() -> None:
    priorities = [{"name": "InterPodAffinityPriority", "weight": 1}]
    policy = {"hardPodAffinitySymmetricWeight": 20, "priorities": priorities}
    assert args(_load(policy), "InterPodAffinity")["hardPodAffinityWeight"] == 20
    without = {"hardPodAffinitySymmetricWeight": 20, "priorities": []}
    assert args(_load(without), "InterPodAffinity")["hardPodAffinityWeight"] == 1


def test_extenders_come_from_the_policy() -> None:
    (extender,) = _load(
        {"extenders": [{"urlPrefix": "http://a", "httpTimeout": 1000000}]}
    ).extenders
    assert (extender.url_prefix, extender.http_timeout) == ("http://a", "1ms")


def test_the_scheduler_keeps_its_name() -> None:
    assert _load({}, f"schedulerName: mine\n{FILE}").profiles[0].scheduler_name == "mine"


@pytest.mark.parametrize(
    ("policy", "problem"),
    [
        ({"predicates": [{"name": "Nope"}]}, 'predicate type not found for "Nope"'),
        ({"priorities": [{"name": "Nope", "weight": 1}]}, 'priority type not found for "Nope"'),
        (
            {"priorities": [{"name": "NodeAffinityPriority"}]},
            ("priority NodeAffinityPriority should have a positive weight applied to it "
            "or it has overflown"),
        ),
        (
            {"hardPodAffinitySymmetricWeight": 101},
            "hardPodAffinitySymmetricWeight: Invalid value: 101: not in valid range [0-100]",
        ),
        (
            {"predicates": [{"name": "a", "argument": {}}]},
            "exactly 1 predicate argument is required, numArgs: 0, predicate a",
        ),
        (
            {"priorities": [
                {"name": "a", "weight": 1, "argument": {"labelPreference": {"label": "x"}}},
                {"name": "b", "weight": 2, "argument": {"labelPreference": {"label": "y"}}},
            ]},
            'LabelPreference  priority "b" has a different weight with "a"',
        ),
        (
            {"priorities": [
                {"name": name, "weight": 1, "argument": {"requestedToCapacityRatioArguments": {}}}
                for name in ("a", "b")
            ]},
            'priority "b" redeclares custom priority "RequestedToCapacityRatio", from: "a"',
        ),
    ],
)  # fmt: skip
def test_a_policy_that_no_scheduler_can_be_made_from_is_refused(policy: Any, problem: str) -> None:
    assert _refusal(policy).problem == f"couldn't create scheduler from policy: {problem}"


def test_a_policy_of_labels_has_no_successor() -> None:
    argument = {"labelsPresence": {"labels": ["zone"], "presence": True}}
    policy = {"predicates": [{"name": "zones", "argument": argument}]}
    error = refusal(FILE, "v1alpha1", read_policy=_reader(policy))
    assert error.stage == "validate"
    assert 'plugins.filter.enabled[2]: Invalid value: "NodeLabel"' in error.problem


@pytest.mark.parametrize(
    ("policy", "problem"),
    [
        ({"predicate": []}, 'invalid policy: strict decoding error: unknown field "predicate"'),
        (
            {"predicates": "x"},
            ("invalid policy: json: cannot unmarshal string into Go struct field "
            "Policy.predicates of type []v1.PredicatePolicy"),
        ),
        (
            {"kind": "Pod", "apiVersion": "v1"},
            "invalid policy: strict decoding error: kind is Pod, not Policy",
        ),
        ("{", ("invalid policy: couldn't get version/kind; json parse error: "
              "unexpected end of JSON input")),
    ],
)  # fmt: skip
def test_what_is_no_policy_is_refused(policy: Any, problem: str) -> None:
    assert _refusal(policy).problem == problem


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("plugins: {}", "Plugins"),
        ("pluginConfig: [{name: A}]", "PluginConfig"),
        ("hardPodAffinitySymmetricWeight: 3", "PluginConfig"),
    ],
)
def test_a_policy_goes_with_no_other_plugins(body: str, what: str) -> None:
    assert _refusal({}, f"{FILE}\n{body}").problem == (
        f"couldn't create scheduler from policy: "
        f"using {what} and Policy simultaneously is not supported"
    )


def test_a_policy_is_fetched_from_where_the_configuration_says() -> None:
    asked: list[config.PolicySource] = []

    def read(source: config.PolicySource) -> str:
        asked.append(source)
        return "{}"

    load(FILE, "v1alpha1", read_policy=read)
    load("algorithmSource: {policy: {configMap: {name: p}}}", "v1alpha1", read_policy=read)
    load("algorithmSource: {policy: {}}", "v1alpha1", read_policy=read)
    assert asked == [
        config.PolicySource(path="policy.json"),
        config.PolicySource(namespace="kube-system", name="p"),
    ]


def test_a_policy_that_is_not_there_is_refused() -> None:
    assert refusal(FILE, "v1alpha1").problem == "missing policy config file policy.json"
    body = "algorithmSource: {policy: {configMap: {namespace: a, name: b}}}"
    error = refusal(body, "v1alpha1", read_policy=lambda source: None)
    assert error.problem == "couldn't get policy config map a/b"


def test_a_provider_wins_over_a_policy() -> None:
    body = "algorithmSource: {provider: DefaultProvider, policy: {file: {path: x}}}"
    assert load(body, "v1alpha1") == load(version="v1alpha1")
