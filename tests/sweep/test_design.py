from __future__ import annotations

import pytest

from kubestage.errors import InputError
from kubestage.sweep import values
from kubestage.sweep.axes import Axis
from kubestage.sweep.design import Design

A = Axis("a", (1, 2))
B = Axis("b", ("x", "y", "z"))
DRAWN = Axis("d", values.parse("uniform(0.0,1.0)"))


def test_a_grid_has_every_combination_with_every_seed() -> None:
    design = Design((A, B), (5, 7))
    found = list(design.tasks())
    assert len(found) == design.size == 12
    assert [each.index for each in found] == list(range(12))
    assert found[0].parameters == {"a": 1, "b": "x"}
    assert found[1].parameters == {"a": 1, "b": "y"}
    assert [each.seed for each in found] == [5] * 6 + [7] * 6


def test_without_axes_there_is_one_setting() -> None:
    assert Design((), (1, 2)).settings() == [{}]


def test_more_seeds_leave_the_places_of_the_others() -> None:
    design = Design((A, B), (5, 7))
    more = design.with_more_seeds(2)
    assert more.seeds == (5, 7, 8, 9)
    assert list(more.tasks())[:12] == list(design.tasks())


def test_a_latin_hypercube_has_one_draw_in_each_part() -> None:
    design = Design((DRAWN, Axis("e", DRAWN.values)), method="lhs", samples=20)
    for path in ("d", "e"):
        drawn = sorted(float(str(each[path])) for each in design.settings())
        assert [int(20 * each) for each in drawn] == list(range(20))
    first, second = ([each[path] for each in design.settings()] for path in ("d", "e"))
    assert first != second


def test_a_latin_hypercube_has_each_value_of_a_list_equally_often() -> None:
    design = Design((B,), method="lhs", samples=6)
    found = sorted(str(each["b"]) for each in design.settings())
    assert found == ["x", "x", "y", "y", "z", "z"]


def test_random_draws_depend_on_the_sampling_seed_alone() -> None:
    design = Design((DRAWN, A), method="random", samples=10)
    assert design.settings() == design.settings()
    other = Design((DRAWN, A), method="random", samples=10, sampling_seed=1)
    assert design.settings() != other.settings()
    longer = Design((DRAWN, A), method="random", samples=15)
    assert longer.settings()[:10] == design.settings()


@pytest.mark.parametrize(
    ("design", "problem"),
    [
        (Design((DRAWN,)), "no distributions"),
        (Design((A,), samples=3), "all combinations"),
        (Design((A,), method="random"), "is missing"),
        (Design((A,), (1, 1)), "each seed counts once"),
        (Design((A,), ()), "each seed counts once"),
        (Design((Axis("n", tuple(range(4000))), Axis("m", tuple(range(4000))))), "too many"),
    ],
)
def test_what_makes_no_sense_is_refused(design: Design, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        design.check()
