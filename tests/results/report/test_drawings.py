from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kubestage.results import analysis, report
from kubestage.results.report import drawings
from kubestage.testing import make_node
from tests.results import samples

if TYPE_CHECKING:
    import pathlib


def test_the_charts_of_a_run_stand_in_its_page(tmp_path: pathlib.Path) -> None:
    report.write(tmp_path / "report.html", samples.rivalry())
    text = (tmp_path / "report.html").read_text()
    drawn = re.findall(r'<figure class="chart card[^"]*" id="chart-([\w-]+)">', text)
    assert {"allocation", "pending", "preemptions", "attempts"} <= set(drawn)
    assert text.count("<svg") == len(drawn)
    assert not re.search(r"<(image|script src|link)\b", text)


def test_charts_of_what_never_happened_are_left_out() -> None:
    quiet = samples.scenario({"0": [samples.created(0, make_node("n1"))]})
    drawn = drawings.draw(analysis.digest(quiet))
    assert drawn is not None
    assert not {"pending", "preemptions"} & {each.name for each in drawn}


def test_a_title_is_text_of_the_page_and_not_part_of_the_drawing() -> None:
    drawn = drawings.draw(analysis.digest(samples.rivalry()))
    assert drawn is not None
    assert all(each.title and each.title not in each.svg for each in drawn)


def test_ids_of_two_drawings_do_not_clash() -> None:
    svg = '<?xml version="1.0"?><svg><clipPath id="clip0"/><g clip-path="url(#clip0)"/></svg>'
    assert drawings.inline(svg, "a-") == (
        '<svg><clipPath id="a-clip0"/><g clip-path="url(#a-clip0)"/></svg>'
    )


def test_a_plain_chart_takes_half_of_the_page_and_panels_take_all_of_it() -> None:
    plain = {"width": 900, "height": 500, "mark": {"type": "bar", "size": 10}}
    assert not drawings.fit(plain)
    assert (plain["width"], plain["height"], plain["mark"]) == (
        450, 240, {"type": "bar", "size": 5},
    )  # fmt: skip
    panels = {"spec": {"width": 100, "height": 80}}
    assert drawings.fit(panels)
    assert panels["spec"] == {"width": 140, "height": 80}
