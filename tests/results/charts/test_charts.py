"""Every chart can be drawn of any run, says what it shows, and stays small."""

from __future__ import annotations

import html
import json
import random
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.results import charts
from kubestage.results.charts import style, thinning
from tests.results.analysis.stories import Story, rivalry

if TYPE_CHECKING:
    import pathlib

NAMES = [
    "allocation",
    "node-utilization",
    "balance",
    "fragmentation",
    "pending",
    "placements",
    "preemptions",
    "attempts",
]
PNG = b"\x89PNG\r\n\x1a\n"


def _one() -> Story:
    return Story().step(1).node("only", cpu="4").pod("web", cpu="1").bind("web", "only")


def _crowd(nodes: int, steps: int, pods: int = 3) -> Story:
    chance, story = random.Random(7), Story().step(1)
    for number in range(nodes):
        story.node(f"n{number:04d}", cpu="8", memory="32Gi")
    for step in range(1, steps + 1):
        story.step(step)
        for number in range(pods):
            name = f"p{step}-{number}"
            cpu = chance.choice(("500m", "1", "2"))
            story.pod(name, cpu=cpu, memory="1Gi").bind(name, f"n{chance.randrange(nodes):04d}")
    return story


STORIES = {
    "nothing": Story(detail=False).step(0),
    "one node, one step": _one(),
    "a few": rivalry(),
    "many nodes": _crowd(100, 3),
    "many steps": _crowd(3, 300, pods=1),
}


def _values(chart: Any) -> list[dict[str, Any]]:
    spec = chart.to_dict()
    data: list[dict[str, Any]] = []
    for values in [spec.get("data", {}).get("values"), *spec.get("datasets", {}).values()]:
        data += values or []
    return data


def _title(chart: Any) -> tuple[str, str]:
    title = chart.to_dict()["title"]
    return title["text"], title.get("subtitle", "")


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_every_chart_of_every_run_can_be_drawn(story: Story, tmp_path: pathlib.Path) -> None:
    drawn = charts.all(story.status())
    assert list(drawn) == [name for name in NAMES if name != "attempts" or "attempts" in drawn]
    for name, chart in drawn.items():
        charts.save(chart, tmp_path / f"{name}.svg")
        title, subtitle = _title(chart)
        text = (tmp_path / f"{name}.svg").read_text()
        assert title in text
        assert html.escape(subtitle, quote=False) in text


def test_attempts_are_drawn_if_they_were_recorded() -> None:
    assert list(charts.all(rivalry().status())) == NAMES
    unrecorded = Story(detail=False).step(1).node("a").pod("web").bind("web", "a")
    assert "attempts" not in charts.all(unrecorded.status())


def test_a_page_needs_nothing_from_elsewhere(tmp_path: pathlib.Path) -> None:
    page = tmp_path / "allocation.html"
    charts.save(charts.draw(rivalry().status(), "allocation"), page)
    text = page.read_text()
    assert "<title>What pods request of the whole cluster</title>" in text
    assert "<script src" not in text
    assert "cdn." not in text


def test_png_is_a_picture_that_is_sharp_enough_for_a_page(tmp_path: pathlib.Path) -> None:
    charts.save(charts.draw(rivalry().status(), "pending"), tmp_path / "pending.png")
    data = (tmp_path / "pending.png").read_bytes()
    assert data.startswith(PNG)
    assert int.from_bytes(data[16:20]) > 2 * style.WIDTH


def test_another_ending_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(InputError, match=r'not written as "\.gif"'):
        charts.save(charts.draw(rivalry().status(), "pending"), tmp_path / "pending.gif")


@pytest.mark.parametrize("library", ["altair", "vl_convert"])
def test_without_what_draws_the_extra_is_named(library: str) -> None:
    program = textwrap.dedent(
        f"""
        import sys
        sys.modules[{library!r}] = None
        from kubestage.errors import InputError
        from kubestage.results import charts
        try:
            charts.all({{}})
        except InputError as error:
            print(error)
        """
    )
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert told == (
        f"charts need {library}, which is not installed (pip install 'kubestage[charts]')\n"
    )


def test_a_name_that_is_no_chart_is_an_attribute_error() -> None:
    assert not hasattr(charts, "temperature")


