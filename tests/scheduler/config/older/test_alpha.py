from __future__ import annotations

import pytest

from tests.scheduler.config.texts import GROUP, args, load, refusal, resolve, scores

# What release v1.18 scored with, spreading by selector and by topology taken together.
PROVIDER = [
    ("NodeResourcesBalancedAllocation", 1),
    ("ImageLocality", 1),
    ("InterPodAffinity", 1),
    ("NodeResourcesFit", 1),
    ("NodeAffinity", 1),
    ("PodTopologySpread", 2),
    ("TaintToleration", 1),
]
ALPHAS = ("v1alpha2", "v1alpha1")


@pytest.mark.parametrize("version", ALPHAS)
def test_the_default_provider_is_that_of_release_1_18(version: str) -> None:
    profile = resolve(version=version)
    assert scores(profile) == PROVIDER
    assert profile.points["filter"] == (
        "NodeUnschedulable", "NodeResourcesFit", "NodeName", "NodePorts", "NodeAffinity",
        "VolumeRestrictions", "TaintToleration", "NodeVolumeLimits", "VolumeBinding",
        "VolumeZone", "InterPodAffinity", "PodTopologySpread",
    )  # fmt: skip


@pytest.mark.parametrize("version", ALPHAS)
def test_what_release_1_18_did_outside_plugins_is_done_by_plugins(version: str) -> None:
    profile = resolve(version=version)
    assert profile.points["postFilter"] == ("DefaultPreemption",)
    assert profile.points["reserve"] == profile.points["preBind"] == ("VolumeBinding",)
    assert set(profile.points["preFilter"]) >= {"VolumeBinding", "VolumeRestrictions"}
    assert profile.points["preEnqueue"] == ("SchedulingGates",)


@pytest.mark.parametrize("version", ALPHAS)
def test_preemption_can_be_disabled(version: str) -> None:
    assert resolve("disablePreemption: true", version).points["postFilter"] == ()


@pytest.mark.parametrize("version", ALPHAS)
def test_the_timeout_of_binding_became_an_argument(version: str) -> None:
    configuration = load("bindTimeoutSeconds: 42", version)
    assert args(configuration, "VolumeBinding") == {"bindTimeoutSeconds": 42}


def test_v1alpha2_has_profiles() -> None:
    configuration = load(
        """
        profiles:
        - schedulerName: default-scheduler
        - schedulerName: no-scoring
          plugins: {preScore: {disabled: [{name: "*"}]}, score: {disabled: [{name: "*"}]}}
        """,
        "v1alpha2",
    )
    assert [profile.scheduler_name for profile in configuration.profiles] == [
        "default-scheduler",
        "no-scoring",
    ]
    assert configuration.profiles[1].plugins["score"].enabled == ()


def test_what_is_enabled_comes_after_the_defaults_and_a_repeated_one_is_a_mistake() -> None:
    appended = resolve(
        "profiles: [{plugins: {score: {disabled: [{name: ImageLocality}], "
        "enabled: [{name: ImageLocality, weight: 5}]}}}]",
        "v1alpha2",
    )
    assert scores(appended)[-1] == ("ImageLocality", 5)
    error = refusal(
        "profiles: [{plugins: {score: {enabled: [{name: ImageLocality}]}}}]", "v1alpha2"
    )
    assert error.problem.endswith('plugin "ImageLocality" already registered as "ScorePlugin"')


def test_v1alpha1_becomes_one_profile() -> None:
    configuration = load(
        """
        schedulerName: batch
        hardPodAffinitySymmetricWeight: 9
        percentageOfNodesToScore: 30
        plugins: {score: {disabled: [{name: "*"}], enabled: [{name: NodeAffinity, weight: 3}]}}
        pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [example.com/a]}}]
        """,
        "v1alpha1",
    )
    (profile,) = configuration.profiles
    assert profile.scheduler_name == "batch"
    assert configuration.percentage_of_nodes_to_score == 30
    assert [each.name for each in profile.plugins["score"].enabled] == ["NodeAffinity"]
    assert args(configuration, "InterPodAffinity")["hardPodAffinityWeight"] == 9
    assert args(configuration, "NodeResourcesFit")["ignoredResources"] == ["example.com/a"]


def test_a_weight_of_hard_affinity_out_of_range_is_refused() -> None:
    error = refusal("hardPodAffinitySymmetricWeight: 101", "v1alpha1")
    assert error.problem.endswith(
        "args.hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]"
    )


def test_a_weight_given_twice_is_refused() -> None:
    body = """
        hardPodAffinitySymmetricWeight: 2
        pluginConfig: [{name: InterPodAffinity, args: {hardPodAffinityWeight: 3}}]
        """
    problem = 'profiles[0].pluginConfig[1]: Duplicate value: "InterPodAffinity"'
    assert refusal(body, "v1alpha1").problem == problem


def test_post_filter_of_v1alpha1_is_pre_score_today() -> None:
    body = "plugins: {postFilter: {disabled: [{name: '*'}], enabled: [{name: NodeAffinity}]}}"
    profile = load(body, "v1alpha1").profiles[0]
    assert profile.plugins["preScore"].enabled[0].name == "NodeAffinity"
    assert profile.plugins["postFilter"].enabled[0].name == "DefaultPreemption"


@pytest.mark.parametrize("version", ALPHAS)
def test_giving_back_is_part_of_reserving(version: str) -> None:
    plugins = "{reserve: {enabled: [{name: A}]}, unreserve: {enabled: [{name: A}, {name: B}]}}"
    body = f"plugins: {plugins}" if version == "v1alpha1" else f"profiles: [{{plugins: {plugins}}}]"
    reserve = load(body, version).profiles[0].plugins["reserve"].enabled
    assert [plugin.name for plugin in reserve] == ["A", "B", "VolumeBinding"]


