from __future__ import annotations

import pytest

from tests.scheduler.config.texts import GROUP, load, refusal, resolve, scores


def test_v1beta3_has_the_default_plugins_of_release_1_28() -> None:
    profile = resolve(version="v1beta3")
    assert scores(profile) == [
        ("TaintToleration", 3),
        ("NodeAffinity", 2),
        ("NodeResourcesFit", 1),
        ("VolumeBinding", 1),
        ("PodTopologySpread", 2),
        ("InterPodAffinity", 2),
        ("NodeResourcesBalancedAllocation", 1),
        ("ImageLocality", 1),
    ]
    assert profile.points["postFilter"] == ("DefaultPreemption",)
    assert "NodeDeclaredFeatures" not in profile.names


def test_v1beta2_has_the_default_plugins_and_weights_of_release_1_27() -> None:
    profile = resolve(version="v1beta2")
    assert scores(profile) == [
        ("NodeResourcesBalancedAllocation", 1),
        ("ImageLocality", 1),
        ("InterPodAffinity", 1),
        ("NodeResourcesFit", 1),
        ("NodeAffinity", 1),
        ("PodTopologySpread", 2),
        ("TaintToleration", 1),
    ]
    assert profile.points["filter"] == (
        "NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodePorts",
        "NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding",
        "VolumeZone", "PodTopologySpread", "InterPodAffinity",
    )  # fmt: skip
    assert profile.points["preEnqueue"] == ("SchedulingGates",)


def test_in_v1beta2_a_default_is_overridden_in_place_and_others_are_appended() -> None:
    profile = resolve(
        """
        profiles:
        - plugins:
            score:
              disabled: [{name: NodeAffinity}]
              enabled: [{name: VolumeBinding, weight: 6}, {name: ImageLocality, weight: 8}]
        """,
        "v1beta2",
    )
    assert scores(profile) == [
        ("NodeResourcesBalancedAllocation", 1),
        ("ImageLocality", 8),
        ("InterPodAffinity", 1),
        ("NodeResourcesFit", 1),
        ("PodTopologySpread", 2),
        ("TaintToleration", 1),
        ("VolumeBinding", 6),
    ]


def test_in_v1beta2_multi_point_and_pre_enqueue_had_no_effect() -> None:
    body = """
        profiles:
        - plugins:
            multiPoint: {disabled: [{name: "*"}]}
            preEnqueue: {disabled: [{name: "*"}]}
        """
    assert resolve(body, "v1beta2") == resolve(version="v1beta2")


def test_v1beta3_merges_multi_point_as_v1_does() -> None:
    profile = resolve(
        """
        profiles:
        - plugins:
            multiPoint:
              disabled: [{name: "*"}]
              enabled: [{name: PrioritySort}, {name: DefaultBinder}, {name: ImageLocality}]
        """,
        "v1beta3",
    )
    assert profile.names == ("DefaultBinder", "ImageLocality", "PrioritySort")


def test_addresses_of_v1beta2_are_accepted_and_have_no_effect() -> None:
    body = "healthzBindAddress: 0.0.0.0:10251\nmetricsBindAddress: ''\n"
    assert load(body, "v1beta2") == load(version="v1beta2")


def test_a_field_that_came_later_is_unknown() -> None:
    body = "profiles: [{percentageOfNodesToScore: 5}]"
    problem = 'strict decoding error: unknown field "profiles[0].percentageOfNodesToScore"'
    assert refusal(body, "v1beta3").problem == problem


def test_a_message_names_the_types_of_its_version() -> None:
    assert refusal("profiles: x", "v1beta3").problem == (
        "json: cannot unmarshal string into Go struct field KubeSchedulerConfiguration.profiles "
        "of type []v1beta3.KubeSchedulerProfile"
    )


def test_arguments_may_be_of_the_same_or_another_version() -> None:
    for version in ("v1beta3", "v1"):
        configuration = load(
            f"""
            profiles:
            - pluginConfig:
              - name: InterPodAffinity
                args:
                  apiVersion: {GROUP}/{version}
                  kind: InterPodAffinityArgs
                  hardPodAffinityWeight: 7
            """,
            "v1beta3",
        )
        given = configuration.profiles[0].plugin_config[0].args
        assert (given["apiVersion"], given["hardPodAffinityWeight"]) == (f"{GROUP}/v1", 7)


def test_volume_limits_of_one_cloud_are_counted_by_the_plugin_for_all() -> None:
    body = """
        profiles:
        - plugins:
            filter: {disabled: [{name: "*"}], enabled: [{name: GCEPDLimits}, {name: EBSLimits}]}
        """
    assert resolve(body, "v1beta2").points["filter"] == ("NodeVolumeLimits",)


def test_disabling_the_limits_of_one_cloud_disables_no_others() -> None:
    body = "profiles: [{plugins: {filter: {disabled: [{name: EBSLimits}]}}}]"
    assert "NodeVolumeLimits" in resolve(body, "v1beta3").points["filter"]
    body = "profiles: [{plugins: {multiPoint: {disabled: [{name: EBSLimits}]}}}]"
    assert "NodeVolumeLimits" in resolve(body, "v1beta3").points["filter"]


def test_spreading_by_selector_adds_to_the_weight_of_topology_spread() -> None:
    body = """
        profiles:
        - plugins:
            preScore: {enabled: [{name: SelectorSpread}]}
            score: {enabled: [{name: SelectorSpread, weight: 3}]}
        """
    assert resolve(body, "v1beta2").weights["score"]["PodTopologySpread"] == 5


@pytest.mark.parametrize("plugin", ["NodeLabel", "NodeResourcesMostAllocated"])
def test_a_plugin_that_the_version_did_not_have_is_refused(plugin: str) -> None:
    body = f"""
        profiles:
        - plugins: {{score: {{disabled: [{{name: "*"}}], enabled: [{{name: {plugin}}}]}}}}
          pluginConfig: [{{name: {plugin}}}]
        """
    detail = (
        f'Invalid value: "{plugin}": was invalid in version "{GROUP}/v1beta2" '
        f'(KubeSchedulerConfiguration is version "{GROUP}/v1beta3")'
    )
    error = refusal(body, "v1beta3")
    assert error.stage == "validate"
    assert error.errors == (
        f"profiles[0].plugins.score.enabled[0]: {detail}",
        f"profiles[0].pluginConfig[0]: {detail}",
    )
