"""The scheduler's configuration: from a file, or from a few flags."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.files import pinned, reading
from kubestage.objects import locator, manifest
from kubestage.runs.inputs import edits, field_paths, file_kinds
from kubestage.runs.inputs.file_kinds import FileKind
from kubestage.scheduler import config
from kubestage.scheduler.config import failure, model

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.scenario.kss_input import Imported

# Where an error is and what it is about, in the words of decoding and of validation.
_UNKNOWN: Final = re.compile(r'(?P<problem>unknown field) "(?P<path>[^"]+)"')
_INVALID: Final = re.compile(r"(?P<path>[a-zA-Z][\w.\[\]-]*): (?P<problem>.*)", re.DOTALL)
_DEFAULT_NAME: Final = "the default configuration"
_HEAD: Final = (
    "a configuration begins with apiVersion: kubescheduler.config.k8s.io/v1 and "
    "kind: KubeSchedulerConfiguration"
)


class Flags(msgspec.Struct, frozen=True):
    """kube-scheduler's old flags; None where one is not stated."""

    scheduler_name: str | None = None
    algorithm_provider: str | None = None
    hard_pod_affinity_symmetric_weight: int | None = None

    def as_dict(self) -> dict[str, str | int]:
        """Those that are stated, by name."""
        return {
            name: value for name, value in msgspec.structs.asdict(self).items() if value is not None
        }

    @property
    def stated(self) -> list[str]:
        """Those that are stated, as they are written."""
        return [
            f"--{name.replace('_', '-')}"
            for name, value in msgspec.structs.asdict(self).items()
            if value is not None
        ]


def load(
    path: str | None, flags: Flags, imported: Iterable[Imported] = ()
) -> config.SchedulerConfiguration:
    """The configuration of a file; without one, that of an import, or the default as the flags
    change it. Edits of a sweep change it after that.
    """
    changes = tuple(edits.config_edits())
    if changes:
        return pinned.once((path, flags, changes), lambda: _edited(path, flags, changes))
    if path is None:
        for each in imported:
            if each.configuration is not None and not flags.stated:
                return config.from_dict(each.configuration)
        return config.from_flags(
            flags.scheduler_name,
            flags.algorithm_provider,
            flags.hard_pod_affinity_symmetric_weight,
        )
    return pinned.once(("configuration", path), lambda: _of_file(path))


def _of_file(path: str) -> config.SchedulerConfiguration:
    text = _checked_text(path)
    try:
        return config.load(text, path, read_policy=read_policy)
    except config.ConfigError as error:
        raise _placed(error, text, path) from None


def _checked_text(path: str) -> str:
    data = reading.read(path, may_stream=True)
    file_kinds.expect(FileKind.SCHEDULER, path, data, FileKind.MANIFESTS, FileKind.TEMPLATE)
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise InputError("not text", file=path, fix=_HEAD) from None


def _edited(
    path: str | None, flags: Flags, changes: tuple[edits.ConfigEdit, ...]
) -> config.SchedulerConfiguration:
    """The configuration of a file, or a default one, with fields changed."""
    if path is None and flags.stated:
        fix = "write them into a file, and name it with --config"
        raise InputError("only a configuration file has fields", path=flags.stated[0], fix=fix)
    obj = as_written(path)
    for each in changes:
        obj = field_paths.replaced(obj, each.parts, each.value)
    text = msgspec.json.encode(obj).decode()
    try:
        return config.load(text, path or _DEFAULT_NAME, read_policy=read_policy)
    except config.ConfigError as error:
        raise problems(error, text, path or _DEFAULT_NAME)[0] from None


def as_written(path: str | None) -> dict[str, Any]:
    """The configuration of a file as it is written there; without one, the least there can be."""
    if path is None:
        profile = {"schedulerName": config.DEFAULT_SCHEDULER}
        return {"apiVersion": model.API_VERSION, "kind": model.KIND, "profiles": [profile]}
    documents = manifest.read_text(_checked_text(path), path).documents
    return documents[0].object if documents else {}


