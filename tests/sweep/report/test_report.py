"""What a report says of a sweep, in each format."""

from __future__ import annotations

import csv
import io
import json

import pytest

from kubestage.errors import InputError
from kubestage.sweep.report import documents, settings_table
from kubestage.sweep.report.options import ReportOptions
from kubestage.sweep.report.sweep_report import SweepReport, report
from kubestage.sweep.rows import Row, Table
from tests.sweep import tables
from tests.sweep.report import demo


@pytest.fixture(scope="module")
def found() -> SweepReport:
    return report(demo.sweep())


def test_measures_that_differ_and_have_a_good_side_are_shown(found: SweepReport) -> None:
    assert found.measures == ["cost", "wait", "allocation.cpu"]
    assert found.other_measures == ["nodesUsed", "pending"]


def test_measures_are_chosen_by_name(found: SweepReport) -> None:
    chosen = report(found.source, ReportOptions(measures=("nodesused,cost", "pending")))
    assert chosen.measures == ["nodesUsed", "cost", "pending"]
    everything = report(found.source, ReportOptions(measures=("all",)))
    assert everything.measures == [each.key for each in demo.MEASURES]
    with pytest.raises(InputError, match=r"did you mean cost\?"):
        report(found.source, ReportOptions(measures=("costs",)))


def test_the_terminal_has_a_line_for_each_setting(found: SweepReport) -> None:
    text = documents.plain(found)
    lines = text.splitlines()
    assert lines[0].startswith("18 settings, 8 seeds, 144 runs: 51 differences to nodes=10, ")
    head = lines.index("cost (less is better)") + 1
    assert lines[head].split() == [
        "nodes", "target", "config", "SEEDS", "MEAN", "DIFFERENCE", "CHANGE", "VERDICT",
    ]  # fmt: skip
    assert lines[head + 1].endswith("reference")
    assert "+$3.00" in lines[head + 2]
    assert lines[head + 2].endswith("worse")
    assert "7, 1 failed" in lines[head + 17]
    assert "(1 unpaired)" in lines[head + 17]
    assert "Effect of each axis, the others averaged" in lines
    assert "2 runs of 144 failed:" in lines
    assert "Not shown: nodesUsed, pending (--measures)." in lines
    assert any(line.startswith("wait") and "nodes x target" in line for line in lines)


def test_the_reference_may_be_another(found: SweepReport) -> None:
    by_value = report(found.source, ReportOptions(against="nodes=50,target=40,config=b.yaml"))
    by_number = report(found.source, ReportOptions(against="14"))
    assert by_value.reference == by_number.reference == 13
    verdict = by_value.cells["cost"][0].verdict
    assert verdict is not None
    assert verdict.word == "better"


def test_the_inputs_as_they_are_stand_beside_settings(found: SweepReport) -> None:
    rows = found.source.rows
    plain = [Row(0, f"plain-{row.seed}", {}, row.seed, row.measures) for row in rows[:8]]
    both = report(Table(found.source.axes, (*plain, *rows), found.source.measures))
    assert "differences to as it is" in documents.plain(both)
    assert both.main_effects["cost"] == found.main_effects["cost"]
    chosen = ReportOptions(against="nodes=10,target=40,config=a.yaml")
    assert report(both.source, chosen).reference == 1


@pytest.mark.parametrize(
    ("against", "problem"),
    [
        ("19", "there is no setting 19"),
        ("node=10", r'"node" is no axis .did you mean nodes'),
        ("nodes=11", "no setting has nodes=11"),
        ("nodes=10", "6 settings have nodes=10"),
    ],
)
def test_a_reference_that_is_none_is_refused(
    found: SweepReport, against: str, problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        report(found.source, ReportOptions(against=against))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (ReportOptions(level=20), "no confidence level"),
        (ReportOptions(level=100), "no confidence level"),
        (ReportOptions(margin="-1"), "no margin"),
        (ReportOptions(margin="much"), "is no number"),
        (ReportOptions(front=("cost",)), "one measure has no front"),
        (ReportOptions(front=("cost", "nodesUsed")), 'neither more nor less "nodesUsed"'),
    ],
)
def test_bad_options_are_refused(found: SweepReport, options: ReportOptions, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        report(found.source, options)


def test_csv_has_a_row_for_each_setting_and_measure(found: SweepReport) -> None:
    rows = list(csv.DictReader(io.StringIO(documents.formatted(found, "csv"))))
    assert len(rows) == 18 * 3
    first, second = rows[0], rows[1]
    assert first["verdict"] == "reference"
    assert first["difference"] == ""
    assert float(second["difference"]) == pytest.approx(3)
    assert (second["config"], second["seeds"], second["verdict"]) == ("b.yaml", "8", "worse")
    assert float(first["low"]) < float(first["mean"]) < float(first["high"])


def test_json_has_everything(found: SweepReport) -> None:
    data = json.loads(documents.formatted(found, "json"))
    assert data["settings"][1] == {"nodes": 10, demo.TARGET: 40, "config": "b.yaml"}
    assert data["measures"]["cost"]["settings"][1]["verdict"] == "worse"
    assert data["measures"]["cost"]["mainEffects"][0]["axis"] == "nodes"
    assert data["front"]["measures"] == ["cost", "wait"]
    assert {"setting": 1, "status": "front"} in data["front"]["settings"]
    assert [each["seed"] for each in data["failed"]] == [3, 3]


def test_markdown_has_tables_and_no_markup_of_others(found: SweepReport) -> None:
    text = documents.formatted(found, "markdown")
    assert text.startswith("## 18 settings")
    assert "| nodes | target | config | SEEDS |" in text
    assert "<b>" not in text.replace(r"\<b\>", "")


def test_a_large_design_is_shortened_to_its_best_settings() -> None:
    many = tables.table(
        {"x": list(range(100))}, range(2), lambda p, seed: {"cost": 100 - int(str(p["x"])) + seed}
    )
    found = report(many)
    (section, *_) = settings_table.sections(found)
    assert len(section.rows) == 40
    assert section.more == 60
    assert [row[0] for row in section.rows[:3]] == ["0", "99", "98"]
    assert "and 60 more: -o csv has all" in documents.plain(found)


def test_one_setting_alone_has_no_differences() -> None:
    alone = report(tables.table({}, range(3), lambda _, seed: {"cost": seed}))
    assert documents.plain(alone).startswith("1 setting, 3 seeds, 3 runs.\n")
    assert alone.cells["cost"][0].verdict is None


def test_an_empty_sweep_is_refused() -> None:
    with pytest.raises(InputError, match="has no runs yet"):
        report(Table(("x",), (), {}))


def test_a_sweep_in_which_all_fails_says_so() -> None:
    rows = tuple(Row(seed, "", {"x": 1}, seed, {}, "no cluster") for seed in range(2))
    found = report(Table(("x",), rows, {"cost": tables.COST}))
    assert found.measures == []
    assert "2 runs of 2 failed:" in documents.plain(found)


def test_a_notebook_shows_it(found: SweepReport) -> None:
    assert "<table>" in found._repr_html_()
    assert found.headline() == "18 settings, 8 seeds, 144 runs"
