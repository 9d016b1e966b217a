"""Recordings are replayed, compared, and every difference is told."""

from __future__ import annotations

import gzip
import json
import pathlib
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli import recordings
from tests.golden import autoscaler_worlds

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal


def _tampered() -> dict[str, Any]:
    case = recordings.recorded("odd-000", "odd")
    score = case["expected"]["attempts"][0]["score"]["b"]["NodeResourcesFit"]
    score["raw"] += 1
    return case


def test_identical_decisions_are_counted_and_leave_with_0(terminal: Terminal) -> None:
    recordings.write(recordings.recorded("small-000"), "small-000.json")
    recordings.write(recordings.recorded("small-001"), "small-001.json.gz")
    result = terminal.run("verify", "small-000.json", "small-001.json.gz")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[:2] == [
        "CATEGORY   CASES   DECISIONS   IDENTICAL   DIFFERENT",
        "small      2       4           4           0",
    ]
    assert ["NodeName", "8", "8", "0"] in [line.split() for line in lines]
    assert "Difference" not in result.out
    assert lines[-1] == "decisions: 4/4 identical"


def test_a_difference_is_told_in_full_and_leaves_with_1(terminal: Terminal) -> None:
    recordings.write(recordings.recorded(), "a.json")
    case = _tampered()
    raw = case["expected"]["attempts"][0]["score"]["b"]["NodeResourcesFit"]["raw"]
    recordings.write(case, "odd.json")
    result = terminal.run("verify", ".")
    assert result.code == 1
    assert result.out.endswith(
        textwrap.dedent(
            f"""\
            Difference in odd.json
              at:        odd-000, attempt 1, pod default/web
              field:     score.b.NodeResourcesFit.raw
              expected:  {raw}
              got:       {raw - 1}

            decisions: 3/4 identical
            """
        )
    )
    rows = [line.split() for line in result.out.splitlines()]
    assert ["odd", "1", "2", "1", "1"] in rows
    assert ["total", "2", "4", "3", "1"] in rows
    fit = next(row for row in rows if row[:1] == ["NodeResourcesFit"])
    assert fit[-1] == "1"


def test_more_differences_are_printed_on_request(terminal: Terminal) -> None:
    case = _tampered()
    case["expected"]["attempts"][1]["message"] = "something else"
    case["expected"]["attempts"][1]["extra"] = [1]
    recordings.write(case, "odd.json")
    first = terminal.run("verify", "odd.json").out
    assert "3 fields differ, the first 1 are shown: --differences 3 prints all" in first
    both = terminal.run("verify", "odd.json", "--differences", "3").out
    assert both.count("Difference in") == 3
    assert '  expected:  "something else"\n' in both
    assert "  got:       (nothing)\n" in both
    assert "prints all" not in both


def test_a_wrong_end_is_a_difference_even_if_each_decision_is_right(terminal: Terminal) -> None:
    case = recordings.recorded()
    case["expected"]["preempted"] = ["default/ghost"]
    recordings.write(case, "odd.json")
    result = terminal.run("verify", "odd.json")
    assert result.code == 1
    assert "  at:        small-000, end\n  field:     preempted\n" in result.out


def test_a_decision_that_was_not_recorded_is_a_difference(terminal: Terminal) -> None:
    case = recordings.recorded()
    del case["expected"]["attempts"][1]
    recordings.write(case, "odd.json")
    result = terminal.run("verify", "odd.json")
    assert (result.code, result.out.splitlines()[-1]) == (1, "decisions: 1/1 identical")


def test_machines_read_json(terminal: Terminal) -> None:
    recordings.write(_tampered(), "odd.json")
    result = terminal.run("verify", "odd.json", "-o", "json")
    assert result.code == 1
    told = json.loads(result.out)
    assert (told["decisions"], told["identical"], told["differentFields"]) == (2, 1, 1)
    assert told["categories"] == {"odd": {"cases": 1, "decisions": 2, "identical": 1}}
    assert told["plugins"]["NodeName"] == {"answers": 4, "identical": 4}
    (difference,) = told["differences"]
    assert difference["path"] == "score.b.NodeResourcesFit.raw"
    assert difference["expected"] == difference["got"] + 1


def test_a_case_without_name_and_category_goes_by_its_file(terminal: Terminal) -> None:
    case = recordings.recorded()
    del case["name"], case["category"]
    case["expected"]["attempts"][0]["message"] = "?"
    recordings.write(case, "mine.json")
    out = terminal.run("verify", "mine.json").out
    assert out.splitlines()[1].split() == ["-", "1", "2", "1", "1"]
    assert "  at:        mine.json, attempt 1, pod default/web\n" in out


