"""An options class becomes flags, and flags become an options object."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
import typer

from kubestage.cli import help_page, option_objects
from kubestage.errors import InputError
from kubestage.runs.flags import Flag, Options


class _Choices(Options, frozen=True, kw_only=True):
    seed: Annotated[int, Flag("A seed.")] = 0
    plugins: Annotated[tuple[str, ...], Flag("Plugins.", "--plugin")] = ()
    pace: Annotated[Literal["fast", "slow"], Flag("A pace.", env="MY_PACE")] = "slow"
    jobs: Annotated[int | None, Flag("Jobs.", minimum=1, default="one per core")] = None


seen: list[Any] = []


@option_objects.command
def _run(
    files: Annotated[list[str], typer.Argument()],
    options: _Choices,
    show_all: Annotated[bool, Flag("All.", "--all", after="seed")] = False,
) -> int:
    """Run it."""
    seen[:] = [files, options, show_all]
    return 3


@pytest.fixture
def application() -> help_page.Application:
    made = help_page.Application(name="some")
    made.command("run")(_run)
    made.command("other")(lambda: None)
    return made


def _call(application: help_page.Application, *words: str) -> Any:
    return application(args=["run", *words], prog_name="some", standalone_mode=False)


def test_flags_become_an_options_object(application: help_page.Application) -> None:
    code = _call(application, "a", "--plugin", "x", "--plugin", "y", "--all", "--jobs", "2")
    assert code == 3
    assert seen == [["a"], _Choices(plugins=("x", "y"), jobs=2), True]


def test_defaults_are_those_of_the_class(application: help_page.Application) -> None:
    _call(application, "a")
    assert seen == [["a"], _Choices(), False]


def test_the_help_page_is_made_from_the_class(
    application: help_page.Application, capsys: pytest.CaptureFixture[str]
) -> None:
    _call(application, "--help")
    page = capsys.readouterr().out
    assert page.index("--seed") < page.index("--all") < page.index("--plugin")
    assert "--pace fast|slow" in page
    assert "Jobs. [default: one per core]" in page


def test_a_wrong_word_is_an_input_error(application: help_page.Application) -> None:
    with pytest.raises(InputError, match='unknown pace "fsat"'):
        _call(application, "a", "--pace", "fsat")


def test_a_wrong_word_of_a_variable_names_the_variable(
    application: help_page.Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_PACE", "odd")
    with pytest.raises(InputError, match='unknown MY_PACE "odd"'):
        _call(application, "a")
