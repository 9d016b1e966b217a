"""Runs and configurations side by side: figures, placements, the first decision that differs."""

from __future__ import annotations

import json
import pathlib
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from kubestage.testing import make_daemon_set, make_node, make_pod, make_replica_set
from tests.cli import clusters, pages, scenarios
from tests.runs.replaying import recordings

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal


HEAPING = """
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
  plugins: {score: {disabled: [{name: NodeResourcesBalancedAllocation}]}}
"""


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


@pytest.fixture
def inputs(terminal: Terminal) -> None:
    """A cluster in which a large pod finds room only if the others are heaped up."""
    del terminal
    nodes = [make_node(name, cpu="4", memory="8Gi") for name in ("n1", "n2")]
    pods = [make_pod(f"web-{at}", cpu="1") for at in range(2)]
    clusters.write("cluster.json", *nodes, *pods, make_pod("zoo", cpu="4"))
    clusters.write_config(HEAPING, "heaping.yaml")


CONFIGS = ("--config", "default", "--config", "heaping.yaml")


def test_configurations_are_run_on_one_input_and_set_side_by_side(
    terminal: Terminal, inputs: None
) -> None:
    result = terminal.run("compare", "cluster.json", *CONFIGS)
    assert (result.code, result.err) == (0, "")
    figures = [line.split("  ") for line in result.out.partition("\n\n")[0].splitlines()]
    cells = [[cell.strip() for cell in line if cell.strip()] for line in figures]
    assert cells[:6] == [
        ["MEASURE", "default", "heaping"],
        ["scheduled", "2", "3 (+1) *"],
        ["pending", "1", "0 (-1) *"],
        ["preempted", "0", "0"],
        ["attempts", "4", "3 (-1) *"],
        ["nodes used", "2", "2"],
    ]
    assert ["cpu allocated", "25.0%", "75.0% (+50.0) *"] in cells
    assert ["cpu min", "25.0%", "50.0% (+25.0)"] in cells
    assert ["cpu stddev", "0.0% *", "25.0% (+25.0)"] in cells


PRICES = "instance_type,price,currency\nm5.large,0.25,EUR\n"


def test_prices_are_those_of_all_runs(terminal: Terminal) -> None:
    labels = {"node.kubernetes.io/instance-type": "m5.large"}
    nodes = [make_node(name, cpu="4", memory="16Gi", labels=labels) for name in ("n1", "n2")]
    pods = [make_pod(f"web-{at}", cpu="1", memory="4Gi") for at in range(2)]
    clusters.write("cluster.json", *nodes, *pods, make_pod("zoo", cpu="4", memory="16Gi"))
    clusters.write_config(HEAPING, "heaping.yaml")
    pathlib.Path("prices.csv").write_text(PRICES)
    words = ("compare", "cluster.json", *CONFIGS, "--prices", "prices.csv")
    out = terminal.run(*words).out
    rows = [re.split(r" {2,}", line) for line in out.partition("\n\n")[0].splitlines()]
    # A quarter of each node is used, or half of one and all of the other.
    assert ["cost per hour", "€0.50", "€0.50"] in rows
    assert ["idle", "75.0%", "25.0% (-50.0) *"] in rows
    assert ["cpu fragmentation", "50.0%", "0.0% (-50.0) *"] in rows
    told = json.loads(terminal.run(*words, "-o", "json").out)
    cost = next(each for each in told["measures"] if each["measure"] == "costPerHour")
    assert (cost["currency"], cost["values"]) == ("EUR", [0.5, 0.5])


def test_kept_runs_have_their_own_prices(terminal: Terminal, inputs: None) -> None:
    del inputs
    pathlib.Path("prices.csv").write_text(PRICES)
    terminal.run("run", "cluster.json", "--out", "kept")
    result = terminal.run("compare", "kept", "kept", "--prices", "prices.csv")
    assert result.code == 2
    assert "--prices: has no effect on runs that are over" in result.err