def test_the_autoscalers_provider_packs_nodes() -> None:
    body = "algorithmSource: {provider: ClusterAutoscalerProvider}"
    strategy = args(load(body, "v1alpha1"), "NodeResourcesFit")["scoringStrategy"]
    assert strategy["type"] == "MostAllocated"
    assert scores(resolve(body, "v1alpha1")) == PROVIDER


def test_an_unknown_provider_is_refused() -> None:
    error = refusal("algorithmSource: {provider: Best}", "v1alpha1")
    assert (error.stage, error.problem) == (
        "instantiate",
        (
            'couldn\'t create scheduler using provider "Best": '
            'algorithm provider "Best" is not registered'
        ),
    )


def test_topology_spread_has_system_defaults_only_in_place_of_selector_spread() -> None:
    body = "profiles: [{plugins: {score: {disabled: [{name: DefaultPodTopologySpread}]}}}]"
    assert args(load(version="v1alpha2"), "PodTopologySpread") == {"defaultingType": "System"}
    assert args(load(body, "v1alpha2"), "PodTopologySpread") == {"defaultingType": "List"}
    assert resolve(body, "v1alpha2").weights["score"]["PodTopologySpread"] == 1


def test_constraints_that_are_given_stay_a_list() -> None:
    constraint = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}
    body = (
        f"pluginConfig: [{{name: PodTopologySpread, args: {{defaultConstraints: [{constraint}]}}}}]"
    )
    assert args(load(body, "v1alpha1"), "PodTopologySpread") == {
        "defaultConstraints": [constraint],
        "defaultingType": "List",
    }


def test_a_ratio_of_requests_to_capacity_became_a_strategy() -> None:
    configuration = load(
        """
        profiles:
        - plugins:
            score:
              disabled: [{name: NodeResourcesLeastAllocated}]
              enabled: [{name: RequestedToCapacityRatio, weight: 4}]
          pluginConfig:
          - name: RequestedToCapacityRatio
            args:
              shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]
              resources: [{name: cpu, weight: 2}]
        """,
        "v1alpha2",
    )
    assert args(configuration, "NodeResourcesFit") == {
        "scoringStrategy": {
            "type": "RequestedToCapacityRatio",
            "resources": [{"name": "cpu", "weight": 2}],
            "requestedToCapacityRatio": {
                "shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]
            },
        }
    }
    enabled = configuration.profiles[0].plugins["score"].enabled
    assert [each.weight for each in enabled if each.name == "NodeResourcesFit"] == [4]


def test_two_strategies_at_once_cannot_be_kept() -> None:
    body = "plugins: {score: {enabled: [{name: NodeResourcesMostAllocated}]}}"
    error = refusal(body, "v1alpha1")
    assert error.problem == (
        "plugins.score: NodeResourcesLeastAllocated and NodeResourcesMostAllocated "
        "cannot both be kept"
    )


def test_a_plugin_without_a_successor_is_refused() -> None:
    error = refusal("plugins: {preFilter: {enabled: [{name: ServiceAffinity}]}}", "v1alpha1")
    assert error.problem == (
        'profiles[0].plugins.preFilter.enabled[4]: Invalid value: "ServiceAffinity": '
        f'was invalid in version "{GROUP}/v1beta2" '
        f'(KubeSchedulerConfiguration is version "{GROUP}/v1alpha1")'
    )


def test_arguments_of_the_wrong_type_are_refused() -> None:
    body = "pluginConfig: [{name: InterPodAffinity, args: {hardPodAffinityWeight: x}}]"
    assert refusal(body, "v1alpha1").problem == (
        "decoding args for plugin InterPodAffinity: json: cannot unmarshal string into "
        "Go struct field InterPodAffinityArgs.hardPodAffinityWeight of type int32"
    )


def test_v1alpha1_lets_unknown_fields_pass_and_v1alpha2_does_not() -> None:
    assert load("foo: 1", "v1alpha1") == load(version="v1alpha1")
    assert refusal("foo: 1", "v1alpha2").problem == 'strict decoding error: unknown field "foo"'


def test_the_lock_object_names_the_resource_of_leader_election() -> None:
    body = "leaderElection: {lockObjectName: a, resourceNamespace: b, resourceLock: endpoints}"
    election = load(body, "v1alpha1").leader_election
    assert (election.resource_name, election.resource_namespace) == ("a", "b")
    assert election.resource_lock == "leases"
    error = refusal("leaderElection: {lockObjectName: a, resourceName: b}", "v1alpha1")
    assert error.problem == (
        "ResourceName and LockObjectName are both set and do not match, "
        "ResourceName: b, LockObjectName: a"
    )


def test_extenders_of_v1alpha2_count_nanoseconds_and_are_lax_about_case() -> None:
    (extender,) = load(
        """
        extenders:
        - URLPrefix: http://127.0.0.1:9000
          enableHttps: true
          httpTimeout: 2000000000
          unknown: 1
          managedResources: [{Name: example.com/a, ignoredByScheduler: true}]
          tlsConfig: {serverName: x}
        """,
        "v1alpha2",
    ).extenders
    assert (extender.url_prefix, extender.enable_https) == ("http://127.0.0.1:9000", True)
    assert extender.http_timeout == "2s"
    assert extender.managed_resources[0].name == "example.com/a"
    assert extender.tls_config is not None


@pytest.mark.parametrize("timeout", ["5s", "1.5"])
def test_a_timeout_of_v1alpha2_that_is_no_whole_number_is_refused(timeout: str) -> None:
    error = refusal(f"extenders: [{{urlPrefix: a, httpTimeout: {timeout}}}]", "v1alpha2")
    assert error.problem.startswith("decoding .extenders[0]: json: cannot unmarshal")
