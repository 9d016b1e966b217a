"""Trials on copies: by a fork or by a copy, with the same result, and the stage stays as it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NoReturn

import pytest

from kubestage.objects import gvk
from kubestage.runs import rehearse
from kubestage.runs.rehearse import forks, stage_copies
from kubestage.runs.rehearse.stage_copies import Trials
from kubestage.testing import make_deployment, make_node
from tests.runs.rehearse.clusters import cluster, nodes

if TYPE_CHECKING:
    from kubestage.stage import Stage


def _grow(stage: Stage) -> tuple[int, int]:
    """Add a node; how many there are then, and which process did it."""
    stage.store.create(make_node("more"))
    return len(stage.store.read(gvk.NODE)), os.getpid()


def _fail(stage: Stage) -> NoReturn:
    raise ValueError(len(stage.store.read(gvk.NODE)))


@pytest.fixture(params=["fork", "copy"])
def is_forked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Trials on any stage work in that way."""
    is_forked = bool(request.param == "fork")
    if is_forked and not forks.is_supported():
        pytest.skip("there are no forks")
    monkeypatch.setattr(stage_copies, "is_small", lambda _: not is_forked)
    # Other tests may have left idle threads in this process.
    monkeypatch.setattr(forks, "is_possible", lambda: is_forked)
    return is_forked


def test_a_trial_leaves_the_stage_as_it_is(is_forked: bool) -> None:
    stage = cluster(*nodes(2)).stage
    trials = Trials(stage)
    for _ in range(2):
        count, process = trials.run(_grow)
        assert count == 3
        assert (process != os.getpid()) == is_forked
    assert len(stage.store.read(gvk.NODE)) == 2


@pytest.mark.usefixtures("is_forked")
def test_an_error_of_a_trial_is_raised_here() -> None:
    with pytest.raises(ValueError, match=r"^2$"):
        Trials(cluster(*nodes(2)).stage).run(_fail)


def test_growth_needs_the_same_nodes_by_forks_and_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = cluster(*nodes(2), make_deployment("web", replicas=6, cpu="600m"))
    found = []
    for is_small in (True, False):
        monkeypatch.setattr(stage_copies, "is_small", lambda _, is_small=is_small: is_small)
        found.append(rehearse.grow(opened, "all=3x").to_dict())
    assert found[0] == found[1]
    assert found[0]["enough"][0]["nodes"] > 1