def test_charts_hold_aggregates_and_not_every_node() -> None:
    drawn = charts.all(_crowd(1000, 20).status())
    sizes = {name: len(_values(chart)) for name, chart in drawn.items()}
    assert max(sizes.values()) < 5000
    spec = json.dumps(drawn["node-utilization"].to_dict())
    assert "n0500" not in spec


def test_few_nodes_are_named_and_many_are_counted() -> None:
    few = _values(charts.draw(_crowd(40, 2).status(), "node-utilization"))
    assert {row["node"] for row in few} == {f"n{number:04d}" for number in range(40)}
    many = _values(charts.draw(_crowd(41, 2).status(), "node-utilization"))
    for step in (1, 2):
        for resource in ("cpu", "memory", "pods"):
            cells = [row for row in many if (row["step"], row["resource"]) == (step, resource)]
            assert sum(row["nodes"] for row in cells) == 41


def test_a_full_node_is_counted_below_the_line_and_not_above() -> None:
    story = Story().step(1)
    for number in range(50):
        story.node(f"n{number}", cpu="1").pod(f"p{number}", cpu="1").bind(
            f"p{number}", f"n{number}"
        )
    cells = [
        row
        for row in _values(charts.draw(story.status(), "node-utilization"))
        if row["resource"] == "cpu"
    ]
    assert [(round(row["from"], 2), round(row["to"], 2), row["nodes"]) for row in cells] == [
        (0.95, 1.0, 50)
    ]


def test_subtitles_say_what_came_of_it() -> None:
    status = rivalry().status()
    assert (
        _title(charts.draw(status, "allocation"))[1]
        == "At the end: cpu 87.5%, memory 75%, pods 1.4%"
    )
    assert _title(charts.draw(status, "pending"))[1] == "At the end 1 pod could not be scheduled"
    assert _title(charts.draw(status, "placements"))[1] == "3 pods on 2 nodes, none of them empty"
    assert _title(charts.draw(status, "preemptions"))[1] == "1 pod, in 1 of 3 steps"
    assert _title(charts.draw(status, "attempts"))[1] == "6 attempts at 5 pods"
    assert _title(charts.draw(_one().status(), "preemptions"))[1] == "No pod was preempted"


def test_many_steps_become_fewer_and_nothing_is_lost() -> None:
    story = _crowd(2, 300, pods=2)
    rows = _values(charts.draw(story.status(), "attempts"))
    assert len({row["step"] for row in rows}) <= thinning.MOST
    assert sum(row["attempts"] for row in rows) == 600
    assert "each bar is 3 steps" in _title(charts.draw(story.status(), "attempts"))[1]
    levels = _values(charts.draw(story.status(), "allocation"))
    assert max(row["step"] for row in levels) == 300


@pytest.mark.parametrize("count", [0, 1, 119, 120, 121, 241, 1000])
def test_groups_of_steps_are_few_and_end_with_the_last(count: int) -> None:
    steps = list(range(5, 5 + 3 * count, 3))
    groups = thinning.last_of_each_group(steps)
    assert list(groups) == steps
    assert len(set(groups.values())) <= thinning.MOST
    assert all(groups[step] >= step for step in steps)
    assert not steps or groups[steps[-1]] == steps[-1]
    if count <= thinning.MOST:
        assert all(groups[step] == step for step in steps)


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 0, [0]),
        (0, 1, [0, 1]),
        (1, 3, [1, 2, 3]),
        (1, 20, [2, 4, 6, 8, 10, 12, 14, 16, 18, 20]),
        (0, 657, [0, 100, 200, 300, 400, 500, 600]),
        (7, 7, [7]),
    ],
)
def test_ticks_are_round_and_whole(low: int, high: int, ticks: list[int]) -> None:
    assert style.whole_ticks(low, high) == ticks


def test_a_resource_has_one_colour_in_all_charts() -> None:
    status = rivalry().status()
    scales = [
        json.dumps(charts.draw(status, "allocation").to_dict()["encoding"]["color"]["scale"]),
        json.dumps(charts.draw(status, "fragmentation").to_dict()["encoding"]["color"]["scale"]),
    ]
    assert scales[0] == scales[1]
    assert style.BLUE in scales[0]
