"""All rehearsals on one cluster: what is told once, and the report with the runs of each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kubestage.results.report import drawings, survey_page
from kubestage.runs import rehearse
from kubestage.runs.rehearse import SurveyOptions, saving
from kubestage.testing import make_deployment, make_node, make_pod_disruption_budget
from tests.runs.rehearse.clusters import cluster, nodes, spread

if TYPE_CHECKING:
    import pathlib

    import pytest

    from kubestage.runs.rehearse import Cluster


def _blocked(number: int) -> Cluster:
    """Nodes of which each has a pod that a budget never lets go."""
    budget = make_pod_disruption_budget("web", max_unavailable=0)
    return cluster(*nodes(number, cpu="4"), spread("web", number, labels={"app": "web"}), budget)


def _zoned() -> Cluster:
    placed = [make_node(f"n{zone}", cpu="2", zone=zone) for zone in "abc"]
    return cluster(*placed, make_deployment("web", replicas=3, cpu="600m"))


def test_a_finding_of_several_rehearsals_is_told_once_where_it_was_longest() -> None:
    result = rehearse.survey(_zoned())
    below = [each for each in result.findings if each.rehearsal.startswith("outage")]
    assert [each.subject for each in below] == ["deployment/default/web"]
    assert below[0].text.endswith("; also in 3 other outages, for no longer")
    seconds = {
        f"outage {each.subject}": each.effects.workloads[0].below_desired_seconds
        for each in result.results
        if each.rehearsal == "outage"
    }
    assert seconds[below[0].rehearsal] == max(seconds.values())


def test_growths_are_not_told_as_one_as_their_numbers_differ() -> None:
    result = rehearse.survey(_zoned())
    growths = [each for each in result.findings if each.subject.startswith("nodes like")]
    assert len({each.rehearsal for each in growths}) == len(growths)


def test_a_cluster_without_workloads_has_no_growth() -> None:
    result = rehearse.survey(cluster(*nodes(1)))
    assert [each.rehearsal for each in result.results] == ["drain", "outage", "upgrade"]
    assert result.answer == "3 rehearsals: nothing went wrong."


def test_the_report_has_a_part_for_each_rehearsal_and_charts_of_notable_ones(
    tmp_path: pathlib.Path,
) -> None:
    result = rehearse.survey(_zoned(), SurveyOptions(drains=1))
    saving.save(result, str(tmp_path / "kept"))
    page = (tmp_path / "kept" / "report.html").read_text()
    titles = re.findall(r"<h2>(.*?)</h2>", page)
    assert titles == ["Findings", "Rehearsals", "Drains", "Outages", "Upgrade", "Growth"]
    anchors = re.findall(r'<article id="(rehearsal-\d+)"', page)
    assert len(anchors) == len(result.results)
    links = set(re.findall(r'href="#(rehearsal-\d+)"', page))
    assert links == set(anchors)
    for number, each in enumerate(result.results, 1):
        part = page.partition(f'<article id="rehearsal-{number}"')[2].partition("</article>")[0]
        assert each.answer in part
        assert ("<svg" in part) == (each.rehearsal != "drain" or each.severity != "info")
    identities = re.findall(r'\bid="([^"]+)"', page)
    assert len(identities) == len(set(identities))


def test_charts_of_a_few_drains_are_enough(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawings, "drawn", lambda _: [])
    result = rehearse.survey(_zoned())
    assert sum(each.rehearsal == "drain" for each in result.results) == 3
    monkeypatch.setitem(survey_page.MOST_CHARTED, "drain", 2)
    saving.save(result, str(tmp_path / "kept"))
    page = (tmp_path / "kept" / "report.html").read_text()
    assert "Charts are drawn of the 2 rehearsals with the worst findings, of 3" in page


def test_nodes_that_are_not_drained_for_one_reason_are_told_once() -> None:
    result = rehearse.survey(_blocked(4))
    found = [each for each in result.findings if "not drained" in each.text]
    drains = [each for each in found if each.rehearsal.startswith("drain")]
    assert [each.subject for each in drains] == ["node/n1, node/n2, node/n3 and 1 more"]
    assert drains[0].text.startswith("were not drained: nothing changed for 15m")
