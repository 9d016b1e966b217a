"""The configurations of a search, read and checked before anything runs."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.runs import run_settings
from kubestage.runs.inputs import config_file, plugin_files
from kubestage.runs.run_settings import RunSettings
from kubestage.scheduler.failure_handler import Unschedulable
from kubestage.scheduler.selection import TieBreak
from kubestage.sweep.worst.evaluation import Contender

if TYPE_CHECKING:
    from kubestage.runs.observer import Observer
    from kubestage.sweep.worst.options import WorstOptions

DEFAULT: Final = "default"
"""The word for kube-scheduler's own configuration, and its name."""


def read(options: WorstOptions, observer: Observer) -> list[Contender]:
    """The configuration that is searched against, and the one that it is compared with, if any."""
    paths = [options.config]
    if options.against is not None:
        paths.append(options.against)
    files = [None if path in (None, DEFAULT) else path for path in paths]
    if len(files) > 1 and files[0] == files[1]:
        fix = "name another configuration with --config or --against"
        raise InputError("both configurations are the same", path="--against", fix=fix)
    names = _names(files)
    found = [_contender(name, file, options) for name, file in zip(names, files, strict=True)]
    unused = set.intersection(
        *(
            set(plugin_files.unused(each.settings.plugins, each.settings.configuration))
            for each in found
        )
    )
    if unused:
        observer.note(f"no configuration enables {', '.join(sorted(unused))}, so it is not used")
    return found


def _contender(name: str, file: str | None, options: WorstOptions) -> Contender:
    configuration = config_file.load(file, config_file.Flags())
    plugins = plugin_files.load(options.plugins, configuration)
    config_file.check(configuration, plugins, file)
    settings = RunSettings(
        configuration,
        plugins,
        options.seed,
        TieBreak(options.tie_break),
        setting_values=run_settings.setting_values(options.settings),
        unschedulable=Unschedulable(options.unschedulable),
    )
    return Contender(name, settings, options.plugins, file)


def _names(files: list[str | None]) -> list[str]:
    """Names of files without folders and endings, if these distinguish them."""
    short = [DEFAULT if file is None else pathlib.PurePath(file).stem for file in files]
    if len(set(short)) == len(short):
        return short
    return [DEFAULT if file is None else file for file in files]
