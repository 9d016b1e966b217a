"""A table is declared once, and everything that lists tables or draws charts derives from that."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import pytest

from kubestage.errors import InputError
from kubestage.results import analysis, charts
from kubestage.results.analysis import registry
from kubestage.results.analysis.registry import RunChart, RunTable, table
from kubestage.results.analysis.table import Kind, columns
from kubestage.runs import analyze as analyzing
from tests.results.analysis.stories import rivalry


@pytest.mark.parametrize("declared", analysis.TABLES.values(), ids=lambda each: each.name)
def test_tables_have_the_columns_that_are_declared(declared: RunTable) -> None:
    computed = declared.compute(rivalry().status())
    assert computed.columns == declared.columns
    assert set(declared.narrow) <= set(computed.names)


def test_a_new_table_is_listed_and_drawn_by_its_declaration_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "TABLES", dict(analysis.TABLES))
    monkeypatch.setattr(analysis, "TABLES", registry.TABLES)
    balance = analysis.TABLES["balance"].chart
    assert balance is not None
    chart: RunChart = dataclasses.replace(balance, name="names", order=15)

    @table(
        RunTable(
            name="names",
            title="Names",
            about="the name of each pod",
            row="pod",
            columns=columns(pod=Kind.TEXT),
            order=15,
            chart=chart,
        )
    )
    def names(run: analysis.Digest) -> registry.Rows:
        return [(pod.key,) for pod in run.pods]

    status = rivalry().status()
    assert names(status).column("pod") == analysis.table(status, "pods").column("pod")
    assert analysis.table(status, "names").rows == names(status).rows
    assert list(analysis.TABLES)[:3] == ["summary", "names", "steps"]
    assert analyzing.scenario_tables_listed()["names"] == "the name of each pod"
    assert list(charts.all(status))[:3] == ["allocation", "names", "node-utilization"]


def test_an_unknown_name_is_refused_with_what_there_is() -> None:
    with pytest.raises(InputError, match=r'there is no table "pod" \(did you mean pods\?\)'):
        analysis.table(rivalry().status(), "pod")
    with pytest.raises(
        InputError, match=r'there is no chart "nodes".*use one of allocation, node-'
    ):
        charts.draw(rivalry().status(), "nodes")


def test_all_tables_are_listed_even_if_the_package_is_imported_late() -> None:
    program = """
from kubestage import lazy
with lazy.imports():
    from kubestage.results import charts
from kubestage.results import analysis
print(*analysis.TABLES)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == list(analysis.TABLES)
