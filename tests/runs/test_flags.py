"""An options class is written once, and says what is wrong with a value."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest

from kubestage.errors import InputError
from kubestage.runs import flags
from kubestage.runs.flags import START, Flag, Options
from kubestage.runs.run_options import RunOptions


class _Shared(Options, frozen=True, kw_only=True):
    seed: Annotated[int, Flag("A seed.")] = 0
    nodes: Annotated[int | None, Flag("Nodes.", minimum=1, maximum=9)] = None
    internal: str = "no flag"


class _More(_Shared, frozen=True, kw_only=True):
    goals: Annotated[tuple[str, ...], Flag("Goals.", "--goal", after=START)]
    steps: Annotated[int, Flag("Steps.", "-s")] = 1
    how: Annotated[Literal["fast", "slow"] | None, Flag("How.", noun="pace", after="seed")] = None


def test_fields_are_listed_in_the_order_of_the_help_page() -> None:
    assert [each.name for each in flags.fields(_Shared)] == ["seed", "nodes"]
    assert [each.name for each in flags.fields(_More)] == ["goals", "steps", "seed", "how", "nodes"]


def test_a_field_knows_its_names_type_and_choices() -> None:
    goals, steps, _, how, _ = flags.fields(_More)
    assert (goals.names, goals.is_many, goals.required) == (("--goal",), True, True)
    assert (steps.names, steps.type, steps.default) == (("-s", "--steps"), int, 1)
    assert (how.choices, how.type) == (("fast", "slow"), str | None)


def test_a_value_that_is_none_of_the_choices_is_refused() -> None:
    with pytest.raises(InputError, match='unknown pace "fats"') as caught:
        _More(goals=(), how="fats")  # type: ignore[arg-type]
    assert caught.value.fix == "did you mean fast? use one of fast, slow"


@pytest.mark.parametrize("nodes", [0, 10])
def test_a_number_beyond_its_limits_is_refused(nodes: int) -> None:
    with pytest.raises(InputError) as caught:
        _Shared(nodes=nodes)
    assert (caught.value.path, caught.value.fix) == ("--nodes", "use at least 1 and at most 9")


def test_the_options_of_a_run_are_as_usual_without_arguments() -> None:
    assert RunOptions() == RunOptions(seed=0, tie_break="heap", detail="decisions")
