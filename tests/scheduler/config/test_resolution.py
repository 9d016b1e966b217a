from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.scheduler import config
from kubestage.scheduler.config.extension_points import MULTI_POINT
from tests.scheduler.config.texts import load, refusal, resolve, scores

MINE = {"Mine": ("filter", "score")}


def test_what_a_point_names_of_multi_point_goes_first_and_the_rest_last() -> None:
    configuration = load("""
        profiles:
        - plugins:
            multiPoint:
              disabled: [{name: "*"}]
              enabled:
              - {name: PrioritySort}
              - {name: DefaultBinder}
              - {name: NodeAffinity, weight: 4}
              - {name: TaintToleration}
              - {name: ImageLocality}
            score:
              enabled: [{name: Mine, weight: 7}, {name: ImageLocality, weight: 9}]
        """)
    profile = config.complete(configuration, MINE).profiles[0]
    assert scores(profile) == [
        ("ImageLocality", 9),
        ("NodeAffinity", 4),
        ("TaintToleration", 1),
        ("Mine", 7),
    ]


def test_a_point_can_disable_what_multi_point_enables() -> None:
    profile = resolve("""
        profiles:
        - plugins:
            score: {disabled: [{name: TaintToleration}, {name: ImageLocality}]}
            preScore: {disabled: [{name: "*"}], enabled: [{name: NodeAffinity}]}
        """)
    assert "TaintToleration" in profile.points["filter"]
    assert not {"TaintToleration", "ImageLocality"} & set(profile.points["score"])
    assert profile.points["preScore"] == ("NodeAffinity",)


def test_a_default_that_is_configured_anew_keeps_its_place() -> None:
    names = [name for name, _ in scores(resolve())]
    profile = resolve(
        "profiles: [{plugins: {multiPoint: {enabled: [{name: NodeAffinity, weight: 50}]}}}]"
    )
    assert [name for name, _ in scores(profile)] == names
    assert profile.weights["score"]["NodeAffinity"] == 50


def test_a_plugin_of_a_user_takes_part_where_it_can() -> None:
    body = "profiles: [{plugins: {multiPoint: {enabled: [{name: Mine, weight: 3}]}}}]"
    profile = config.complete(load(body), MINE).profiles[0]
    assert profile.points["filter"][-1] == "Mine"
    assert scores(profile)[-1] == ("Mine", 3)
    assert profile.args["Mine"] is None


def test_arguments_are_those_of_the_plugins_in_use_by_name() -> None:
    profile = resolve("profiles: [{plugins: {multiPoint: {disabled: [{name: NodeAffinity}]}}}]")
    assert "NodeAffinity" not in profile.args
    assert list(profile.args) == sorted(profile.names)
    assert profile.args["VolumeBinding"]["bindTimeoutSeconds"] == 600


@pytest.mark.parametrize(
    ("plugins", "problem"),
    [
        ("{filter: {enabled: [{name: Nope}]}}", 'FilterPlugin "Nope" does not exist'),
        ("{multiPoint: {enabled: [{name: Nope}]}}", 'PreFilterPlugin "Nope" does not exist'),
        (
            "{permit: {enabled: [{name: NodeName}]}}",
            'plugin "NodeName" does not extend PermitPlugin plugin',
        ),
        (
            "{filter: {enabled: [{name: NodeName}, {name: NodeName}]}}",
            'plugin "NodeName" already registered as "FilterPlugin"',
        ),
        (
            "{bind: {disabled: [{name: DefaultBinder}]}}",
            (
                "at least one bind plugin is needed for profile with scheduler name "
                '"default-scheduler"'
            ),
        ),
        (
            "{multiPoint: {disabled: [{name: PrioritySort}]}}",
            (
                "only one queue sort plugin required for profile with scheduler name "
                '"default-scheduler", but got 0'
            ),
        ),
        (
            "{score: {enabled: [{name: ImageLocality, weight: -1}]}}",
            "score plugins: total score of Score plugins could overflow",
        ),
    ],
)
def test_a_profile_that_cannot_be_made_is_refused(plugins: str, problem: str) -> None:
    error = refusal(f"profiles: [{{plugins: {plugins}}}]")
    about = "initializing profiles: creating profile for scheduler name default-scheduler: "
    assert (error.stage, error.problem) == ("instantiate", about + problem)


def test_a_misspelt_plugin_comes_with_the_likely_name() -> None:
    error = refusal("profiles: [{plugins: {score: {enabled: [{name: NodeResourceFit}]}}}]")
    assert error.fix == "did you mean NodeResourcesFit?"


def test_arguments_of_a_plugin_may_not_repeat() -> None:
    (profile,) = config.default().profiles
    twice = (*profile.plugin_config, profile.plugin_config[0])
    with pytest.raises(config.ConfigError, match="repeated config for plugin DefaultPreemption"):
        config.resolve(_with(profile, plugin_config=twice))


def test_node_resources_fit_needs_arguments() -> None:
    (profile,) = config.default().profiles
    problem = "want args to be of type NodeResourcesFitArgs, got <nil>"
    with pytest.raises(config.ConfigError, match=problem):
        config.resolve(_with(profile, plugin_config=()))


def _with(profile: config.SchedulerProfile, **changes: object) -> config.SchedulerProfile:
    fields = {name: getattr(profile, name) for name in profile.__struct_fields__}
    return config.SchedulerProfile(**{**fields, **changes})


NAMES = sorted(config.IN_TREE)
SETS = st.builds(
    lambda enabled, disabled: config.PluginSet(
        enabled=tuple(config.Plugin(name=name, weight=weight) for name, weight in enabled.items()),
        disabled=tuple(config.Plugin(name=name, weight=0) for name in disabled),
    ),
    st.dictionaries(st.sampled_from(NAMES), st.integers(0, 100), max_size=6),
    st.lists(st.sampled_from([*NAMES, "*"]), max_size=4),
)


@given(st.fixed_dictionaries(dict.fromkeys((*config.EXTENSION_POINTS, MULTI_POINT), SETS)))
def test_whatever_is_resolved_implements_its_point_once(
    plugins: dict[str, config.PluginSet],
) -> None:
    profile = config.SchedulerProfile(
        scheduler_name="a",
        plugins=plugins,
        plugin_config=config.default().profiles[0].plugin_config,
    )
    try:
        resolved = config.resolve(profile)
    except config.ConfigError:
        return
    for point, names in resolved.points.items():
        assert len(set(names)) == len(names)
        assert all(point in config.IN_TREE[name] for name in names)
        assert {plugin.name for plugin in plugins[point].enabled} <= set(names)
    assert all(resolved.weights["score"][name] > 0 for name in resolved.points["score"])
