"""The report of a run: one HTML file that shows it to people and needs nothing else.

Here belong the words, tables and pictures of the page and how they are put together. The numbers
are made in ``analysis`` and the charts in ``charts``; nothing is calculated here.
"""

from __future__ import annotations

from kubestage.results.report.page import render, write

__all__ = ["render", "write"]
