"""Reports of a sweep: tables for people and programs, charts, and a page.

Belongs here: how the figures of `kubestage.sweep.statistics` are worded and drawn. Not here: how
they are computed. ::

    from kubestage.sweep import results
    from kubestage.sweep.report import ReportOptions, report

    report(results.open("sweeps/1"), ReportOptions(against="nodes=20")).to_pandas()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import lazy

if TYPE_CHECKING:
    from kubestage.sweep.report.options import ReportOptions
    from kubestage.sweep.report.sweep_report import SweepReport, report

__all__ = ["ReportOptions", "SweepReport", "report"]

__getattr__ = lazy.exports(__name__)