def text_of(path: str | None, flags: Flags, imported: Iterable[Imported] = ()) -> str | None:
    """The text of the configuration that `load` gives; None if it is the default, with flags."""
    if path is not None:
        return _text(path)
    for each in imported:
        if each.configuration is not None and not flags.stated:
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
        if path is None:
            raise
        raise problems(error, _text(path), path)[0] from None


def read_policy(source: config.PolicySource) -> str | None:
    """The text of a scheduling policy that lies in a file of its own."""
    if source.path is None:
        return None
    return _text(source.path)


def _text(path: str) -> str:
    return reading.read(path).decode(errors="replace")


def problems(error: config.ConfigError, text: str, path: str) -> list[InputError]:
    """Every single error at its line, with the name of the profile that it is about."""
    places = _Places(text, path)
    if error.stage == "instantiate":
        line = places.line_of(error)
        return [InputError(error.problem, file=path, line=line, fix=error.fix)]
    pattern = _INVALID if error.stage == "validate" else _UNKNOWN
    found = []
    for at, each in enumerate(error.errors):
        match = pattern.fullmatch(each)
        is_other = any(words in each for words in ("is missing in", "registered for version"))
        fix = (error.fix if at == 0 else None) or (_HEAD if is_other else None)
        if match is None:
            problem = error.problem if len(error.errors) == 1 else each
            found.append(InputError(problem, file=path, line=error.line, fix=fix))
            continue
        where = match["path"]
        problem = f"{match['problem']}{places.about(each)}"
        line = places.line(where)
        found.append(InputError(problem, file=path, line=line, path=where, fix=fix))
    return found


def _placed(error: config.ConfigError, text: str, path: str) -> InputError:
    """The first error at its line; the others are named after it."""
    first, *others = problems(error, text, path)
    more = [
        f"also: {': '.join(part for part in (each.path, each.problem) if part)}" for each in others
    ]
    first.fix = "; ".join(each for each in (first.fix, *more) if each) or None
    return first


class _Places:
    """The lines of a configuration's text, and the names of its profiles."""

    def __init__(self, text: str, path: str) -> None:
        self._documents = manifest.read_text(text, path).documents
        self._locator = locator.Locator(text)
        obj = self._documents[0].object if self._documents else {}
        profiles = obj.get("profiles")
        self._profiles = profiles if isinstance(profiles, list) else []
        self._names = [_name(each) for each in self._profiles]

    def line(self, path: str) -> int | None:
        """The line of a field."""
        return self._locator.line(self._documents[0], path) if self._documents else None

    def about(self, error: str) -> str:
        """The profile that an error is about, in brackets."""
        more = ""
        found = re.match(r"profiles\[(\d+)\]\.schedulerName: Duplicate value", error)
        if found is not None and int(found[1]) < len(self._names):
            first = self._names.index(self._names[int(found[1])])
            more = f", first at line {self.line(f'profiles[{first}].schedulerName')}"
        return failure.about(error, self._names, more)

    def line_of(self, error: config.ConfigError) -> int | None:
        """The line of the profile that could not be made, or of the plugin that is to blame."""
        if error.profile not in self._names:
            return None
        # Of two with one name it is the later one.
        at = len(self._names) - 1 - self._names[::-1].index(error.profile)
        quoted = set(re.findall(r'"([^"]+)"', error.problem))
        plugins = self._profiles[at].get("plugins")
        for point, sides in (plugins if isinstance(plugins, dict) else {}).items():
            enabled = (sides or {}).get("enabled") if isinstance(sides, dict) else None
            for place, each in enumerate(enabled if isinstance(enabled, list) else ()):
                if isinstance(each, dict) and each.get("name") in quoted:
                    return self.line(f"profiles[{at}].plugins.{point}.enabled[{place}].name")
        return self.line(f"profiles[{at}].schedulerName")


def _name(profile: Any) -> str:
    name = profile.get("schedulerName") if isinstance(profile, dict) else None
    return name if isinstance(name, str) else config.DEFAULT_SCHEDULER
