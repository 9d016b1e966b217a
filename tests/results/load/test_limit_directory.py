"""A search for a limit, kept: page, picture and data."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.results.load import limit_page
from kubestage.results.load.limit_directory import LimitDirectory
from kubestage.results.report import drawings
from tests.results.load.loads import ABOUT
from tests.results.report.test_page import EVIL, Page

if TYPE_CHECKING:
    import pathlib


def make_search(**changes: Any) -> dict[str, Any]:
    points = [
        {
            "value": load,
            "verdict": verdict,
            "runs": [
                {"seed": seed, "met": verdict == "meets", "values": {"p99": load / 10 + seed}}
                for seed in (0, 1)
            ],
        }
        for load, verdict in ((10.0, "meets"), (20.0, "meets"), (50.0, "misses"))
    ]
    search = {"vary": "qps", "slos": ["p99<=4s"], "limit": 20.0, "above": 50.0, "points": points}
    return {**search, **changes}


def text(search: dict[str, Any]) -> str:
    return re.sub(r"\s+", " ", " ".join(Page(limit_page.render(search, ABOUT)).texts))


def test_page_picture_and_data_are_written(tmp_path: pathlib.Path) -> None:
    for name in ("one", "two"):
        with LimitDirectory(tmp_path / name) as directory:
            directory.write(make_search(), ABOUT)
    place = tmp_path / "one"
    assert {each.name for each in place.iterdir()} == {"limit.html", "limit.png", "limit.json"}
    assert json.loads((place / "limit.json").read_text()) == make_search()
    assert (place / "limit.png").read_bytes().startswith(b"\x89PNG")
    for each in place.iterdir():
        assert each.read_bytes() == (tmp_path / "two" / each.name).read_bytes()
    page = Page((place / "limit.html").read_text())
    assert page.open == []
    assert "svg" in [tag for tag, _ in page.elements]


def test_the_page_says_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawings, "can_draw", bool)
    told = text(make_search())
    assert "p99<=4s holds up to 20, and no longer at 50." in told
    between = "p99<=4s holds up to 20; the seeds disagree at 30; no longer at 50."
    assert between in text(make_search(unsure=[30.0]))
    assert "10 meets 2 2 – – 1 s to 2 s 20 meets" in told
    assert "50 misses 2 0 – – 5 s to 6 s" in told
    assert "kubestage[charts]" in told
    assert "is in limit.json beside this page" in told
    assert "load.sqlite" not in told
    assert "holds up to 20, the highest that was tried." in text(make_search(above=None))
    assert "There is more than one" not in told
    assert "so there is more than one limit" in text(make_search(monotonic=False))
    none = text(make_search(limit=None))
    assert "No load that was tried meets p99<=4s. The lowest was 10." in none


def test_runs_without_a_value_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawings, "can_draw", bool)
    runs = [{"seed": 0, "met": False, "values": {"p99": None}}]
    search = make_search(points=[{"value": 5.0, "verdict": "unsure", "runs": runs}], limit=None)
    assert "5 unsure 1 0 – – no samples" in text(search)


def test_without_what_draws_there_is_no_picture(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with LimitDirectory(tmp_path) as directory:
        directory.write(make_search())
    monkeypatch.setattr(drawings, "can_draw", bool)
    with LimitDirectory(tmp_path) as directory:
        directory.write(make_search())
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "limit.html",
        "limit.json",
        "notes.txt",
    ]


def test_a_file_of_another_program_is_not_replaced(tmp_path: pathlib.Path) -> None:
    (tmp_path / "limit.json").write_text('{"limit": 3}')
    with pytest.raises(InputError, match=r"holds limit.json, which this would replace"):
        LimitDirectory(tmp_path)


def test_nothing_becomes_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawings, "can_draw", bool)
    page = Page(limit_page.render(make_search(vary=EVIL, config=EVIL)))
    assert page.open == []
    assert len(page.scripts) == 2