def test_what_changed_in_placements_is_told_by_kind(terminal: Terminal, inputs: None) -> None:
    out = terminal.run("compare", "cluster.json", *CONFIGS).out
    assert (
        "heaping against default: 2 of 3 pods ended differently.\n"
        "\n"
        "  1 newly scheduled\n"
        "    default/zoo   Pending -> n2\n"
        "\n"
        "  1 on another node\n"
        "    default/web-1   n2 -> n1\n"
    ) in out


def test_the_first_decision_that_differs_has_both_explanations(
    terminal: Terminal, inputs: None
) -> None:
    out = terminal.run("compare", "cluster.json", *CONFIGS).out
    told = out.partition("The first decision that differs")[2]
    assert told.startswith(
        ": the pod went to another node.\n"
        "  1 attempt before it is the same in both.\n"
        "  default   default/web-1 goes to n2\n"
        "  heaping   default/web-1 goes to n1\n"
    )
    assert "WEIGHTED SCORE     " in told
    first, second = told[told.index("WEIGHTED SCORE") :].splitlines()[:2]
    assert first.split() == ["WEIGHTED", "SCORE", "default", "heaping"]
    assert second.split() == ["n2", "n1", "n2", "n1"]
    assert first.index("heaping") == second.rindex("n2")
    assert "default: attempt 2, step 1, default/web-1: n2 is chosen\n\nIt leads n1 by" in told
    assert "heaping: attempt 2, step 1, default/web-1: n1 is chosen\n\nIt leads n2 by" in told


def test_runs_that_were_kept_are_compared_alike(terminal: Terminal, inputs: None) -> None:
    made = terminal.run("compare", "cluster.json", *CONFIGS).out
    terminal.run("run", "cluster.json", "--out", "runs/default")
    terminal.run("run", "cluster.json", "--config", "heaping.yaml", "--out", "runs/heaping")
    result = terminal.run("compare", "runs/default", "runs/heaping")
    assert (result.code, result.out, result.err) == (0, made, "")


def test_a_plugin_that_makes_things_worse_is_caught(terminal: Terminal) -> None:
    nodes = [make_node(name, cpu="4") for name in ("n1", "n2", "n3")]
    clusters.write("cluster.json", *nodes, *[make_pod(f"web-{at}", cpu="1") for at in range(6)])
    clusters.write_plugin(
        """
        class Alphabetical:
            name = "Alphabetical"

            def __init__(self, args, handle):
                pass

            def score_node(self, state, pod, node):
                return 100 if node.name == "n1" else 0
        """
    )
    plugins = "plugins: {multiPoint: {enabled: [{name: Alphabetical, weight: 9}]}}"
    clusters.write_config(f"profiles: [{{{plugins}}}]\n")
    words = ("cluster.json", "--config", "default", "--config", "scheduler.yaml")
    result = terminal.run("compare", *words, "--plugin", "mine.py:Alphabetical", "--fail-if-worse")
    assert result.code == 1
    assert result.err == (
        "Error: worse than default: scheduler: cpu stddev 35.4%, not 0.0%; "
        "scheduler: pods stddev 1.3%, not 0.0%\n"
    )


def test_only_the_metrics_that_are_named_count(terminal: Terminal, inputs: None) -> None:
    words = ("compare", "cluster.json", *CONFIGS, "--fail-if-worse")
    assert terminal.run(*words).code == 1
    assert terminal.run(*words, "--metric", "scheduled", "--metric", "allocation").code == 0
    assert terminal.run(*words, "--metric", "stddev.cpu").code == 1
    assert terminal.run(*words, "--metric", "stddev.memory").code == 0