_SHAPE = "a case has objects and expected.attempts; docs/scheduler.md describes the format"
_MISSING = "not a recorded case: object missing required field expected"
CATALOGUE: dict[str, tuple[bytes, str, str]] = {
    "not JSON": (
        b"objects: []",
        "not valid JSON: JSON is malformed: invalid character (byte 0)",
        _SHAPE,
    ),
    "a list": (b"[]", "not a recorded case: expected object, got array", _SHAPE),
    "nothing expected": (b'{"objects": []}', _MISSING, _SHAPE),
    "a nameless object": (
        b'{"objects": [{"apiVersion": "v1", "kind": "Pod"}], "expected": {}}',
        "not a recorded case: objects[0]: object missing required field metadata",
        _SHAPE,
    ),
    "attempts are no list": (
        b'{"objects": [], "expected": {"order": [], "attempts": 1}}',
        "not a recorded case: expected.attempts: expected array, got int",
        _SHAPE,
    ),
    "an unknown pod": (
        b'{"objects": [], "pods": ["a/b"], "expected": {"order": [], "attempts": []}}',
        'not a recorded case: pods: "a/b" is not among the objects',
        "pods are called namespace/name",
    ),
    "a damaged archive": (
        gzip.compress(b"{}")[:-6],
        "the file is cut off or damaged",
        "copy it again",
    ),
}


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_bad_case_is_told_exactly(name: str, terminal: Terminal) -> None:
    data, problem, fix = CATALOGUE[name]
    pathlib.Path("case.json").write_bytes(data)
    result = terminal.run("verify", "case.json")
    assert result.err == f"Error: case.json: {problem}\n  fix: {fix}\n"
    assert (result.code, result.out) == (2, "")


def test_a_bad_configuration_in_a_case_names_the_file(terminal: Terminal) -> None:
    case = recordings.recorded()
    case["kubeSchedulerConfiguration"] = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profils": [],
    }
    recordings.write(case, "case.json")
    result = terminal.run("verify", "case.json")
    assert result.err == (
        'Error: case.json: strict decoding error: unknown field "profils"\n'
        "  fix: did you mean profiles?\n"
    )
    assert result.code == 2


@pytest.mark.parametrize(
    ("arguments", "problem", "fix"),
    [
        ([], "Missing argument 'FILE|DIR'", "see `kubestage verify --help`"),
        (["nowhere"], "nowhere: no such file or directory", "check the path"),
        (
            ["empty"],
            "empty: no .json or .json.gz file in this directory",
            "name a directory that holds recorded cases, or a file",
        ),
        (
            ["empty", "-o", "jsn"],
            'unknown output format "jsn"',
            "did you mean json? use one of table, json",
        ),
    ],
)
def test_bad_arguments_are_told(
    arguments: list[str], problem: str, fix: str, terminal: Terminal
) -> None:
    pathlib.Path("empty").mkdir()
    result = terminal.run("verify", *arguments)
    assert result.err == f"Error: {problem}\n  fix: {fix}\n"
    assert result.code == 2


def test_worlds_of_an_autoscaler_are_compared_by_category(terminal: Terminal) -> None:
    path = min(autoscaler_worlds.COMPACT.glob("scale-down-empty-*"))
    world = json.loads(autoscaler_worlds.data(path))
    recordings.write(world, "empty.json.gz")
    result = terminal.run("verify", "empty.json.gz")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0].split() == [
        "CATEGORY", "WORLDS", "IDENTICAL", "STEPS", "DECISIONS", "IDENTICAL", "DIFFERENT",
    ]  # fmt: skip
    assert lines[1].split()[:3] == ["scale-down-empty", "1", "1"]
    assert lines[-1].startswith("cluster-autoscaler: 1/1 worlds, ")

    world["steps"][0]["loop"]["clusterHealthy"] = False
    recordings.write(world, "tampered.json")
    result = terminal.run("verify", ".")
    assert result.code == 1
    assert (
        f"  at:        {world['name']}, step 0 at 0 s\n"
        "  field:     clusterHealthy\n"
        "  expected:  false\n"
        "  got:       true\n"
    ) in result.out
    data = json.loads(terminal.run("verify", ".", "-o", "json").out)
    counts = data["worlds"]["cluster-autoscaler"]["scale-down-empty"]
    assert (counts["worlds"], counts["identicalWorlds"]) == (2, 1)
    (difference,) = data["differences"]
    assert (difference["file"], difference["field"]) == ("tampered.json", "clusterHealthy")
    assert (difference["counts"], data["differentFields"]) == (True, 1)


def test_cases_and_worlds_are_verified_together(terminal: Terminal) -> None:
    path = min(autoscaler_worlds.COMPACT.glob("scale-up-limits-*"))
    recordings.write(json.loads(autoscaler_worlds.data(path)), "world.json")
    recordings.write(recordings.recorded(), "case.json")
    result = terminal.run("verify", ".")
    assert result.code == 0
    assert "decisions: 2/2 identical" in result.out
    assert result.out.splitlines()[-1].startswith("cluster-autoscaler: 1/1 worlds, ")
    data = json.loads(terminal.run("verify", ".", "-o", "json").out)
    assert (data["decisions"], data["differentFields"], data["differences"]) == (2, 0, [])


def test_a_world_that_cannot_be_played_does_not_stop_the_others(terminal: Terminal) -> None:
    path = min(autoscaler_worlds.COMPACT.glob("scale-up-limits-*"))
    world = json.loads(autoscaler_worlds.data(path))
    recordings.write(world, "fine-001.json")
    world["flags"]["grpc-expander-url"] = "somewhere"
    recordings.write(world, "odd-002.json")
    result = terminal.run("verify", ".")
    assert result.code == 1
    assert result.out.splitlines()[-1].startswith("cluster-autoscaler: 1/2 worlds, ")
    flag = "grpc-expander-url"
    problem = f"odd-002.json: flags.{flag}: '{flag}' is not a flag that is modelled"
    assert problem in result.out
    alone = terminal.run("verify", "odd-002.json")
    assert alone.code == 2
    assert problem in alone.err
