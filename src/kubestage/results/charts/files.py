"""Charts as files."""

from __future__ import annotations

import html
import pathlib
from typing import TYPE_CHECKING, Any, Final

import vl_convert

from kubestage.errors import InputError
from kubestage.files import writing
from kubestage.results.charts import specification

if TYPE_CHECKING:
    from altair.typing import ChartType

_SHARPNESS: Final = 2.0
_UNTITLED: Final = "<title>Chart</title>"


def save(chart: ChartType, path: str | pathlib.Path) -> None:
    """Write a chart as PNG, SVG or HTML, as the name ends; a page needs no network."""
    place = pathlib.Path(path)
    spec = specification.of(chart)
    suffix = place.suffix.lower()
    if suffix == ".png":
        writing.write(place, vl_convert.vegalite_to_png(spec, scale=_SHARPNESS))
    elif suffix == ".svg":
        writing.write(place, vl_convert.vegalite_to_svg(spec))
    elif suffix == ".html":
        writing.write(place, _page(spec))
    else:
        raise InputError(
            f'charts are not written as "{suffix}"',
            file=str(path),
            fix="name a file that ends in .png, .svg or .html",
        )


def _page(spec: dict[str, Any]) -> str:
    page = specification.page(spec)
    title = f"<title>{html.escape(spec['title']['text'])}</title>"
    return page.replace(_UNTITLED, title, 1)