def test_data_has_everything(terminal: Terminal, inputs: None) -> None:
    told = json.loads(terminal.run("compare", "cluster.json", *CONFIGS, "-o", "json").out)
    assert [each["name"] for each in told["runs"]] == ["default", "heaping"]
    assert told["runs"][1]["summary"]["scheduled"] == 3
    pending = next(each for each in told["measures"] if each["measure"] == "pending")
    assert pending == {
        "measure": "pending",
        "resource": None,
        "better": "less",
        "values": [1, 0],
        "deltas": [0, -1],
        "best": ["heaping"],
    }
    (pair,) = told["pairs"]
    assert (pair["first"], pair["second"], pair["pods"]) == ("default", "heaping", 3)
    assert pair["changed"] == {"newly scheduled": 1, "on another node": 1}
    divergence = pair["divergence"]
    assert (divergence["same"], divergence["what"]) == (1, "node")
    assert [each["selected"] for each in divergence["explanations"]] == ["n2", "n1"]
    assert told["worse"] == []


def test_figures_are_written_as_csv(terminal: Terminal, inputs: None) -> None:
    lines = terminal.run("compare", "cluster.json", *CONFIGS, "-o", "csv").out.splitlines()
    assert lines[:3] == [
        "measure,resource,run,value,delta,best",
        "scheduled,,default,2,,0",
        "scheduled,,heaping,3,1,1",
    ]


def test_the_same_runs_differ_in_nothing(terminal: Terminal) -> None:
    scenarios.keep(scenarios.rivalry())
    out = terminal.run("compare", "kept", "kept").out
    assert "kept (2) against kept: all 4 pods ended the same.\n\nNot one decision differs.\n" in out
    assert "*" not in out.partition("\n\n")[0]


def test_any_two_of_many_can_be_told_apart(terminal: Terminal, inputs: None) -> None:
    words = ("compare", "cluster.json", *CONFIGS, "--config", "default")
    out = terminal.run(*words).out
    assert out.count(" against default:") == 2
    for between in (("2", "3"), ("heaping", "default (2)")):
        out = terminal.run(*words, "--between", *between).out
        assert out.count(": 2 of 3 pods ended differently.") == 1
        assert "default (2) against heaping" in out


def test_names_are_as_short_as_tells_them_apart(terminal: Terminal, inputs: None) -> None:
    for place in ("one", "two"):
        pathlib.Path(place).mkdir()
        clusters.write_config(HEAPING, f"{place}/mine.yaml")
    words = ("--config", "one/mine.yaml", "--config", "two/mine.yaml")
    heading = terminal.run("compare", "cluster.json", *words).out.splitlines()[0]
    assert heading.split() == ["MEASURE", "one/mine.yaml", "two/mine.yaml"]


def test_of_many_pods_the_first_few_are_named_or_all(terminal: Terminal, inputs: None) -> None:
    nodes = [make_node(name, cpu="32") for name in ("n1", "n2")]
    clusters.write("cluster.json", *nodes, *[make_pod(f"p{at:02}", cpu="1") for at in range(20)])
    out = terminal.run("compare", "cluster.json", *CONFIGS).out
    assert "  10 on another node\n" in out
    assert "    and 5 more: --all shows them\n" in out
    assert terminal.run("compare", "cluster.json", *CONFIGS, "--all").out.count("n2 -> n1") == 10


def test_other_inputs_and_conditions_are_told_and_compared_all_the_same(terminal: Terminal) -> None:
    scenarios.keep(scenarios.rivalry(), out="a")
    scenarios.keep(scenarios.scenario([make_node("n1"), make_pod("web")]), "--seed", "7", out="b")
    result = terminal.run("compare", "a", "b")
    assert result.code == 0
    assert "the inputs of a and b differ: 0 events are the same, 8 only in the first" in result.err
    assert "a and b differ in seed: 0 and 7" in result.err
    assert "another pod was next in turn" in result.out


def test_runs_without_recorded_attempts_are_compared_as_far_as_they_go(terminal: Terminal) -> None:
    scenarios.keep(scenarios.rivalry(), "--detail", "summary", out="a")
    for name in ("b", "c"):
        pathlib.Path(f"{name}.json").write_bytes(pathlib.Path("a/scenario.json").read_bytes())
    assert "Not one decision differs." in terminal.run("compare", "b.json", "c.json").out
    scenarios.keep(scenarios.rivalry(), out="d")
    assert "is not known: b has no attempts recorded.\n" in (
        terminal.run("compare", "d", "b.json").out
    )
    assert "Not one decision differs." in terminal.run("compare", "a", "d").out


