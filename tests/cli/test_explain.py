"""Any pod of any run is explained, be it that the run is repeated for it."""

from __future__ import annotations

import json
import pathlib
import shutil
from typing import TYPE_CHECKING

import pytest

from kubestage.testing import make_node, make_pod
from tests.cli import clusters, pages, scenarios

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.cli.terminal import Terminal


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


def explained(terminal: Terminal, *words: str) -> str:
    result = terminal.run("explain", *words)
    assert (result.code, result.err) == (0, "")
    return result.out


def test_attempts_are_told_with_rejections_scores_and_victims(terminal: Terminal) -> None:
    scenarios.keep(scenarios.rivalry())
    assert explained(terminal, "kept", "vip") == (
        "default/vip: Scheduled on n1 (profile default-scheduler, priority 1000, 2 attempts)\n"
        "  created in step 1, bound in step 1\n"
        "  preempted for it: default/small on n1, step 1\n"
        "\n"
        "Attempt 1 (step 1, number 3 of the run): unschedulable\n"
        "  0/2 nodes are available: 2 Insufficient cpu.\n"
        "\n"
        "2 of 2 nodes looked at, 0 feasible.\n"
        "\n"
        "REJECTED   BY                 REASON             NODES\n"
        "2          NodeResourcesFit   Insufficient cpu   n1, n2\n"
        "\n"
        "Preemption: room is made on n1 by evicting default/small.\n"
        "\n"
        "CANDIDATE   VICTIMS         BUDGETS VIOLATED\n"
        "n1          default/small   0\n"
        "n2          default/big     0\n"
        "\n"
        "Attempt 2 (step 1, number 5 of the run): n1 is chosen\n"
        "\n"
        "An earlier attempt made room on n1; it is tried first, and fits.\n"
        "\n"
        "Nothing is scored, as there is no choice.\n"
    )


def test_a_victim_is_told_who_took_its_place(terminal: Terminal) -> None:
    scenarios.keep(scenarios.rivalry())
    lines = explained(terminal, "kept", "small").splitlines()
    assert lines[:2] == [
        "default/small: Preempted from n1 (profile default-scheduler, priority 0, 1 attempt)",
        "  created in step 0, bound in step 0, preempted in step 1 by default/vip",
    ]


def test_attempts_with_the_same_outcome_are_told_once(terminal: Terminal) -> None:
    scenarios.keep(scenarios.rivalry())
    out = explained(terminal, "kept", "late")
    assert out.count("looked at") == 1
    attempts, _, advice = out.partition("\nIt needs ")
    assert attempts.endswith("\n\nAttempts 2 to 5: the same.\n")
    assert "\n  1. " in advice


def test_one_attempt_can_be_asked_for(terminal: Terminal) -> None:
    scenarios.keep(scenarios.rivalry())
    out = explained(terminal, "kept", "default/late", "--attempt", "3")
    assert "Attempt 3 (step 1, number 7 of the run): unschedulable\n" in out
    assert out.count("Attempt ") == 1
    assert "n1, n2\n" in out


def test_what_is_computed_anew_is_what_would_have_been_recorded(terminal: Terminal) -> None:
    for detail in ("summary", "decisions", "full"):
        scenarios.keep(scenarios.rivalry(), "--detail", detail, out=detail)
    for pod in ("small", "big", "vip", "late"):
        told = [json.loads(explained(terminal, out, pod, "-o", "json"))
                for out in ("summary", "decisions", "full")]  # fmt: skip
        explanations = [[each["explanation"] for each in one["attempts"]] for one in told]
        assert explanations[0] == explanations[1] == explanations[2]
        assert all(explanations[0])
        assert told[1] == told[2]


def test_pods_that_controllers_make_are_explained(terminal: Terminal) -> None:
    from kubestage.testing import make_deployment

    scenarios.keep(scenarios.scenario([make_node("n1")], [make_deployment("web", replicas=2)]))
    found = json.loads(terminal.run("analyze", "kept", "pods", "-o", "json").out)
    assert len(found) == 2
    for row in found:
        assert ": n1 is chosen\n" in explained(terminal, "kept", row["pod"])


def test_a_status_at_full_detail_needs_no_run(terminal: Terminal) -> None:
    scenarios.keep(scenarios.rivalry(), "--detail", "full")
    shutil.copy("kept/scenario.json", "alone.json")
    alone = explained(terminal, "alone.json", "vip")
    assert "2          NodeResourcesFit   Insufficient cpu   n1, n2\n" in alone
    assert "Preemption: room is made on n1 by evicting default/small.\n" in alone
    scores = explained(terminal, "alone.json", "small").partition("weighted\n\n")[2]
    assert scores == explained(terminal, "kept", "small").partition("weighted\n\n")[2] != ""


def test_a_status_with_rows_alone_says_what_is_missing(terminal: Terminal) -> None:
    scenarios.keep(scenarios.rivalry())
    shutil.copy("kept/scenario.json", "alone.json")
    result = terminal.run("explain", "alone.json", "small")
    assert "n1 is chosen\n\nWhat the plugins said is not known.\n" in result.out
    assert (result.code, "kubestage run --out DIR" in result.err) == (0, True)


