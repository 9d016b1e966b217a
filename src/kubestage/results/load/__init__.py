"""What a load leaves behind: files for perfdash and CI, rows of everything, a page for people.

Belongs here: the report directory of a load, how its files are written, and how it is opened again.
Not here: how a load runs (``load``), what is measured (``measure``), how charts look (``charts``).

``ReportDirectory`` writes, ``reading.open_report`` opens, ``LimitDirectory`` keeps a search.
"""

from __future__ import annotations
