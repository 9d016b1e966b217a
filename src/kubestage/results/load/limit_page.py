"""The page of a search for a limit: what it came to, its chart, and every load that was tried."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.results.load import page, page_heading, page_tables, pictures, wording
from kubestage.results.load.about import About
from kubestage.results.load.slo import Slo
from kubestage.results.report import drawings
from kubestage.results.report.markup import Html, count, element, join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.report.drawings import Drawing


_UNKNOWN: Final = About(version="")
_SPREADS: Final = {"meets": "Succeeded", "misses": "Failed"}


def render(search: Json, about: About | None = None) -> str:
    """The page as text."""
    about = about or _UNKNOWN
    verdict, css = (
        ("No limit found", "Failed") if search["limit"] is None else ("Found", "Succeeded")
    )
    facts = {
        "Varied": search["vary"],
        "Goals": ", ".join(search["slos"]),
        "Configuration": search.get("config", ""),
        "Confidence": f"{search['confidence']:.0%}" if search.get("confidence") else "",
        "Nodes": "" if about.nodes is None else f"{about.nodes:,}",
        "Control plane": about.profile,
        "kubestage": about.version,
    }
    head = [
        element("p", "Search for a limit", class_="over"),
        element(
            "div",
            element("h1", f"How much {search['vary']}?"),
            element("span", verdict, class_=f"pill {css}"),
            class_="titled",
        ),
        element("p", lead(search), class_="lead"),
        element(
            "dl",
            *(
                element("div", element("dt", name), element("dd", value))
                for name, value in facts.items()
                if value
            ),
            class_="facts",
        ),
    ]
    if about.command:
        head.append(page_heading.again(about.command))
    charts = element(
        "section", element("h2", "Chart"), page.drawn_or_how(_drawn(search)), id="chart"
    )
    loads = element("section", element("h2", "Loads"), _loads(search), id="loads")
    places = [("chart", "Chart"), ("loads", "Loads")]
    title = f"Limit of {search['vary']}"
    beside = "Every load, and every run of it, is in limit.json beside this page."
    return page.framed(title, join(head, "\n"), places, [charts, loads], about, beside)


def lead(search: Json) -> str:
    """What was found, in a sentence or two."""
    goals = " and ".join(search["slos"])
    limit, above = search["limit"], search.get("above")
    if limit is None:
        tried = min((point["value"] for point in search["points"]), default=None)
        sentence = f"No load that was tried meets {goals}."
        return sentence if tried is None else f"{sentence} The lowest was {tried:g}."
    unsure = search.get("unsure") or []
    hold = "holds" if len(search["slos"]) == 1 else "hold"
    sentence = f"{goals} {hold} up to {limit:g}"
    if unsure:
        sentence += f"; the seeds disagree at {', '.join(f'{each:g}' for each in unsure)}"
    if above is not None:
        sentence += f"{';' if unsure else ', and'} no longer at {above:g}."
    else:
        sentence += "." if unsure else ", the highest that was tried."
    if search.get("monotonic") is False:
        sentence += " A higher load meets it again, so there is more than one limit."
    return f"{sentence} {search.get('influence', '')}".rstrip()


def chart(search: Json) -> ChartType | None:
    """All goals one below the other; None if no run has a value."""
    # Large, and part of an extra.
    from kubestage.results.charts import load  # noqa: PLC0415

    return load.limit_charts(
        {Slo.parsed(text): _points(search, text) for text in search["slos"]},
        limit=search["limit"],
        varied=search["vary"],
    )


def _points(search: Json, slo: str) -> list[Json]:
    name = Slo.parsed(slo).name
    return [
        {"load": point["value"], "seed": run["seed"], "value": run["values"].get(name)}
        for point in search["points"]
        for run in point["runs"]
    ]


def _drawn(search: Json) -> list[Drawing] | None:
    if not drawings.can_draw():
        return None
    # Large, and part of an extra.
    from kubestage.results.charts import load  # noqa: PLC0415

    found = []
    for at, text in enumerate(search["slos"], 1):
        chart = load.limit_chart(
            _points(search, text), Slo.parsed(text), limit=search["limit"], varied=search["vary"]
        )
        if chart is not None:
            found.append(pictures.picture(chart, f"limit-{at}", is_wide=True))
    return found


def _loads(search: Json) -> Html:
    slos = [Slo.parsed(text) for text in search["slos"]]
    head = (
        "Load",
        "Verdict",
        "Runs",
        "Met",
        "Requested/s",
        "Achieved/s",
        *(each.name for each in slos),
    )
    rows = [
        (
            f"{point['value']:g}",
            element(
                "span", point["verdict"], class_=f"dot {_SPREADS.get(point['verdict'], 'Pending')}"
            ),
            f"{len(point['runs']):,}",
            f"{sum(run['met'] for run in point['runs']):,}",
            _mean(point, "requested"),
            _mean(point, "achieved"),
            *(_spread(point, each) for each in slos),
        )
        for point in search["points"]
    ]
    lead = f"{count(len(rows), 'load')} from low to high; values are those of all seeds."
    return Html(element("p", lead, class_="soft small") + page_tables.table(head, rows))


def _mean(point: Json, name: str) -> str:
    rates = [run[name] for run in point["runs"] if name in run]
    return f"{sum(rates) / len(rates):.4g}" if rates else "–"


def _spread(point: Json, slo: Slo) -> str:
    known: Sequence[float] = [
        run["values"][slo.name] for run in point["runs"] if run["values"].get(slo.name) is not None
    ]
    if not known:
        return "no samples"
    low, high = (wording.amount(each, slo.unit) for each in (min(known), max(known)))
    return low if low == high else f"{low} to {high}"