@pytest.mark.parametrize(
    ("words", "problem", "fix"),
    [
        (["kept", "lat"], 'kept: there is no pod "lat"', "did you mean late?"),
        (["kept", "xyz"], 'kept: there is no pod "xyz"', "there are a/twin, b/twin, default/big"),
        (["kept", "twin"], 'kept: several pods are called "twin"', "write one of a/twin, b/twin"),
        (["kept", "big", "--attempt", "2"], "there is no attempt 2 at default/big", "attempt 1"),
        (["kept", "late", "--attempt", "9"], "there is no attempt 9", "there are attempts 1 to 5"),
        (["kept", "big", "--node", "n11"], '--node: there is no node "n11"', "did you mean n1?"),
        (["."], "Missing argument 'POD'", "kubestage explain --help"),
        (["nowhere", "big"], "nowhere: no such file or directory", "kubestage run --out DIR"),
        (["kept", "big", "-o", "yml"], 'unknown output format "yml"', "use one of table, json"),
    ],
)
def test_bad_questions_are_told_with_a_cure(
    terminal: Terminal, words: list[str], problem: str, fix: str
) -> None:
    story = scenarios.rivalry()
    twins = [make_pod("twin", namespace=namespace) for namespace in ("a", "b")]
    scenarios.keep(scenarios.scenario([*_objects(story, 0), *twins], _objects(story, 1)))
    result = terminal.run("explain", *words)
    assert result.code == 2
    assert problem in result.err
    assert fix in result.err


def _objects(scenario: Json, step: int) -> list[Json]:
    return [
        each["createOperation"]["object"]
        for each in scenario["spec"]["events"]
        if each["step"] == step and "createOperation" in each
    ]


def test_the_best_nodes_are_as_many_as_asked_for(terminal: Terminal) -> None:
    nodes = [make_node(f"n{number}", cpu=str(number)) for number in range(2, 9)]
    scenarios.keep(scenarios.scenario([*nodes, make_pod("web", cpu="1")]))
    out = explained(terminal, "kept", "web", "--top", "3")
    table = out.partition("weighted\n\n")[2].partition("\n\n")[0].splitlines()
    assert "best 3 of 7" in out
    assert [line.split()[0] for line in table] == ["NODE", "n8", "n7", "n6"]


def test_pods_that_have_had_one_name_are_told_apart(terminal: Terminal) -> None:
    steps = [make_node("n1"), make_pod("web")], [scenarios.deletion("Pod", "web")], [
        make_node("n2"), scenarios.deletion("Node", "n1"), make_pod("web")]  # fmt: skip
    scenarios.keep(scenarios.scenario(*steps), "--no-controllers")
    out = explained(terminal, "kept", "web")
    assert "Pod 1 of 2 that have had this name:\ndefault/web: Deleted from n1" in out
    assert "Pod 2 of 2 that have had this name:\ndefault/web: Scheduled on n2" in out
    assert "Attempt 2 (step 2, number 2 of the run): n2 is chosen\n" in out
    assert "n1 is chosen" not in explained(terminal, "kept", "web", "--attempt", "2")


def test_many_outcomes_are_told_in_full_at_the_beginning_and_the_end(terminal: Terminal) -> None:
    more = [[make_node(f"n{number}", cpu="1")] for number in range(8)]
    scenarios.keep(scenarios.scenario([make_pod("huge", cpu="9")], *more), "--no-controllers")
    out = explained(terminal, "kept", "huge")
    assert out.count(": unschedulable\n") == 9
    assert out.count(" looked at") == 4
    assert "no nodes available" in out


@pytest.fixture
def plugin(terminal: Terminal) -> pathlib.Path:
    """A run with a plugin that draws pods to n1."""
    clusters.write_config(clusters.enabling("Mine"))
    clusters.write_plugin(
        """
        class Mine:
            name = "Mine"

            def __init__(self, args, handle):
                pass

            def score_node(self, state, pod, node):
                return 100 if node.name == "n1" else 0
        """
    )
    objects = [make_node("n1"), make_node("n2"), make_pod("web"), make_pod("api")]
    options = ("--config", "scheduler.yaml", "--plugin", "mine.py:Mine")
    scenarios.write(scenarios.scenario(objects))
    assert terminal.run("run", "scenario.json", "--out", "kept", *options).code == 0
    return pathlib.Path("mine.py")


def test_a_plugin_that_changed_without_effect_is_noted(
    terminal: Terminal, plugin: pathlib.Path
) -> None:
    plugin.write_text(plugin.read_text() + "\n# more\n")
    result = terminal.run("explain", "kept", "api")
    assert "Attempt 1 (step 0, number 2 of the run): n1 is chosen\n\nIt leads n2 by" in result.out
    assert result.code == 0
    assert result.err == (
        "Note: mine.py:Mine is no longer what it was; but every decision is the same\n"
    )


def test_a_run_that_cannot_be_repeated_as_it_was_is_not_explained_wrongly(
    terminal: Terminal, plugin: pathlib.Path
) -> None:
    plugin.write_text(plugin.read_text().replace("n1", "n2"))
    result = terminal.run("explain", "kept", "api")
    assert result.code == 1
    assert result.out.endswith("n1 is chosen\n\nWhat the plugins said is not known.\n")
    assert "attempt 1 was default/web scheduled on n1, and now is default/web scheduled on n2" in (
        result.err
    )
    assert "mine.py:Mine is no longer what it was" in result.err


def test_a_plugin_that_is_gone_is_told(terminal: Terminal, plugin: pathlib.Path) -> None:
    plugin.unlink()
    result = terminal.run("explain", "kept", "api")
    assert (result.code, "n1 is chosen" in result.out) == (1, True)
    assert "its plugins cannot be had: mine.py: no such file" in result.err


def test_the_page_shows_what_is_printed(terminal: Terminal) -> None:
    assert len(pages.sessions("explain.md")) > 3
    assert pages.differing(terminal, "explain.md") == []