def test_a_scenario_that_failed_is_noted(terminal: Terminal, inputs: None) -> None:
    scenarios.write(scenarios.scenario([make_node("n1"), scenarios.deletion("Pod", "nobody")]))
    result = terminal.run("compare", "scenario.json", *CONFIGS)
    assert result.code == 0
    assert 'default failed: event "event-1": pods "nobody" not found' in result.err


def test_charts_are_drawn(terminal: Terminal, inputs: None) -> None:
    result = terminal.run("compare", "cluster.json", *CONFIGS, "--charts", "pictures")
    assert result.err == "Drew comparison.png and comparison.html into pictures\n"
    assert pathlib.Path("pictures/comparison.png").read_bytes().startswith(b"\x89PNG")
    assert "heaping" in pathlib.Path("pictures/comparison.html").read_text()


def test_plugins_that_no_configuration_enables_are_noted(terminal: Terminal, inputs: None) -> None:
    clusters.write_plugin(
        """
        class Idle:
            name = "Idle"

            def __init__(self, args, handle):
                pass

            def score_node(self, state, pod, node):
                return 0
        """
    )
    result = terminal.run("compare", "cluster.json", *CONFIGS, "--plugin", "mine.py:Idle")
    assert result.err == "Note: no configuration enables Idle, so it takes no part\n"


@pytest.mark.parametrize(
    ("words", "problem", "fix"),
    [
        (["a"], "one run is nothing to compare", "--config default --config MINE"),
        (["x.json", "--config", "a.yaml"], "one configuration is", "--config default"),
        (["cluster.json", "kept"], "cluster.json: holds no Scenario", "give --config for each"),
        (["kept", "kept", "--seed", "1"], "--seed: has no effect", "leave it out"),
        (["kept", "kept", "--between", "1", "9"], 'no run "9"', "there are 1 kept, 2 kept (2)"),
        (["kept", "kept", "--metric", "pending"], "only with --fail-if-worse", "add it"),
        (
            ["kept", "kept", "--fail-if-worse", "--metric", "pendign"],
            '--metric: there is no measure "pendign"',
            "did you mean pending?",
        ),
        (["kept", "kept", "-o", "cvs"], 'unknown output format "cvs"', "did you mean csv?"),
        (["cluster.json", *CONFIGS[:3], "none.yaml"], "none.yaml: no such file", ""),
        (["two.json", *CONFIGS], "there are several Scenarios: story, other", "one at a time"),
    ],
)
def test_bad_questions_are_told_with_a_cure(
    terminal: Terminal, inputs: None, words: list[str], problem: str, fix: str
) -> None:
    scenarios.keep(scenarios.rivalry())
    clusters.write("two.json", scenarios.rivalry(), scenarios.scenario([], name="other"))
    result = terminal.run("compare", *words)
    assert (result.code, result.out) == (2, "")
    assert problem in result.err
    assert fix in result.err


def test_the_page_shows_what_is_printed(terminal: Terminal) -> None:
    assert len(pages.sessions("compare.md")) > 1
    assert pages.differing(terminal, "compare.md") == []


def test_a_manifest_that_is_refused_is_told_at_its_line(terminal: Terminal) -> None:
    clusters.write("m.json", make_node("n1"), make_pod("p", priority_class_name="nosuch"))
    result = terminal.run("compare", "m.json", "--config", "default", "--config", "default")
    assert result.code == 2
    assert result.err.startswith("Error: m.json:")
    assert 'pods "p" is forbidden: no PriorityClass with name nosuch was found' in result.err


APART = HEAPING.replace("BalancedAllocation}", "BalancedAllocation}, {name: PodTopologySpread}")


