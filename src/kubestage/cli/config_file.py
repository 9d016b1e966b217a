"""The scheduler's configuration as a command line gives it: a file, or a few flags."""

from __future__ import annotations

import json
import pathlib
import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import locator, manifest
from kubestage.scheduler import config

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.scenario.kss_input import Imported

# Where an error is and what it is about, in the words of decoding and of validation.
_UNKNOWN: Final = re.compile(r'(?P<problem>unknown field) "(?P<path>[^"]+)"')
_INVALID: Final = re.compile(r"(?P<path>[a-zA-Z][\w.\[\]-]*): (?P<problem>.*)", re.DOTALL)
_HEAD: Final = (
    "a configuration begins with apiVersion: kubescheduler.config.k8s.io/v1 and "
    "kind: KubeSchedulerConfiguration"
)


class Flags(msgspec.Struct, frozen=True):
    """kube-scheduler's old flags; None where one is not given."""

    scheduler_name: str | None = None
    algorithm_provider: str | None = None
    hard_pod_affinity_symmetric_weight: int | None = None

    def as_dict(self) -> dict[str, str | int]:
        """Those that are given, by name."""
        return {
            name: value for name, value in msgspec.structs.asdict(self).items() if value is not None
        }

    @property
    def given(self) -> list[str]:
        """Those that are given, as they are written."""
        return [
            f"--{name.replace('_', '-')}"
            for name, value in msgspec.structs.asdict(self).items()
            if value is not None
        ]


def load(
    path: str | None, flags: Flags, imported: Iterable[Imported] = ()
) -> config.SchedulerConfiguration:
    """The configuration of a file; without one, that of an import, or the default as the flags
    change it.
    """
    if path is None:
        for each in imported:
            if each.configuration is not None and not flags.given:
                return config.from_dict(each.configuration)
        return config.from_flags(
            flags.scheduler_name,
            flags.algorithm_provider,
            flags.hard_pod_affinity_symmetric_weight,
        )
    data = pathlib.Path(path).read_bytes()
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InputError("not text", file=path, fix=_HEAD) from None
    try:
        return config.load(text, path, read_policy=_read_policy)
    except config.ConfigError as error:
        raise _placed(error, text, path) from None


def text_of(path: str | None, flags: Flags, imported: Iterable[Imported] = ()) -> str | None:
    """The text of the configuration that `load` gives; None if it is the default, with flags."""
    if path is not None:
        return pathlib.Path(path).read_text()
    for each in imported:
        if each.configuration is not None and not flags.given:
            return json.dumps(each.configuration)
    return None


def check(
    configuration: config.SchedulerConfiguration,
    plugins: Mapping[str, type[Any]],
    path: str | None,
) -> config.Completed:
    """The plugins that each profile runs; refused if the profiles cannot be made."""
    points = {name: config.points_of(each) for name, each in plugins.items()}
    try:
        return config.complete(configuration, points)
    except config.ConfigError as error:
        raise error.in_file(path) from None


def _read_policy(source: config.PolicySource) -> str | None:
    if source.path is None:
        return None
    return pathlib.Path(source.path).read_text()


def _placed(error: config.ConfigError, text: str, path: str) -> InputError:
    """The first error at its line; the others are named after it."""
    first, *others = error.errors
    match = (_INVALID if error.stage == "validate" else _UNKNOWN).fullmatch(first)
    is_other = any(words in first for words in ("is missing in", "registered for version"))
    fixes = [error.fix or (_HEAD if is_other else None)]
    fixes += [f"also: {each}" for each in others]
    fix = "; ".join(each for each in fixes if each) or None
    if match is None:
        return InputError(error.problem, file=path, line=error.line, fix=fix)
    documents = manifest.read_text(text, path).documents
    lines = locator.Locator(text)
    line = lines.line(documents[0], match["path"]) if documents else None
    return InputError(match["problem"], file=path, line=line, path=match["path"], fix=fix)
