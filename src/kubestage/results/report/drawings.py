"""The charts as SVG that stands in the page itself and takes on its colours.

Titles go into the page as text, where they wrap and are found by a search. What the style sheet
says of axes and labels (by Vega's class names) wins over the colours in the SVG, so that one
drawing serves light and dark.
"""

from __future__ import annotations

import importlib.util
import re
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.results.analysis import registry
from kubestage.results.charts import libraries, specification
from kubestage.results.report.markup import Html, element

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from altair.typing import ChartType

    from kubestage.results.analysis import Digest


NEEDED: Final = libraries.NAMES
_IDENTITY: Final = re.compile(r'(\bid="|url\(#|href="#)')
# A plain chart fills half of the page, panels beside each other all of it.
_HALF_PIXELS: Final = 450
_HALF_HEIGHT: Final = 240
_WHOLE_PIXELS: Final = 900
_PANEL_GROWTH: Final = 1.4


class Drawing(msgspec.Struct, frozen=True):
    """A chart that is drawn, with what is to be read beside it."""

    name: str
    title: str
    subtitle: str
    svg: Html
    is_wide: bool


def draw(run: Digest) -> list[Drawing] | None:
    """Every chart of a run that has content; None if what draws them is not installed."""
    if not can_draw():
        return None
    shown = [each for each in registry.charts(run) if each.has_content(run)]
    return drawn({each.name: each.draw(run) for each in shown})


def can_draw() -> bool:
    """Whether the libraries that draw charts are installed."""
    return all(importlib.util.find_spec(name) is not None for name in NEEDED)


def drawn(named: Mapping[str, ChartType]) -> list[Drawing]:
    """Charts as they stand in a page."""
    # Large, and part of an extra.
    import vl_convert  # noqa: PLC0415

    found = []
    for name, chart in named.items():
        spec = specification.of(chart)
        title = spec.pop("title", {})
        is_wide = fit(spec)
        svg = inline(vl_convert.vegalite_to_svg(spec), f"{name}-")
        found.append(
            Drawing(name, title.get("text") or name, title.get("subtitle") or "", svg, is_wide)
        )
    return found


def fit(spec: Json) -> bool:
    """Give a chart the size that it has on the page; whether it takes the whole width."""
    spec["config"] = {**spec.get("config", {}), "background": None, "padding": 4}
    panel = spec.get("spec")
    if panel is not None:
        panel["width"] = round(panel["width"] * _PANEL_GROWTH)
        return True
    if (spec.get("usermeta") or {}).get("wide"):
        spec["width"] = _WHOLE_PIXELS
        return True
    for mark in (layer.get("mark") for layer in (spec, *spec.get("layer", ()))):
        if isinstance(mark, dict) and mark.get("type") == "bar" and "size" in mark:
            mark["size"] *= _HALF_PIXELS / spec["width"]
    spec["width"], spec["height"] = _HALF_PIXELS, min(spec["height"], _HALF_HEIGHT)
    return False


def inline(svg: str, prefix: str) -> Html:
    """An SVG file as part of a page: ids must not clash with those of another chart."""
    start = svg.index("<svg")
    return Html(_IDENTITY.sub(lambda found: found.group(1) + prefix, svg[start:]))


def figures(shown: Sequence[Drawing]) -> Html:
    """The charts side by side."""
    return element(
        "div",
        *(
            element(
                "figure",
                element(
                    "figcaption",
                    element("h3", each.title),
                    element("p", each.subtitle, class_="soft small"),
                ),
                each.svg,
                class_="chart card wider" if each.is_wide else "chart card",
                id=f"chart-{each.name}",
            )
            for each in shown
        ),
        class_="charts",
    )
