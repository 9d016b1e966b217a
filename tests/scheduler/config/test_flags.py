from __future__ import annotations

import pytest

from kubestage.scheduler import config
from tests.scheduler.config.texts import args


def test_without_flags_the_configuration_is_the_default() -> None:
    assert config.from_flags() == config.default()
    assert config.from_flags("", "", None) == config.default()
    assert config.from_flags(algorithm_provider="DefaultProvider") == config.default()


def test_the_scheduler_name_becomes_that_of_the_one_profile() -> None:
    (profile,) = config.from_flags(scheduler_name="mine").profiles
    assert profile.scheduler_name == "mine"


def test_the_autoscalers_provider_packs_nodes() -> None:
    configuration = config.from_flags(algorithm_provider="ClusterAutoscalerProvider")
    strategy = args(configuration, "NodeResourcesFit")["scoringStrategy"]
    assert strategy["type"] == "MostAllocated"
    assert config.complete(configuration).profiles[0].points == (
        config.complete(config.default()).profiles[0].points
    )


def test_the_weight_of_hard_affinity_becomes_an_argument() -> None:
    configuration = config.from_flags(hard_pod_affinity_symmetric_weight=0)
    assert args(configuration, "InterPodAffinity")["hardPodAffinityWeight"] == 0


def test_a_weight_out_of_range_is_refused() -> None:
    problem = "hardPodAffinitySymmetricWeight: Invalid value: 101: not in valid range [0-100]"
    with pytest.raises(config.ConfigError) as caught:
        config.from_flags(hard_pod_affinity_symmetric_weight=101)
    assert (caught.value.stage, caught.value.problem) == ("validate", problem)


def test_an_unknown_provider_is_refused() -> None:
    with pytest.raises(config.ConfigError) as caught:
        config.from_flags(algorithm_provider="Best")
    assert caught.value.problem == (
        'couldn\'t create scheduler using provider "Best": '
        'algorithm provider "Best" is not registered'
    )
    assert caught.value.fix == "use one of ClusterAutoscalerProvider, DefaultProvider"
