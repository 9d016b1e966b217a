"""One recording, replayed under several scheduler configurations, to be compared."""

from __future__ import annotations

import dataclasses
import pathlib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import gvk
from kubestage.results.comparison.measures import LESS, Measure
from kubestage.runs import free_nodes
from kubestage.runs.compare import keeping, lives, names, spare_nodes
from kubestage.runs.observer import SILENT
from kubestage.runs.replay_options import ReplayOptions
from kubestage.runs.replaying.running import Replays
from kubestage.runs.what_if_options import WhatIfOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.runs.compare.lives import ComparedLives
    from kubestage.runs.compare_options import CompareOptions
    from kubestage.runs.observer import Observer

_DEFAULT: Final = "default"
_SHARED: Final = (
    *WhatIfOptions.__struct_fields__, "plugins", "seed", "tie_break", "prices",
    "catalogue", "recorded_config",
    "begin", "end", "nodes_from", "predictions",
)  # fmt: skip
_OWN: Final = ("recorded_config", "begin", "end", "nodes_from")


def compare(paths: Sequence[str], options: CompareOptions, observer: Observer) -> ComparedLives:
    """Replay a recording under each configuration; under the recorded settings first."""
    _refuse(options)
    short = names.short(options.configs)
    shared = ReplayOptions(**{name: getattr(options, name) for name in _SHARED})
    place = None if options.out is None else pathlib.Path(options.out)
    if place is not None:
        keeping.refuse(place)
    replays = Replays(paths, shared, observer)
    found, in_use, directories, notes, ends = [], [], [], [], []
    for at, (name, config) in enumerate(zip(short, options.configs, strict=True)):
        observer.on_run(name, at + 1, len(short))
        chosen = msgspec.structs.replace(shared, config=None if config == _DEFAULT else config)
        if place is not None:
            # A configuration may be named by a path.
            directory = place / name.replace("/", "-")
            directories.append((name, directory))
            chosen = msgspec.structs.replace(chosen, out=str(directory))
        result = replays.replay(chosen, SILENT)
        assert result.run.record is not None
        found.append(result.run.record)
        nodes = len(result.run.stage.store.read(gvk.NODE))
        in_use.append(nodes - len(free_nodes.names(result.run.stage)))
        if options.removable:
            ends.append(spare_nodes.of_stage(result.run.stage, observer))
        notes += [f"{name}: {note}" for note in result.run.notes]
    if place is not None:
        keeping.write(place, directories)
    compared = lives.side_by_side(short, found, ends=ends)
    used = Measure("nodesInUseAtEnd", None, LESS, tuple(in_use))
    return dataclasses.replace(
        compared,
        measures=[*compared.measures, used],
        notes=[*notes, *compared.notes],
        agreement=replays.baseline.summary,
    )


def refuse_flags(options: CompareOptions) -> None:
    """InputError for flags that need a recording."""
    for name in _OWN:
        if getattr(options, name) is not None:
            flag = {"begin": "--from", "end": "--to"}.get(name, f"--{name.replace('_', '-')}")
            raise InputError("needs a recording", path=flag, fix="leave it out")


def _refuse(options: CompareOptions) -> None:
    idle = [
        ("--timings", options.timings),
        ("--profile", options.profile is not None),
        ("--measure", bool(options.measures)),
        ("--controllers", options.controllers is not None),
        ("--between", options.between is not None),
    ]
    for flag, is_set in idle:
        if is_set:
            fix = "leave it out, or compare the cluster at one time: its manifests, or a dump"
            raise InputError("has no effect on recordings", path=flag, fix=fix)
