"""Whether manifests would be placed now, where, and at whose expense."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.objects import yaml_text
from kubestage.runs import rehearse
from kubestage.testing import make_deployment, make_node, make_pod, make_priority_class
from tests.runs.rehearse.clusters import cluster, nodes, spread

if TYPE_CHECKING:
    import pathlib


@pytest.fixture
def file(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "app.yaml"


def test_a_pod_that_fits_has_its_node(file: pathlib.Path) -> None:
    file.write_text(yaml_text.dump(make_pod("app", cpu="500m")))
    result = rehearse.fit(cluster(*nodes(2), spread("web", 1)), file)
    assert result.fits
    assert [(each.pod, each.node) for each in result.pods] == [("default/app", "n2")]
    assert result.answer == f"{file} fits: 1 pod would be placed now."


def test_a_pod_that_does_not_fit_says_why_and_what_would_help(file: pathlib.Path) -> None:
    file.write_text(yaml_text.dump(make_deployment("app", replicas=2, cpu="900m")))
    result = rehearse.fit(cluster(make_node("a", cpu="1"), spread("web", 1)), file)
    assert (result.fits, result.missing) == (False, 2)
    assert result.answer == f"{file} does not fit: 2 of 2 pods would have no node."
    assert all("Insufficient cpu" in each.reason for each in result.pods)
    (advice,) = result.advice
    assert not advice.fits
    assert any(each.kind == "lower-request" for each in advice.changes)


def test_pods_that_would_be_preempted_are_named(file: pathlib.Path) -> None:
    urgent = make_pod("urgent", cpu="900m", priority_class_name="high")
    file.write_text(yaml_text.dump(urgent))
    made = cluster(make_priority_class("high", 1000), make_node("a", cpu="1"), spread("web", 1))
    result = rehearse.fit(made, file)
    assert result.fits
    assert len(result.preempted) == 1
    assert result.preempted[0].startswith("default/web-")
    assert "at the expense of 1 pod" in result.answer
    assert [each.pod for each in result.pods] == ["default/urgent"]
    # The one that had to go has no other place.
    assert result.findings[0].subject == "deployment/default/web"
