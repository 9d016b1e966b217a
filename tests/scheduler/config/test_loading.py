from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.scheduler import config
from tests.golden import vectors
from tests.scheduler.config.texts import GROUP, load, text

VERSIONS = ("v1", "v1beta3", "v1beta2", "v1alpha2", "v1alpha1")
PLUGINS = ("NodeResourcesFit", "PodTopologySpread", "SelectorSpread", "EBSLimits", "Mine", "*")

_plugins = st.fixed_dictionaries(
    {"name": st.sampled_from(PLUGINS)}, optional={"weight": st.integers(0, 9)}
)
_sets = st.fixed_dictionaries(
    {},
    optional={
        "enabled": st.lists(_plugins, max_size=2, unique_by=lambda each: each["name"]),
        "disabled": st.lists(_plugins, max_size=2),
    },
)
_profiles = st.fixed_dictionaries(
    {},
    optional={
        "plugins": st.dictionaries(st.sampled_from(["filter", "score", "preScore"]), _sets),
        "pluginConfig": st.lists(
            st.fixed_dictionaries(
                {"name": st.sampled_from(PLUGINS)}, optional={"args": st.sampled_from([None, {}])}
            ),
            max_size=2,
        ),
    },
)
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
    max_leaves=4,
)


@given(st.sampled_from(VERSIONS), st.lists(_profiles, max_size=2))
def test_a_configuration_written_as_v1_means_the_same(
    version: str, profiles: list[dict[str, Any]]
) -> None:
    body = json.dumps([{"schedulerName": f"s{i}", **each} for i, each in enumerate(profiles)])
    try:
        configuration = load(f"profiles: {body}", version)
    except config.ConfigError:
        return
    assert config.from_dict(configuration.to_dict()) == configuration


@given(
    st.sampled_from(VERSIONS),
    st.sampled_from(
        ["profiles", "extenders", "leaderElection", "plugins", "algorithmSource", "pluginConfig"]
    ),
    _json,
)
def test_any_value_is_taken_or_refused_as_a_configuration(
    version: str, field: str, value: Any
) -> None:
    head = {"apiVersion": f"{GROUP}/{version}", "kind": "KubeSchedulerConfiguration"}
    with contextlib.suppress(config.ConfigError):
        config.complete(config.load(json.dumps({**head, field: value})))


@pytest.mark.parametrize("version", ["v1beta3", "v1beta2"])
def test_recorded_configurations_mean_the_same_written_as_v1(version: str) -> None:
    for entry in vectors.load("schedulerconfig", "load"):
        older = entry["in"]["yaml"].replace(f"{GROUP}/v1\n", f"{GROUP}/{version}\n")
        try:
            configuration = config.load(older)
        except config.ConfigError:
            continue
        assert config.from_dict(configuration.to_dict()) == configuration


def test_older_versions_are_refused_on_demand_as_kube_scheduler_refuses_them() -> None:
    with pytest.raises(config.ConfigError) as caught:
        config.load(text(version="v1beta3"), older=False)
    assert caught.value.problem == (
        f'no kind "KubeSchedulerConfiguration" is registered for version "{GROUP}/v1beta3" '
        'in scheme "pkg/scheduler/apis/config/scheme/scheme.go:29"'
    )


def test_to_dict_shares_nothing_with_the_configuration() -> None:
    configuration = config.default()
    configuration.to_dict()["profiles"][0]["plugins"]["filter"]["enabled"] = []
    assert configuration == config.default()
