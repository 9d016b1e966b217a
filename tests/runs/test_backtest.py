"""Backtests from a program: options and results are values, and nothing is printed."""

from __future__ import annotations

import pathlib

import pytest
import yaml

from kubestage.errors import InputError
from kubestage.runs.backtest import BacktestOptions, backtest
from tests.backtesting.manifests import make_hpa


@pytest.fixture(autouse=True)
def _files(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("cpu.csv").write_text("time,total\n0,1\n60,4\n300,4\n")
    pathlib.Path("hpa.yaml").write_text(yaml.safe_dump(make_hpa()))


def test_a_backtest_gives_decisions(capfd: pytest.CaptureFixture[str]) -> None:
    options = BacktestOptions(requests=("cpu=1",), replicas=2)
    result = backtest("cpu.csv", ["hpa.yaml"], options)
    assert result.headline() == "1 autoscaler, 2 decisions"
    assert result.table().column("after") == ["4", "8"]
    assert result.as_data()[0]["summary"]["rescales"] == 2
    assert "<table>" in result._repr_html_()
    assert capfd.readouterr() == ("", "")


def test_a_chart_needs_a_file_that_it_can_be_written_to() -> None:
    result = backtest("cpu.csv", ["hpa.yaml"], BacktestOptions(requests=("cpu=1",)))
    with pytest.raises(InputError, match="charts are not written as this"):
        result.save_chart("chart.txt")
    with pytest.raises(InputError, match="no such directory"):
        result.save_chart("nowhere/chart.html")
