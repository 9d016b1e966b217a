"""Traces of kept runs, of opened ones and of histories; what a notebook shows of them."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.runs import export, opening
from tests.cli import scenarios
from tests.results.history.pod_lives import lived
from tests.results.history.test_perfetto import check

if TYPE_CHECKING:
    import pathlib

INSTANT = ("i", "preemption")


@pytest.fixture
def kept(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    scenarios.keep(scenarios.rivalry())
    return "kept"


def test_a_run_is_the_same_trace_every_time(kept: str) -> None:
    trace = export.perfetto(kept)
    check(trace.document)
    (opened,) = opening.open_runs([kept])
    assert export.perfetto(opened).encoded() == trace.encoded()
    assert trace.name == "kept"
    assert trace.pods == 4


def test_the_preemptor_points_at_its_victim(kept: str) -> None:
    events = export.perfetto(kept).document["traceEvents"]
    (victim,) = [each["args"] for each in events if (each["ph"], each["name"]) == INSTANT]
    assert (victim["pod"], victim["by"]) == ("small", "vip")
    begin, end = [each for each in events if each["ph"] in "sf"]
    assert begin["tid"] != end["tid"]


def test_the_table_has_the_time_in_each_phase() -> None:
    trace = export.perfetto(lived()[1], group_by="workload")
    rows = {row[0]: row[1:] for row in trace.table().rows}
    count, seconds, longest = rows["pulling"]
    assert count == 2
    assert (seconds, longest) == (2.0, 1.0)
    assert trace.headline() == f"{trace.pods} pods, {sum(row[0] for row in rows.values())} slices"
    assert "<td>pulling</td>" in trace._repr_html_()


@pytest.mark.parametrize("name", ["a.json", "a.json.gz"])
def test_a_file_is_compressed_if_its_name_says_so(tmp_path: pathlib.Path, name: str) -> None:
    trace = export.perfetto(lived()[1])
    path = tmp_path / name
    trace.save(path)
    data = path.read_bytes()
    text = gzip.decompress(data) if name.endswith(".gz") else data
    assert json.loads(text) == json.loads(trace.encoded())
    trace.save(path)
    assert path.read_bytes() == data


def test_one_trace_is_of_one_run(kept: str, tmp_path: pathlib.Path) -> None:
    below = tmp_path / "both"
    for name in ("first", "second"):
        scenarios.keep(scenarios.rivalry(), out=str(below / name))
    with pytest.raises(InputError, match="holds 2 runs: first, second"):
        export.perfetto(below)
    found = export.perfetto_of_each(below)
    assert [each.name for each in found] == ["first", "second"]
    assert found[0].encoded() == export.perfetto(kept).encoded()
