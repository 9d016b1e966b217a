"""A plugin that is disabled where it prepares itself is an error of the attempt, as upstream."""

from __future__ import annotations

import pytest

from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod
from tests.scheduler.quick import stories

CONFIGURATION = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {{{point}: {{disabled: [{{name: {plugin}}}]}}}}
"""
SCORE = (
    'running Score plugins: plugin "{0}" failed with: {1} "PreScore{0}" from cycleState: not found'
)
FILTER = 'running "{0}" filter plugin: {1} "PreFilter{0}" from cycleState: not found'


@pytest.mark.parametrize("are_used", [True, False])
@pytest.mark.parametrize(
    ("point", "plugin", "message"),
    [
        ("preScore", "InterPodAffinity", SCORE.format("InterPodAffinity", "failed to read")),
        ("preScore", "PodTopologySpread", SCORE.format("PodTopologySpread", "error reading")),
        ("preScore", "NodeResourcesBalancedAllocation", ""),
        ("preFilter", "NodeResourcesFit", FILTER.format("NodeResourcesFit", "error reading")),
        ("preFilter", "PodTopologySpread", FILTER.format("PodTopologySpread", "reading")),
        ("preFilter", "InterPodAffinity", FILTER.format("InterPodAffinity", "error reading")),
    ],
)
def test_what_it_could_not_read_is_told(
    point: str, plugin: str, message: str, are_used: bool
) -> None:
    stage = Stage()
    configuration = CONFIGURATION.format(point=point, plugin=plugin)
    scheduler = stage.add_scheduler(configuration, recording="decisions")
    stage.load([make_node("n1"), make_node("n2")])
    for number in range(3):
        stage.store.create(make_pod(f"p{number}", cpu="1"))
    with stories.compiled(are_used):
        scheduler.run_until_idle()
    result = "error" if message else "scheduled"
    assert {(row.result, row.message) for row in scheduler.record.decisions} == {(result, message)}
