"""``kubestage compare --nodepools``: tables, verdicts and documents."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from tests.controllers.karpenter.lifecycle.stages import catalog, make_web
from tests.objects.kinds.karpenter_samples import stage_node_class
from tests.runs.compare.test_node_pools import pool

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal


@pytest.fixture(autouse=True)
def _files(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    del terminal
    monkeypatch.setenv("COLUMNS", "120")
    files = {
        "cluster": [catalog(), stage_node_class(), make_web(6, cpu="1200m")],
        "small": [pool("small")],
        "large": [pool("large")],
    }
    for name, objects in files.items():
        pathlib.Path(f"{name}.yaml").write_text("\n---\n".join(map(json.dumps, objects)))


COMMAND = (
    "compare", "cluster.yaml", "--nodepools", "large.yaml", "--nodepools", "small.yaml",
    "--for", "10m",
)  # fmt: skip


def test_figures_are_side_by_side_and_the_first_node_that_differs_is_named(
    terminal: Terminal,
) -> None:
    done = terminal.run(*COMMAND)
    assert (done.code, done.err) == (0, "")
    rows = {line[:20].strip(): line[20:].split() for line in done.out.splitlines()}
    assert rows["nodes added"][:2] == ["1", "*"]
    assert "cpu allocated" in rows
    assert "The first node that differs:" in done.out
    assert "large (on-demand) at $0.40 per hour of default comes: for 6 pods" in done.out


def test_what_differs_by_less_than_is_shown_is_the_same(terminal: Terminal) -> None:
    # On spot everything costs a third of what it does on demand, and the share that is idle is one.
    share = catalog(spotPriceShare=0.333333)
    both = pool("small")
    for name, types in (("dear", "on-demand"), ("cheap", "spot")):
        made = json.loads(json.dumps(both))
        made["metadata"]["name"] = "default"
        wanted = {"key": "karpenter.sh/capacity-type", "operator": "In", "values": [types]}
        made["spec"]["template"]["spec"]["requirements"].append(wanted)
        pathlib.Path(f"{name}.yaml").write_text(json.dumps(made))
    web = make_web(6, cpu="1200m")
    pathlib.Path("cluster.yaml").write_text(
        "\n---\n".join(map(json.dumps, [share, stage_node_class(), web]))
    )
    pools = ("--nodepools", "dear.yaml", "--nodepools", "cheap.yaml")
    done = terminal.run("compare", "cluster.yaml", *pools, "--for", "7m")
    (shares,) = [line for line in done.out.splitlines() if line.startswith("idle share of cost")]
    first, second = (float(each.removesuffix("%")) for each in shares.split()[-2:])
    assert first == pytest.approx(second, abs=0.01)


def test_seeds_say_what_is_more_than_chance(terminal: Terminal) -> None:
    done = terminal.run(*COMMAND, "--seeds", "2")
    assert "Figures are means of 2 seeds." in done.out
    assert "Against large, seed by seed (2 seeds):" in done.out
    assert "every seed the same" in done.out
    assert "seed 0" in done.out


def test_what_costs_more_fails_if_it_must_not(terminal: Terminal) -> None:
    done = terminal.run(*COMMAND, "--fail-if-worse", "--junit", "compare.xml")
    assert done.code == 1
    assert "worse than large: small: cost" in done.err
    tests = ET.parse("compare.xml").getroot().iter("testcase")
    failed = {each.get("name"): each.find("failure") is not None for each in tests}
    assert failed["cost"]
    assert not failed["podsMoved"]


def test_markdown_and_json_have_the_same_figures(terminal: Terminal) -> None:
    markdown = terminal.run(*COMMAND, "-o", "markdown").out
    assert "small is worse than large: cost" in markdown
    told = json.loads(terminal.run(*COMMAND, "-o", "json").out)
    assert told["runs"] == ["large", "small"]
    assert told["divergences"][0]["first"]["instanceType"] == "large"
    found = {each["measure"]: each["values"] for each in told["measures"]}
    assert found["nodesAdded"] == [1, 6]


def test_what_is_missing_is_said(terminal: Terminal) -> None:
    done = terminal.run("compare", "cluster.yaml", "--nodepools", "small.yaml", "--for", "1h")
    assert done.code == 2
    assert "nothing to compare" in done.err


CHARTS = ["cost", "evictions", "lifetimes", "pending"]


def test_ways_to_buy_nodes_are_drawn_side_by_side(terminal: Terminal) -> None:
    done = terminal.run(*COMMAND, "--seeds", "2", "--charts", "pictures", "--out", "kept")
    assert done.code == 0
    files = sorted(each.name for each in pathlib.Path("pictures").iterdir())
    assert files == sorted(f"{name}.{end}" for name in CHARTS for end in ("html", "png"))
    page = pathlib.Path("pictures", "lifetimes.html").read_text()
    assert "With seed 0, the first of 2" in page
    assert "Drew lifetimes.png and lifetimes.html into pictures" in done.err


def test_kept_living_runs_are_drawn_side_by_side(terminal: Terminal) -> None:
    assert terminal.run(*COMMAND, "--out", "kept").code == 0
    done = terminal.run("compare", "kept/large", "kept/small", "--charts", "pictures")
    assert done.code == 0
    assert sorted(each.stem for each in pathlib.Path("pictures").glob("*.png")) == CHARTS


def test_charts_that_would_replace_a_file_are_refused_before_anything_runs(
    terminal: Terminal,
) -> None:
    done = terminal.run(*COMMAND, "--charts", "cluster.yaml", "--out", "kept")
    assert (done.code, done.out) == (2, "")
    assert "cluster.yaml: --charts: is a file" in done.err
    assert not pathlib.Path("kept").exists()


def test_all_files_are_checked_before_anything_runs(terminal: Terminal) -> None:
    wrong = pool("small")
    wrong["spec"]["disruption"]["consolidateAfter"] = "soon"
    pathlib.Path("small.yaml").write_text(json.dumps(wrong))
    done = terminal.run(*COMMAND, "--out", "kept")
    assert (done.code, done.out) == (2, "")
    assert "small.yaml:1: spec.disruption.consolidateAfter: Invalid value" in done.err
    assert not list(pathlib.Path().glob("kept/*"))


def test_a_day_passes_unless_it_is_said(terminal: Terminal) -> None:
    said = terminal.run(*COMMAND[:-2], "--for", "24h")
    assert said.code == 0
    assert terminal.run(*COMMAND[:-2]).out == said.out


def test_who_pays_is_side_by_side(terminal: Terminal) -> None:
    done = terminal.run(*COMMAND)
    lines = done.out[done.out.index("What was paid:") :].splitlines()
    rows = {tuple(line.split()[:-2]): line.split()[-2:] for line in lines[2:] if "$" in line}
    assert rows["capacity", "type", "on-demand"] == rows["pool", "default"]
    assert ("workload", "deployment/default/web") in rows
    spending = json.loads(terminal.run(*COMMAND, "-o", "json").out)["spending"]
    by_type = {each["name"]: each["costs"] for each in spending if each["by"] == "instance type"}
    assert by_type["large"][1] is None
    assert by_type["small"][0] is None
    of_pool = next(each["costs"] for each in spending if each["by"] == "pool")
    assert of_pool == [by_type["large"][0], by_type["small"][1]]
