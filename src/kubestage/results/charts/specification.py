"""Charts as Vega-Lite reads them, safe to draw and to put into a page.

The names in a chart come from files. What draws it ends the whole process at a control character in
one of them, and a page ends its script where a name does.
"""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from altair.typing import ChartType

    from kubestage.aliases import Json

# Control characters, and halves of characters that no text holds.
_UNSAFE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

# A character without a meaning, which stands for < until the page is written.
_MARK: Final = "\ue03c"


def of(chart: ChartType) -> Json:
    """The specification of a chart; control characters are replaced in all its texts."""
    # NOTE: Altair checks each part when it is made; to check the whole again takes as long as the
    # rest of this (tests/results/charts has every chart checked).
    found: Json = _each_text(
        chart.to_dict(validate=False), lambda text: _UNSAFE.sub("\ufffd", text)
    )
    return found


def drawn(draw: Callable[[], ChartType | None]) -> Json | None:
    """The same of a chart that is yet to be drawn, as fast as that goes; None if it is empty."""
    # Large, and part of an extra.
    from kubestage.results.charts import style  # noqa: PLC0415

    with style.rows_apart() as rows, unchecked():
        chart = draw()
        spec = None if chart is None else chart.to_dict(validate=False)
    if spec is None:
        return None
    spec["datasets"] = {name: rows[each] for name, each in spec.get("datasets", {}).items()}
    found: Json = _each_text(spec, lambda text: _UNSAFE.sub("\ufffd", text))
    return found


@contextlib.contextmanager
def unchecked() -> Iterator[None]:
    """Have Altair check no part of a chart that is drawn in this block.

    NOTE: that is a quarter of the time of the charts of a load (tests/results/charts has every
    chart checked).
    """
    # Large, and part of an extra.
    from altair.utils import schemapi  # noqa: PLC0415

    with schemapi.debug_mode(False):
        yield


def page(spec: Json) -> str:
    """A page with the chart, which needs no network; no text of the chart can end its script."""
    # Large, and part of an extra.
    import vl_convert  # noqa: PLC0415

    marked = _each_text(spec, lambda text: text.replace(_MARK, "\ufffd").replace("<", _MARK))
    drawn: str = vl_convert.vegalite_to_html(marked, bundle=True)
    return drawn.replace(_MARK, "\\u003c")


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key): _each_text(each, change) for key, each in value.items()}
    return [_each_text(each, change) for each in value] if isinstance(value, list) else value
