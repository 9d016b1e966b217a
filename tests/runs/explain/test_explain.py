"""A pod of a kept run is explained by a function, with a result for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage import InputError, explain
from kubestage.runs.explain import ExplainOptions, Explanation
from kubestage.testing import make_node, make_pod
from tests.cli import scenarios

if TYPE_CHECKING:
    import pathlib

    from tests.cli.terminal import Terminal


@pytest.fixture
def run(terminal: Terminal) -> str:
    """A run in which a pod waits for a second node."""
    del terminal
    small, large = make_node("small", cpu="1"), make_node("large", cpu="8")
    scenarios.keep(
        scenarios.scenario([small, make_pod("web", cpu="4")], [large, make_pod("late", cpu="1")])
    )
    return "kept"


def test_every_attempt_is_a_row(run: str) -> None:
    explained = explain(run, "web")
    assert isinstance(explained, Explanation)
    assert explained.headline() == "default/web: Scheduled on large"
    assert explained.table().column("result")[::2] == ["unschedulable", "scheduled"]
    assert explained.table().column("node")[-1] == "large"
    assert "<table>" in explained._repr_html_()
    assert (explained.notes, explained.differs) == ((), None)


def test_all_verdicts_and_scores_are_data(run: str) -> None:
    found = explain(run, "default/web").to_dict()
    assert isinstance(found, dict)
    assert [each["attempt"] for each in found["attempts"]] == [1, 2, 3]
    assert all(each["explanation"] for each in found["attempts"])


def test_one_attempt_can_be_chosen(run: str) -> None:
    explained = explain(run, "web", ExplainOptions(attempt=2))
    assert explained.table().column("attempt") == [2]
    with pytest.raises(InputError, match="there is no attempt 4 at default/web"):
        explain(run, "web", ExplainOptions(attempt=4))


def test_scores_are_drawn_if_there_are_any(run: str) -> None:
    drawn = explain(run, "late").chart().to_dict()
    assert drawn["title"]["text"] == "Scores of nodes for default/late"
    (rows,) = drawn["datasets"].values()
    assert {row["node"] for row in rows} == {"small", "large"}
    with pytest.raises(InputError, match="nothing was scored for default/web"):
        explain(run, "web").chart()


def test_the_report_of_a_load_is_told_apart_from_a_run(tmp_path: pathlib.Path) -> None:
    (tmp_path / "load.sqlite").touch()
    (tmp_path / "generatedConfig_web.yaml").write_text("name: web")
    with pytest.raises(InputError, match="is the report of a load, which has no pods"):
        explain(tmp_path, "web")
