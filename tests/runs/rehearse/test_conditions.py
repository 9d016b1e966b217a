"""The language of ``--fail-if``."""

from __future__ import annotations

import pytest

from kubestage import InputError
from kubestage.runs import rehearse
from kubestage.runs.rehearse import DrainOptions, DrainResult, OutageOptions, conditions
from kubestage.testing import make_pod_disruption_budget
from tests.runs.rehearse.clusters import cluster, nodes, spread

CLUSTER = (*nodes(4), spread("web", 3), make_pod_disruption_budget("web", max_unavailable=1))


@pytest.fixture(scope="module")
def drained() -> DrainResult:
    return rehearse.drain(cluster(*CLUSTER), "n1")


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("web.ready<3", True),
        ("web.ready<2", False),
        ("default/web.ready<=2", True),
        ("deployment/default/web.ready==2", True),
        ("*.ready<1", False),
        ("*.missing>0", True),
        ("web.ready<50%", False),
        ("web.ready < 70%", True),
        ("web.belowDesired>=2s", True),
        ("web.belowDesired>1m", False),
        ("web.readyAtEnd!=3", False),
        ("recovery>1s and pending>0", False),
        ("recovery>1s or pending>0", True),
        ("pending>0 || recovery>1s && notDrained=0", True),
        ("seconds>1m", False),
        ("blocked>0 or lostData>0 or unowned>0", False),
        ("warnings>=1", True),
        ("critical>0", False),
    ],
)
def test_conditions_hold_or_not(drained: DrainResult, text: str, holds: bool) -> None:
    found = conditions.parse(text, DrainResult).applied(drained)
    assert (found.condition, found.has_failed) == (text, holds)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("web.redy<2", r'"redy" is not known.*did you mean ready\?'),
        ("ready<2", r'"ready" is not known.*web\.ready'),
        ("pendings>0", r"did you mean pending\?"),
        ("web.ready", r'"web.ready" is no comparison'),
        ("web.ready<two", r'"two" is no number'),
        ("evicted>0", r'"evicted" is not known'),
        ("web.ready<2 or", r"is no comparison"),
        ("", r"is no comparison"),
    ],
)
def test_what_cannot_be_read_is_refused_before_anything_is_opened(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        rehearse.drain("no-such-file.yaml", "n1", DrainOptions(fail_if=text))


def test_a_workload_that_is_not_there_is_refused_before_anything_is_done() -> None:
    with pytest.raises(InputError, match=r'there is no workload "wep".*did you mean web\?'):
        rehearse.outage(cluster(*CLUSTER), "n1", OutageOptions(fail_if="wep.ready<1"))
