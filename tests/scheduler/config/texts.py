"""Configurations as people write them, for the tests of this folder."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from kubestage.scheduler import config

GROUP = "kubescheduler.config.k8s.io"


def text(body: str = "", version: str = "v1") -> str:
    """A configuration file whose fields are those of `body`."""
    head = f"apiVersion: {GROUP}/{version}\nkind: KubeSchedulerConfiguration\n"
    return head + textwrap.dedent(body)


def load(body: str = "", version: str = "v1", **options: Any) -> config.SchedulerConfiguration:
    """The configuration with those fields."""
    return config.load(text(body, version), **options)


def resolve(body: str = "", version: str = "v1", **options: Any) -> config.ProfilePlugins:
    """The plugins of the first profile of the configuration with those fields."""
    return config.complete(load(body, version, **options)).profiles[0]


def refusal(body: str = "", version: str = "v1", **options: Any) -> config.ConfigError:
    """Why the configuration with those fields is refused."""
    with pytest.raises(config.ConfigError) as caught:
        config.complete(load(body, version, **options))
    return caught.value


def args(configuration: config.SchedulerConfiguration, plugin: str, profile: int = 0) -> Any:
    """A plugin's arguments, without apiVersion and kind."""
    for each in configuration.profiles[profile].plugin_config:
        if each.name == plugin:
            kept = dict(each.args)
            kept.pop("apiVersion")
            kept.pop("kind")
            return kept
    raise KeyError(plugin)


def scores(profile: config.ProfilePlugins) -> list[tuple[str, int]]:
    """The plugins that score, in order, with their weights."""
    return [(name, profile.weights["score"][name]) for name in profile.points["score"]]
