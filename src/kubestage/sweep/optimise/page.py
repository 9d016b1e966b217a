"""The report of a search as one page: the answer, the final comparison, and the search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import kubestage
from kubestage.results.report import drawings, life_page, life_tables
from kubestage.results.report.markup import Html, element, join
from kubestage.sweep.optimise import documents
from kubestage.sweep.report import amounts, axis_names
from kubestage.sweep.report.charts import drawing

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.sweep.optimise.result import OptimiseResult
    from kubestage.sweep.optimise.search import Trial

_NO_CHARTS: Final = "pip install 'kubestage[charts]'"
_MOST_TRIALS: Final = 500


def render(result: OptimiseResult) -> str:
    """The page as text, with charts if what draws them is installed."""
    names, rows = documents.finalists(result)
    head = [each.capitalize() if each.isupper() else each for each in names]
    words = [0, *range(len(result.rows.axes)), len(head) - 1]
    final = life_tables.table(head, rows, words)
    sections = [("finalists", "Finalists", Html(_final_charts(result) + _whole(final)))]
    if result.apply:
        code = element("pre", "\n".join(result.apply))
        sections.append(("apply", "Apply it", element("div", code, class_="fine card")))
    sections.append(("search", "Search", Html(_search_charts(result) + _whole(_trials(result)))))
    version = kubestage.__version__
    return life_page.page(f"{result.aims} · optimisation", version, _heading(result), sections)


def _whole(table: Html) -> Html:
    return element("div", table, class_="whole")


def _heading(result: OptimiseResult) -> Html:
    title = str(result.aims)
    decided = result.finals.is_decided and result.finals.leader is not None
    css = "pill Succeeded" if decided else "pill Pending"
    definition = result.definition
    facts = {
        "Command": f"kubestage {' '.join(definition.command)}",
        "Searched": ", ".join(result.rows.axes),
        "Sampler": definition.sampler,
        "Trials": f"{len(result.trials):,}",
        "Runs": f"{len(result.rows.rows):,}",
        "Level": f"{definition.level:g}%",
        "Margin": definition.margin,
        "kubestage": kubestage.__version__,
    }
    entries = [
        element("div", element("dt", name), element("dd", value)) for name, value in facts.items()
    ]
    parts = [
        element("p", "Optimisation", class_="over"),
        element(
            "div",
            element("h1", title[0].upper() + title[1:]),
            element("span", "decided" if decided else "not decided", class_=css),
            class_="titled",
        ),
        element("p", result.headline(), class_="lead"),
        *(element("p", note, class_="soft small") for note in documents.notes(result)),
        element("dl", *entries, class_="facts"),
    ]
    return join(parts, "\n")


def _final_charts(result: OptimiseResult) -> Html:
    report = result.final_report
    if not drawings.can_draw():
        how = element("code", _NO_CHARTS)
        hint = element("p", "Charts are drawn if their libraries are installed: ", how)
        return element("div", hint, class_="fine card")
    if report is None:
        return Html("")
    drawn: dict[str, ChartType] = {}
    for measure in result.aims.measures:
        of_measure = drawing.of_measure(report, measure)
        drawn |= {name: each for name, each in of_measure.items() if name.startswith("intervals")}
    return drawings.figures(drawings.drawn(drawn | drawing.of_front(report)))


def _search_charts(result: OptimiseResult) -> Html:
    if not drawings.can_draw():
        return Html("")
    # It loads a large library.
    from kubestage.sweep.optimise import history_chart  # noqa: PLC0415

    drawn = {}
    for at, objective in enumerate(result.aims.objectives):
        chart = history_chart.history(result, at)
        if chart is not None:
            drawn[f"history-{drawing.slug(objective.measure)}"] = chart
    return drawings.figures(drawings.drawn(drawn))


def _trials(result: OptimiseResult) -> Html:
    units = [result.rows.measures[each.measure].unit for each in result.aims.objectives]

    def values(trial: Trial) -> list[str]:
        if trial.values is None:
            return ["-"] * len(units)
        return [amounts.amount(*each) for each in zip(trial.values, units, strict=True)]

    rows = [
        (
            str(each.number),
            *(axis_names.value(each.parameters.get(axis)) for axis in result.rows.axes),
            *values(each),
            str(each.seeds),
            "repeated"
            if each.is_repeated
            else each.ended or ("" if each.is_feasible else "misses a limit"),
        )
        for each in result.trials[:_MOST_TRIALS]
    ]
    names = [each.measure for each in result.aims.objectives]
    head = ("Trial", *axis_names.short(result.rows.axes), *names, "Seeds", "Note")
    return life_tables.table(head, rows, [len(head) - 1])
