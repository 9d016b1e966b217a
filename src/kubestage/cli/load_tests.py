"""From the files that a person names to the tests that are run, each read and checked."""

from __future__ import annotations

import pathlib
import re
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.cli import load_files
from kubestage.errors import InputError
from kubestage.load import loading, suites
from kubestage.load.reading.problems import InvalidConfig
from kubestage.runs.inputs import file_kinds, text_files
from kubestage.runs.inputs.file_kinds import FileKind

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from kubestage.cli.load_choices import Choices
    from kubestage.load.loading import Loaded
    from kubestage.measure.registry import Registry

_SUITE_BEGINNINGS: Final = ("- ", "-\n", "[")


class Test(msgspec.Struct, frozen=True):
    """One configuration that is run; a suite gives it an identifier and overrides of its own."""

    # pytest takes classes of this name for its own.
    __test__ = False

    path: str
    identifier: str = ""
    overrides: tuple[str, ...] = ()


def named(configs: Sequence[str], named_suites: Sequence[str]) -> list[Test]:
    """The tests of configurations and suites, in the order in which they are named."""
    found: list[Test] = []
    for config in configs:
        text = text_files.read(config, "CONFIG")
        file_kinds.expect(FileKind.LOAD, config, text.encode(), FileKind.SUITE, FileKind.MODULE)
        found.extend(_scenarios(config, text) if _is_suite(text) else [Test(config)])
    for suite in named_suites:
        text = text_files.read(suite, "--suite")
        if not _is_suite(text):
            fix = f"if it is a configuration, leave --suite out: kubestage load {suite}"
            raise InputError("is no list of tests", file=suite, path="--suite", fix=fix)
        found.extend(_scenarios(suite, text))
    if not found:
        raise InputError(
            "no configuration named", path="CONFIG", fix="see `kubestage load --help` for examples"
        )
    return found


def load(
    test: Test,
    choices: Choices,
    nodes: int,
    registry: Registry,
    random: random.Random,
    seen: set[pathlib.Path] | None = None,
) -> Loaded:
    """Render, read and check one test; problems name files as the person would.

    The files that it reads are added to `seen`.
    """
    parameters = _parameters(test, choices, nodes)
    config = pathlib.Path(test.path)
    root = None if choices.root is None else pathlib.Path(choices.root)
    files, name = load_files.beside(config, root)
    try:
        return loading.load(
            name,
            files,
            parameters,
            methods=registry,
            random=random,
            is_strict=choices.is_strict,
        )
    except InvalidConfig as error:
        for problem in error.problems:
            _place(problem, config)
        raise
    except InputError as error:
        _place(error, config)
        raise
    finally:
        if seen is not None:
            seen |= files.seen


def _parameters(test: Test, choices: Choices, nodes: int) -> loading.Parameters:
    named = (*choices.overrides, *test.overrides)
    overrides = [(each, text_files.read(each, "--testoverrides")) for each in named]
    environment = choices.environment
    if choices.varied is not None:
        name, value = choices.varied
        text = str(int(value)) if float(value).is_integer() else repr(value)
        # The environment may not contradict an override; where there is one, a later one wins.
        is_overridden = any(re.search(rf"(?m)^{name}\s*:", each) for _, each in overrides)
        if name.startswith("CL2_") and not is_overridden:
            environment = {**environment, name: text}
        else:
            overrides.append(("--vary", f"{name}: {text}\n"))
    return loading.Parameters(
        nodes=nodes,
        image_registry=choices.image_registry,
        env=environment,
        overrides=tuple(overrides),
        overwrite=choices.overwrite,
        skip_steps=choices.skip_steps,
    )


def _place(problem: InputError, config: pathlib.Path) -> None:
    """Files are named from the configuration's folder; a person stands elsewhere."""
    if problem.file:
        place = config.parent / problem.file.lstrip("/")
        if place.exists():
            problem.file = str(place)


def _is_suite(text: str) -> bool:
    """Whether a text is a list: a configuration is a mapping, and may be no YAML before it is
    rendered.
    """
    for line in text.splitlines(keepends=True):
        if line.strip() and not line.startswith(("#", "---", "%")):
            return line.startswith(_SUITE_BEGINNINGS)
    return False


def _scenarios(suite: str, text: str) -> list[Test]:
    place = pathlib.Path(suite)
    return [
        Test(
            str(load_files.named_in(place, each.config_path)),
            each.identifier,
            tuple(str(load_files.named_in(place, path)) for path in each.override_paths),
        )
        for each in suites.read(text, suite)
    ]