def _spread_out() -> None:
    """Three replicas on three of four nodes, which fit on one; or on one, if they are heaped."""
    nodes = [make_node(name, cpu="4", memory="8Gi") for name in ("n1", "n2", "n3", "n4")]
    web = make_replica_set("web", replicas=3, cpu="1", memory="2Gi")
    clusters.write("cluster.json", *nodes, web, make_daemon_set("agent", cpu="100m"))
    clusters.write_config(APART, "heaping.yaml")


def test_what_is_left_over_on_nodes_is_compared_and_less_is_better(terminal: Terminal) -> None:
    _spread_out()
    words = ("compare", "cluster.json", *CONFIGS, "--controllers")
    found = json.loads(terminal.run(*words, "-o", "json").out)["measures"]
    by_name = {each["measure"]: each for each in found if each["resource"] is None}
    assert by_name["daemonOnlyNodes"]["values"] == [1, 3]
    # The agent goes with its node; all three replicas fit on one.
    assert by_name["removableNodes"]["values"] == [3, 3]
    names = ("daemonOnlyNodes", "removableNodes", "strandedCpu", "strandedMemory")
    assert {by_name[name]["better"] for name in names} == {"less"}
    out = terminal.run(*words).out
    assert re.search(r"^DaemonSet-only nodes +1 \* +3 \(\+2\)$", out, re.MULTILINE)
    worse = terminal.run(*words, "--fail-if-worse", "--metric", "daemonOnlyNodes")
    assert worse.code == 1
    assert "heaping: DaemonSet-only nodes 3, not 1" in worse.err
    out = terminal.run(*words, "--no-removable").out
    assert "removable" not in out


def test_markdown_and_junit_have_what_got_worse(terminal: Terminal, inputs: None) -> None:
    done = terminal.run("compare", "cluster.json", *CONFIGS, "-o", "markdown", "--junit", "c.xml")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(
        "## ❌ kubestage compare: heaping is worse than default: stddev.cpu, stddev.pods\n"
    )
    assert "| pending | 1 | 0 | less is better |" in done.out
    assert "██░░░░░░░░ 25.0% | ████████░░ 75.0% | more is better |" in done.out
    root = ET.parse("c.xml").getroot()
    failed = {
        each.attrib["name"] for each in root.iter("testcase") if each.find("failure") is not None
    }
    assert failed == {"stddev.cpu", "stddev.pods"}
    assert root.attrib["tests"] == "6"
    good = terminal.run(
        "compare", "cluster.json", *CONFIGS, "-o", "markdown", "--metric", "pending"
    )
    assert good.out.startswith(
        "## ✅ kubestage compare: no run is worse than default in 1 measure\n"
    )


def test_living_runs_have_the_same_documents(terminal: Terminal) -> None:
    _spread_out()
    for name in ("one", "two"):
        terminal.run("run", "cluster.json", "--for", "1m", "--out", f"runs/{name}")
    words = ("compare", "runs/one", "runs/two", "-o", "markdown", "--junit", "c.xml")
    assert "removable nodes" not in terminal.run(*words).out
    done = terminal.run(*words, "--removable")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("## ✅ kubestage compare: no run is worse than one in 1 measure\n")
    assert "| removable nodes | 3 | 3 | less is better |" in done.out
    assert ET.parse("c.xml").getroot().attrib["failures"] == "0"


def test_the_agreement_leads_a_comparison_of_replays(
    terminal: Terminal, tmp_path: pathlib.Path
) -> None:
    recording = recordings.make(tmp_path / "rec", tie_break="random")
    (tmp_path / "packing.yaml").write_text(recordings.PACKING)
    words = (
        "compare",
        recording,
        "--config",
        "default",
        "--config",
        str(tmp_path / "packing.yaml"),
    )
    result = terminal.run(*words)
    assert result.code == 0
    first, *rest = result.out.splitlines()
    assert first == "Agreement under the recorded settings: 64.3% on the same node."
    assert "100.0% on an equally good node" in rest[1]
    assert "nodes in use, at the end" in result.out
    found = json.loads(terminal.run(*words, "-o", "json").out)
    assert found["runs"] == ["default", "packing"]
    assert found["agreement"]["decisions"]["equally_good"] == 14
