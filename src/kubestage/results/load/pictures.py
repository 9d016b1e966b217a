"""Charts as they stand in a page, the same bytes whenever they are drawn."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.results.charts import specification
from kubestage.results.report import drawings
from kubestage.results.report.drawings import Drawing

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.aliases import Json


_HALF_PIXELS: Final = 450
_HALF_HEIGHT: Final = 240
_WHOLE_PIXELS: Final = 740
_IDENTITY: Final = re.compile(r'(\bid="|url\(#|href="#)([^")]+)')


def picture(chart: ChartType, name: str, *, is_wide: bool = False) -> Drawing:
    """A chart that takes half of the page's width, or all of it."""
    # Large, and part of an extra.
    import vl_convert  # noqa: PLC0415

    spec = specification.of(chart)
    title = spec.pop("title")
    _fit(spec, is_wide=is_wide)
    svg = drawings.inline(_numbered(vl_convert.vegalite_to_svg(spec)), f"{name}-")
    return Drawing(name, title["text"], title.get("subtitle") or "", svg, is_wide)


def _fit(spec: Json, *, is_wide: bool) -> None:
    spec["config"] = {**spec.get("config", {}), "background": None, "padding": 4}
    if is_wide:
        spec["width"] = _WHOLE_PIXELS
        return
    spec["width"], height = _HALF_PIXELS, spec["height"]
    spec["height"] = min(height, _HALF_HEIGHT)
    for layer in spec.get("layer", ()):
        place = layer.get("encoding", {}).get("y", {})
        if "value" in place:
            place["value"] -= height - spec["height"]


def _numbered(svg: str) -> str:
    """Identities from 1 on: what draws goes on counting from one chart to the next."""
    known: dict[str, str] = {}

    def renamed(found: re.Match[str]) -> str:
        return found[1] + known.setdefault(found[2], str(len(known) + 1))

    return _IDENTITY.sub(renamed, svg)
