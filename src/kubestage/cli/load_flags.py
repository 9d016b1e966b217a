"""Flags that ``kubestage load`` and ``kubestage load find-limit`` have for their output."""

from __future__ import annotations

from typing import Annotated

from kubestage.runs.flags import Flag

ReportDirectory = Annotated[
    str | None,
    Flag("Keep what was measured, and report.html.", "--report-dir", metavar="DIR"),
]
Output = Annotated[
    str,
    Flag(
        "table or json.",
        "-o",
        metavar="FORMAT",
        choices=("table", "json"),
        noun="output format",
    ),
]
