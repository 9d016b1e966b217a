"""From a configuration to profiles at work."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
from typing import Any

import pytest

from kubestage.errors import InputError
from kubestage.scheduler import config, profiles, registry
from kubestage.scheduler.cache import Cache
from kubestage.scheduler.framework import SUCCESS, CycleState, NodeInfo, Status
from kubestage.scheduler.handle import Handle
from kubestage.scheduler.nominator import Nominator
from kubestage.scheduler.replay.cluster import ReplayCluster
from kubestage.scheduler.scalar import ScalarFilter

RATIO = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: packed
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: RequestedToCapacityRatio
        resources: [{name: cpu, weight: 1}]
        requestedToCapacityRatio:
          shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]
"""

GANG = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {multiPoint: {enabled: [{name: GangScheduling}]}}
"""


def _handle() -> Handle:
    cache = Cache()
    cluster = ReplayCluster([], cache)
    return Handle(cluster, cluster, Nominator(), random.Random(0), cache)


class Mine:
    """A plugin of a user."""

    name = "Mine"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        self.args = args
        self.handle = handle

    def filter_node(self, _: CycleState, __: Any, ___: NodeInfo) -> Status:
        return SUCCESS


def test_every_default_plugin_is_there_under_its_own_name() -> None:
    profile = profiles.build(config.default(), _handle())["default-scheduler"]
    points = (profile.pre_enqueue, profile.filter, profile.score, profile.bind, profile.reserve)
    names = {plugin.name for point in points for plugin in point}
    assert names <= registry.BUILT_IN.keys()


@pytest.mark.parametrize(
    "name", [name for name, each in registry.BUILT_IN.items() if each.load is not None]
)
def test_the_line_of_a_plugin_states_what_its_class_implements(name: str) -> None:
    found = registry.plugin_class(name)
    assert found.name == found.__name__ == name
    # Nothing calls the points for placements of pod groups yet: their gate is off by default.
    called = registry.BUILT_IN[name].points - {"placementGenerate", "placementScore"}
    assert called == config.points_of(found)


def test_a_configuration_is_read_without_loading_plugins() -> None:
    code = (
        "import sys\n"
        "from kubestage.scheduler import config\n"
        "config.complete(config.default())\n"
        "assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


@pytest.mark.parametrize("text", ["", RATIO], ids=["defaults", "ratio"])
def test_a_profile_with_all_its_plugins_pickles(text: str) -> None:
    configuration = config.load(text) if text else config.default()
    for name, profile in profiles.build(configuration, _handle()).items():
        copy = pickle.loads(pickle.dumps(profile))
        assert copy.name == name
        assert [each.name for each in copy.filter] == [each.name for each in profile.filter]


def test_a_plugin_of_a_user_gets_its_arguments_and_its_profile() -> None:
    text = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: custom
  plugins: {filter: {enabled: [{name: Mine}]}}
  pluginConfig: [{name: Mine, args: {limit: 3}}]
"""
    profile = profiles.build(config.load(text), _handle(), {"Mine": Mine})["custom"]
    mine = next(each.plugin for each in profile.filter if isinstance(each, ScalarFilter))
    assert mine.args == {"limit": 3}
    assert mine.handle.profile is profile


def test_a_plugin_that_is_not_there_yet_is_refused_by_name() -> None:
    with pytest.raises(InputError, match='plugin "GangScheduling" is not part of this version'):
        profiles.build(config.load(GANG), _handle())
