"""What a search leaves in a directory: the scenario, its explanation, how to run it again."""

from __future__ import annotations

import contextlib
import pathlib
import shlex
from typing import TYPE_CHECKING, Final

import msgspec

import kubestage
from kubestage.errors import InputError
from kubestage.files import reading, writing
from kubestage.golang import durations
from kubestage.objects import yaml_text
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.sweep.worst.case import Case
    from kubestage.sweep.worst.evaluation import Contender
    from kubestage.sweep.worst.options import WorstOptions
    from kubestage.sweep.worst.result import WorstCase

WORST: Final = "worst.yaml"
_BEST: Final = "before-shrinking.yaml"
_README: Final = "README.md"
_SEARCH: Final = "search.json"
_CONFIGS: Final = ("config.yaml", "against.yaml")


@contextlib.contextmanager
def claimed(out: str | None) -> Iterator[WorstDirectory | None]:
    """The directory that a search writes to, refused now if it holds something else."""
    if out is None:
        yield None
        return
    path = pathlib.Path(out)
    if path.exists() and not path.is_dir():
        raise InputError("is a file", path="--out", file=out, fix="name a directory")
    if path.is_dir() and any(path.iterdir()) and not (path / _SEARCH).exists():
        fix = "name another one, or delete it"
        raise InputError("is not empty, and holds no worst case", path="--out", file=out, fix=fix)
    yield WorstDirectory(path)


class WorstDirectory:
    """A directory with a worst case; what an earlier search left there goes."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path

    def write(
        self, found: WorstCase, options: WorstOptions, contenders: Sequence[Contender]
    ) -> None:
        """Write all files; the same search writes the same bytes."""
        files = self._cases(found)
        for name, contender in zip(_CONFIGS, contenders, strict=False):
            if contender.config is not None:
                files[name] = reading.read(contender.config).decode()
        files[_README] = readme(found, options, contenders)
        known = {"version": kubestage.__version__, **found.to_dict()}
        del known["scenario"], known["manifests"]
        files[_SEARCH] = msgspec.json.format(msgspec.json.encode(known)).decode() + "\n"
        self.path.mkdir(parents=True, exist_ok=True)
        for old in self.path.iterdir():
            if old.suffix in (".yaml", ".md", ".json") and old.name not in files:
                old.unlink()
        for name, text in files.items():
            writing.write(self.path / name, text)

    def _cases(self, found: WorstCase) -> dict[str, str]:
        if found.start.living_ns is not None:
            return _manifests(found, found.case)
        files = {WORST: yaml_text.dump(found.start.scenario(found.case))}
        if found.best.key != found.case.key:
            files[_BEST] = yaml_text.dump(found.start.scenario(found.best))
        return files


def _manifests(found: WorstCase, case: Case) -> dict[str, str]:
    return {
        WORST if at == 0 else _later(at): "---\n".join(map(yaml_text.dump, objects))
        for at, objects in sorted(found.start.manifests(case).items())
    }


def _later(at: int) -> str:
    return f"at-{at}s.yaml"


def readme(found: WorstCase, options: WorstOptions, contenders: Sequence[Contender]) -> str:
    """What was found, why, and how to run it again."""
    lines = ["## Run it again", "", "In this directory:", "", "```sh"]
    lines += [*commands(found, options, contenders), "```", ""]
    return _page(found, lines)


def markdown(found: WorstCase) -> str:
    """The same without commands, as nothing is written that they could run."""
    return _page(found, [])


def _page(found: WorstCase, commands: Sequence[str]) -> str:
    lines = [f"# {found.objective[0].upper()}{found.objective[1:]}", ""]
    lines += [*found.explanation, "", *commands]
    lines += ["## How it was found", "", *course(found), "", *_limits(found), ""]
    return "\n".join(lines)


def commands(found: WorstCase, options: WorstOptions, contenders: Sequence[Contender]) -> list[str]:
    """The commands that run the smallest case again."""
    configs = [
        "default" if each.config is None else name
        for name, each in zip(_CONFIGS, contenders, strict=False)
    ]
    shared = _flags(found, options)
    runs = [
        ["kubestage", "run", WORST, *([] if each == "default" else ["--config", each]), *shared]
        for each in configs
    ]
    if found.start.living_ns is None and len(configs) > 1:
        named = [part for each in configs for part in ("--config", each)]
        # Only `run` has these, and they change nothing of the comparison.
        runs.append(["kubestage", "compare", WORST, *named, *_flags(found, options, compare=True)])
    return [shlex.join(each) for each in runs]


def _flags(found: WorstCase, options: WorstOptions, *, compare: bool = False) -> list[str]:
    flags: list[str] = []
    if found.start.living_ns is not None:
        flags += ["--for", durations.go_string(found.start.living_ns)]
        later = sorted(found.start.manifests(found.case))[1:]
        flags += [part for at in later for part in ("--at", f"{at}s={_later(at)}")]
    for plugin in options.plugins:
        flags += ["--plugin", plugin]
    if found.run_seed:
        flags += ["--seed", str(found.run_seed)]
    if options.tie_break != "heap":
        flags += ["--tie-break", options.tie_break]
    if not found.start.is_alive:
        flags.append("--no-controllers")
    elif options.controllers:
        flags.append("--controllers")
    if found.start.begin is not None:
        # What is left may mention another newest moment than the whole input did.
        flags += ["--start", found.start.begin]
    if not compare:
        if options.unschedulable != "retry":
            flags += ["--unschedulable", options.unschedulable]
        flags += [part for each in options.settings for part in ("--setting", each)]
    return flags


def course(found: WorstCase) -> list[str]:
    """How the case was found, in a sentence."""
    searched = f"Seed {found.seed}: {plural(found.runs, 'case')} searched"
    if not found.is_found:
        return [f"{searched}."]
    before, after = found.best_events, len(found.case.events)
    smallest = (
        "nothing can be left out"
        if found.is_smallest
        else "a higher --shrink-budget, or --at-least with less, may find a smaller one"
    )
    shrunk = f"{found.shrink_runs:,} to shrink the worst: {plural(before, 'event')} became {after}"
    return [f"{searched}, {shrunk}; {smallest}."]


def _limits(found: WorstCase) -> list[str]:
    unit = "s" if found.start.living_ns is not None else ""
    limits = found.limits
    times = f"from {limits.times.low}{unit} to {limits.times.high}{unit}"
    number = f"{limits.pods.low} to {limits.pods.high} of them"
    failing = f"at most {plural(limits.failures, 'node')} failing"
    return [f"Mutations: {', '.join(limits.groups)}; arrivals {times}, {number}; {failing}."]
