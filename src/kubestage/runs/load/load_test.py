"""The tests of a load: found by the files that are named, rendered, read and checked."""

from __future__ import annotations

import pathlib
import re
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.clusterloader import config_loading, suites
from kubestage.clusterloader.reading.problems import InvalidConfig
from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.runs.inputs import file_kinds, text_files
from kubestage.runs.inputs.file_kinds import FileKind
from kubestage.runs.load import source_files

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from kubestage.clusterloader.config_loading import LoadedConfig
    from kubestage.measure.registry import Registry
    from kubestage.runs.load.options import LoadOptions

_SUITE_BEGINNINGS: Final = ("- ", "-\n", "[")


class LoadTest(msgspec.Struct, frozen=True):
    """One configuration that is run; a suite gives it an identifier and overrides of its own.

    `warnings` are about the suite.
    """

    path: str
    identifier: str = ""
    overrides: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def find(configs: Sequence[str], suite_files: Sequence[str] = ()) -> list[LoadTest]:
    """The tests of configurations and suites, in the order in which they are named."""
    found: list[LoadTest] = []
    for config in configs:
        text = text_files.read(config, "CONFIG")
        file_kinds.expect(FileKind.LOAD, config, text.encode(), FileKind.SUITE, FileKind.MODULE)
        found.extend(_suite_tests(config, text) if _is_suite(text) else [LoadTest(config)])
    for suite in suite_files:
        text = text_files.read(suite, "--suite")
        if not _is_suite(text):
            fix = f"if it is a configuration, leave --suite out: kubestage load {suite}"
            raise InputError("is no list of tests", file=suite, path="--suite", fix=fix)
        found.extend(_suite_tests(suite, text))
    if not found:
        raise InputError(
            "no configuration named", path="CONFIG", fix="see `kubestage load --help` for examples"
        )
    return found


def select(tests: str | Sequence[str | LoadTest]) -> list[LoadTest]:
    """Tests as they are, and those of files that are named."""
    named = [tests] if isinstance(tests, str) else tests
    return [
        test for each in named for test in ([each] if isinstance(each, LoadTest) else find([each]))
    ]


def load(
    test: LoadTest,
    options: LoadOptions,
    nodes: int,
    registry: Registry,
    rng: random.Random,
    seen: set[pathlib.Path] | None = None,
) -> LoadedConfig:
    """Render, read and check one test; problems name files from the working folder.

    The files that it reads are added to `seen`.
    """
    if test.warnings and options.is_strict:
        raise InvalidConfig(tuple(InputError(each) for each in test.warnings))
    parameters = _parameters(test, options, nodes)
    config = pathlib.Path(test.path)
    root = None if options.root is None else pathlib.Path(options.root)
    files, name = source_files.beside(config, root)
    try:
        loaded = config_loading.load(
            name,
            files,
            parameters,
            methods=registry,
            random=rng,
            is_strict=options.is_strict,
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
    return msgspec.structs.replace(loaded, warnings=(*test.warnings, *loaded.warnings))


def _parameters(test: LoadTest, options: LoadOptions, nodes: int) -> config_loading.Parameters:
    named = (*options.overrides, *test.overrides)
    overrides = [(each, text_files.read(each, "--testoverrides")) for each in named]
    environment = options.environment
    for name, value in options.varied:
        text = _yaml_text(value)
        # The environment may not contradict an override; where there is one, a later one wins.
        is_overridden = any(re.search(rf"(?m)^{name}\s*:", each) for _, each in overrides)
        if name.startswith("CL2_") and not is_overridden:
            environment = {**environment, name: text}
        else:
            overrides.append(("--vary", f"{name}: {text}\n"))
    return config_loading.Parameters(
        nodes=nodes,
        image_registry=options.image_registry,
        env=environment,
        overrides=tuple(overrides),
        overwrite=options.overwrite_test_config,
        skip_steps=options.skip_steps,
    )


def _yaml_text(value: str | float | bool) -> str:
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _place(problem: InputError, config: pathlib.Path) -> None:
    """Name a file from the working folder; it is named from the configuration's."""
    if problem.file:
        place = config.parent / problem.file.lstrip("/")
        if reading.exists(place):
            problem.file = str(place)


def _is_suite(text: str) -> bool:
    """Whether a text is a list: a configuration is a mapping, and may be no YAML before it is
    rendered.
    """
    for line in text.splitlines(keepends=True):
        if line.strip() and not line.startswith(("#", "---", "%")):
            return line.startswith(_SUITE_BEGINNINGS)
    return False


def _suite_tests(suite: str, text: str) -> list[LoadTest]:
    place = pathlib.Path(suite)
    return [
        LoadTest(
            str(source_files.named_in(place, each.config_path)),
            each.identifier,
            tuple(str(source_files.named_in(place, path)) for path in each.override_paths),
            each.warnings,
        )
        for each in suites.read(text, suite)
    ]
