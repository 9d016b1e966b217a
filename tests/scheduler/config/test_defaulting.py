from __future__ import annotations

import pytest

from kubestage.scheduler import config
from tests.scheduler.config.texts import args, load


def test_only_a_single_profile_gets_a_name_by_itself() -> None:
    assert load("profiles: [{}]").profiles[0].scheduler_name == "default-scheduler"
    with pytest.raises(config.ConfigError, match=r"profiles\[1\].schedulerName: Required value"):
        load("profiles: [{schedulerName: a}, {}]")


def test_contention_profiling_follows_profiling_unless_said_otherwise() -> None:
    assert load("enableProfiling: false").enable_contention_profiling is False
    assert load("enableContentionProfiling: false").enable_contention_profiling is False
    assert load().enable_contention_profiling is True


def test_a_duration_has_one_spelling() -> None:
    configuration = load("leaderElection: {leaseDuration: 90s, renewDeadline: 1m}")
    assert configuration.leader_election.lease_duration == "1m30s"
    assert configuration.leader_election.renew_deadline == "1m0s"


def test_a_resource_without_a_weight_has_weight_one() -> None:
    configuration = load("""
        profiles:
        - pluginConfig:
          - name: NodeResourcesFit
            args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu}]}}
        """)
    assert args(configuration, "NodeResourcesFit") == {
        "scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 1}]}
    }


def test_every_enabled_plugin_with_arguments_gets_its_defaults() -> None:
    assert args(load(), "InterPodAffinity") == {
        "hardPodAffinityWeight": 1,
        "ignorePreferredTermsOfExistingPods": False,
    }
    assert args(load(), "PodTopologySpread") == {"defaultingType": "System"}
    without = load("profiles: [{plugins: {multiPoint: {disabled: [{name: PodTopologySpread}]}}}]")
    assert all(each.name != "PodTopologySpread" for each in without.profiles[0].plugin_config)


def test_added_affinity_takes_the_shape_of_the_api() -> None:
    configuration = load("""
        profiles:
        - pluginConfig:
          - name: NodeAffinity
            args:
              addedAffinity:
                requiredDuringSchedulingIgnoredDuringExecution:
                  nodeSelectorTerms:
                  - matchFields: null
                    matchExpressions: [{key: zone, operator: In, values: [a]}]
        """)
    terms = [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]
    assert args(configuration, "NodeAffinity") == {
        "addedAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}
        }
    }


def test_arguments_of_a_plugin_of_your_own_stay_as_written() -> None:
    configuration = load("""
        profiles:
        - pluginConfig:
          - name: Mine
            args: {deep: [{x: 1.5}], on: true, none: null}
        """)
    given = configuration.profiles[0].plugin_config[0]
    assert (given.name, given.args) == ("Mine", {"deep": [{"x": 1.5}], "true": True, "none": None})


def test_extenders_keep_what_they_say() -> None:
    (extender,) = load("""
        extenders:
        - urlPrefix: https://127.0.0.1:8443/scheduler
          prioritizeVerb: rank
          weight: 3
          enableHTTPS: true
          httpTimeout: 1500ms
          tlsConfig: {serverName: extender, caData: aGVsbG8=}
          managedResources: [{name: example.com/gpu}]
        """).extenders
    assert (extender.enable_https, extender.weight, extender.http_timeout_ns) == (
        True,
        3,
        1_500_000_000,
    )
    assert extender.tls_config is not None
    assert extender.tls_config.ca_data == "aGVsbG8="
    assert extender.managed_resources[0].ignored_by_scheduler is False


def test_a_profile_is_found_by_its_name() -> None:
    configuration = load("profiles: [{schedulerName: a}, {schedulerName: b}]")
    assert configuration.profile("b") is configuration.profiles[1]
    assert configuration.profile("c") is None
