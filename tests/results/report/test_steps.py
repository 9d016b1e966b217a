"""What happened in each step, told once."""

from __future__ import annotations

from kubestage.results import analysis
from kubestage.results.report import steps
from kubestage.results.report.rows import PageTexts
from kubestage.scenario.resource import SCENARIO
from kubestage.testing import make_node, make_pod
from tests.scenario import building
from tests.scenario.building import POD, create, delete, done


def test_a_victim_is_preempted_and_not_deleted_as_well() -> None:
    """The timeline has a Delete beside PodPreempted; tables and pages count the pod once."""
    stage = building.run(
        building.importance(),
        create(make_node("n1", cpu="2")),
        create(make_pod("low", cpu="2")),
        create(make_pod("other", cpu="9")),
        create(building.important("boss", cpu="2"), 1),
        delete(POD, "other", 1),
        done(2),
    )
    scenario = stage.store.get(SCENARIO, building.NAME)
    deletes = [each for each in building.summary(stage) if each[1] == "Delete"]
    assert deletes == [(1, "Delete", "other"), (1, "Delete", "low")]
    summary = analysis.summary(scenario)
    assert (summary.preempted, summary.deleted) == (1, 1)
    table = analysis.table(scenario, "pods")
    assert dict(zip(table.column("pod"), table.column("deletedAt"), strict=True)) == {
        "default/boss": None,
        "default/low": None,
        "default/other": 1,
    }
    told = steps.happened(scenario, PageTexts())
    assert [len(told[1][sort]) for sort in ("deleted", "preempted")] == [1, 1]
