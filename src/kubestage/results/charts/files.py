"""Charts as files."""

from __future__ import annotations

import html
import pathlib
from typing import TYPE_CHECKING, Any, Final

import vl_convert

from kubestage.errors import InputError

if TYPE_CHECKING:
    from altair.typing import ChartType

_SHARPNESS: Final = 2.0
_UNTITLED: Final = "<title>Chart</title>"


def save(chart: ChartType, path: str | pathlib.Path) -> None:
    """Write a chart as PNG, SVG or HTML, as the name ends; a page needs no network."""
    place = pathlib.Path(path)
    spec = chart.to_dict()
    suffix = place.suffix.lower()
    if suffix == ".png":
        place.write_bytes(vl_convert.vegalite_to_png(spec, scale=_SHARPNESS))
    elif suffix == ".svg":
        place.write_text(vl_convert.vegalite_to_svg(spec), encoding="utf-8")
    elif suffix == ".html":
        place.write_text(_page(spec), encoding="utf-8")
    else:
        raise InputError(
            f'charts are not written as "{suffix}"',
            file=str(path),
            fix="name a file that ends in .png, .svg or .html",
        )


def _page(spec: dict[str, Any]) -> str:
    page: str = vl_convert.vegalite_to_html(spec, bundle=True)
    title = f"<title>{html.escape(spec['title']['text'])}</title>"
    return page.replace(_UNTITLED, title, 1)
