"""Puts results of the scheduler's benchmark into its page.

Run as ``python benchmarks/scheduler_page.py RESULTS``, with the file that ``scheduler.py --json``
has written. The tables in ``docs/performance.md`` are replaced, each between its two marks, and the
charts in ``docs/images`` are drawn again; parts for which there are no results stay.
"""

from __future__ import annotations

import argparse
import json
import pathlib
from typing import TYPE_CHECKING

import scheduler_charts
import scheduler_tables

from kubestage.results import charts

if TYPE_CHECKING:
    from kubestage.aliases import Json

DOCS = pathlib.Path(__file__).parents[1] / "docs"


def filled(page: str, results: Json) -> str:
    """A page with its tables replaced."""
    for name, table in scheduler_tables.sections(results).items():
        start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        if (page.count(start), page.count(end)) != (1, 1):
            raise SystemExit(f"the page should have one place for {name}: {start} ... {end}")
        before, _, rest = page.partition(start)
        after = rest.partition(end)[2]
        page = f"{before}{start}\n\n{table}\n\n{end}{after}"
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--docs", type=pathlib.Path, default=DOCS)
    options = parser.parse_args()
    results: Json = json.loads(options.results.read_text())
    if any(each["real"] is None for each in results["lists"]):
        raise SystemExit("the page is about recorded lists; these were generated")
    page = options.docs / "performance.md"
    page.write_text(filled(page.read_text(), results))
    for name, (needed, draw) in scheduler_charts.CHARTS.items():
        if results.get(needed):
            charts.save(draw(results), options.docs / "images" / f"{name}.svg")


if __name__ == "__main__":
    main()
