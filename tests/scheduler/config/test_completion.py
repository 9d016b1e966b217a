from __future__ import annotations

import pytest

from kubestage.scheduler import config
from tests.scheduler.config.texts import args, load, refusal

GPU = """
    extenders:
    - urlPrefix: http://127.0.0.1:9000
      filterVerb: filter
      managedResources: [{name: example.com/gpu, ignoredByScheduler: true}]
    """


def test_an_extender_without_a_timeout_waits_five_seconds() -> None:
    configuration = load(GPU)
    assert configuration.extenders[0].http_timeout == "0s"
    assert config.complete(configuration).configuration.extenders[0].http_timeout == "5s"


def test_node_resources_fit_leaves_to_an_extender_what_is_its_own() -> None:
    completed = config.complete(load(GPU))
    assert args(completed.configuration, "NodeResourcesFit")["ignoredResources"] == [
        "example.com/gpu"
    ]
    assert completed.profiles[0].args["NodeResourcesFit"]["ignoredResources"] == ["example.com/gpu"]


def test_completing_leaves_the_configuration_as_it_was() -> None:
    configuration = load(GPU)
    before = configuration.to_dict()
    config.complete(configuration)
    assert configuration.to_dict() == before


def test_extenders_need_node_resources_fit_to_leave_a_resource_to_them() -> None:
    body = "profiles: [{plugins: {multiPoint: {disabled: [{name: NodeResourcesFit}]}}}]"
    problem = "couldn't build extenders: can't find NodeResourcesFitArgs in plugin config"
    assert refusal(f"{body}{GPU.replace(chr(10) + '    ', chr(10))}").problem == problem


def test_an_extender_is_either_trusted_blindly_or_by_a_root() -> None:
    error = refusal("extenders: [{urlPrefix: a, tlsConfig: {insecure: true, caFile: /ca.pem}}]")
    assert (error.stage, error.problem) == (
        "instantiate",
        (
            "couldn't build extenders: "
            "specifying a root certificates file with the insecure flag is not allowed"
        ),
    )


def test_a_plugin_of_a_user_may_not_take_a_name_in_use() -> None:
    with pytest.raises(config.ConfigError, match="a plugin named NodeName already exists"):
        config.complete(config.default(), {"NodeName": ("filter",)})


def test_all_profiles_must_sort_the_queue_by_one_plugin() -> None:
    configuration = load("""
        profiles:
        - schedulerName: a
          plugins:
            multiPoint: {disabled: [{name: PrioritySort}], enabled: [{name: First}]}
        - schedulerName: b
          plugins:
            multiPoint: {disabled: [{name: PrioritySort}], enabled: [{name: Second}]}
        """)
    problem = 'different queue sort plugins for profile "b": "Second", first: "First"'
    sorters = {"First": ("queueSort",), "Second": ("queueSort",)}
    with pytest.raises(config.ConfigError, match=problem):
        config.complete(configuration, sorters)


def test_all_profiles_must_give_the_queue_sort_plugin_the_same_arguments() -> None:
    configuration = load("""
        profiles:
        - schedulerName: a
          plugins: {multiPoint: {disabled: [{name: PrioritySort}], enabled: [{name: Mine}]}}
          pluginConfig: [{name: Mine, args: {by: age}}]
        - schedulerName: b
          plugins: {multiPoint: {disabled: [{name: PrioritySort}], enabled: [{name: Mine}]}}
        """)
    with pytest.raises(
        config.ConfigError, match='different queue sort plugin args for profile "b"'
    ):
        config.complete(configuration, {"Mine": ("queueSort",)})


def test_what_is_written_names_the_arguments_in_use_by_name() -> None:
    completed = config.complete(
        load("profiles: [{pluginConfig: [{name: VolumeBinding}, {name: Unused, args: {a: 1}}]}]")
    )
    names = [each.name for each in completed.configuration.profiles[0].plugin_config]
    assert names == sorted(names)
    assert "Unused" not in names
