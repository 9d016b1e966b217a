"""One workload, living with several ways to buy nodes: NodePools, or NodeGroups."""

from __future__ import annotations

import dataclasses
import pathlib
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.errors import InputError
from kubestage.results.life import comparison, node_measures, paired
from kubestage.runs import living_run, run_inputs
from kubestage.runs.compare import keeping, lives, names
from kubestage.runs.inputs import manifests, plugin_files, stage_inputs
from kubestage.runs.observer import SILENT
from kubestage.runs.run_options import RunOptions
from kubestage.runs.what_if_options import WhatIfOptions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.objects.manifest import Document
    from kubestage.results.life.life import Life
    from kubestage.runs.compare.lives import ComparedLives
    from kubestage.runs.compare_options import CompareOptions
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.observer import Observer

FOR: Final = "24h"
"""How long the clusters live by default."""

_DEFAULT: Final = "default"
_MOST_SEEDS: Final = 10_000
_SHARED: Final = (
    *WhatIfOptions.__struct_fields__, "plugins", "measures", "tie_break", "prices", "catalogue",
    "profile", "run_for", "at", "arrivals", "trace_map", "launch_delay", "run_duration", "settings",
)  # fmt: skip
_OWN: Final = {
    "run_for": "--for", "seeds": "--seeds", "at": "--at", "arrivals": "--arrivals",
    "trace_map": "--trace-map", "launch_delay": "--launch-delay",
    "run_duration": "--run-duration", "settings": "--setting",
}  # fmt: skip
_POOLS: Final = frozenset({"NodeGroup", "NodePool"})
_WITH_POOLS: Final = frozenset({"EC2NodeClass", "NodeOverlay", "PriceCatalog", "StageNodeClass"})


class _Contender(NamedTuple):
    name: str
    documents: LoadedManifests


def compare(paths: Sequence[str], options: CompareOptions, observer: Observer) -> ComparedLives:
    """Let one input live with the nodes that each file may buy, and with each seed."""
    _check(options)
    options = msgspec.structs.replace(options, run_for=options.run_for or FOR)
    seeds = seed_numbers(options.seeds, options.seed)
    config = options.configs[0] if options.configs else None
    config = None if config == _DEFAULT else config
    place = None if options.out is None else pathlib.Path(options.out)
    if place is not None:
        keeping.refuse(place)
    base = stage_inputs.load_cluster(paths, config, observer)
    short = names.short(options.nodepools)
    contenders = [
        _Contender(name, _bought(file)) for name, file in zip(short, options.nodepools, strict=True)
    ]
    for contender in contenders:
        _check_accepted(contender.documents)
    found: list[list[Life]] = []
    kept: list[tuple[str, pathlib.Path]] = []
    notes: dict[str, None] = {}
    for contender in contenders:
        found.append([])
        for seed in seeds:
            directory = _directory(place, contender.name, seed, seeds)
            observer.on_run(contender.name, len(found), len(contenders))
            life, remarks = _live(base, contender, options, config, seed, directory)
            found[-1].append(life)
            notes |= dict.fromkeys(remarks)
            if directory is not None:
                kept.append((str(directory.relative_to(place or directory)), directory))
    if place is not None:
        keeping.write(place, kept)
    return _side_by_side(short, seeds, found, list(notes))


def refuse_flags(options: CompareOptions) -> None:
    """InputError for flags that say how clusters live, where none does."""
    for name, flag in _OWN.items():
        if getattr(options, name):
            fix = "leave it out, or name --nodepools FILE for each way to buy nodes"
            raise InputError("needs --nodepools", path=flag, fix=fix)


def seed_numbers(text: str | None, first: int) -> tuple[int, ...]:
    """Seeds such as ``0..9`` or ``1,2,7``, or so many from the first on."""
    if text is None:
        return (first,)
    try:
        if text.isdigit():
            found = _between(first, first + int(text) - 1)
        elif ".." in text:
            low, high = (int(each) for each in text.split(".."))
            found = _between(low, high)
        else:
            found = [int(each) for each in text.split(",")]
    except ValueError:
        found = []
    if not found or min(found) < 0 or len(set(found)) < len(found):
        raise InputError(f'"{text}" are no seeds', path="--seeds", fix="write 0..9 or 1,2,7, or 10")
    return tuple(found)


def _between(low: int, high: int) -> list[int]:
    if high - low >= _MOST_SEEDS:
        fix = f"each is a run of its own: {_MOST_SEEDS:,} at most"
        raise InputError("too many seeds", path="--seeds", fix=fix)
    return list(range(low, high + 1))


def _check(options: CompareOptions) -> None:
    if len(options.nodepools) < 2:
        fix = f"add another: --nodepools {options.nodepools[0]} --nodepools NEW"
        raise InputError("one way to buy nodes is nothing to compare", path="--nodepools", fix=fix)
    if len(options.configs) > 1:
        fix = "name one, which all runs have"
        raise InputError("runs differ in their nodes already", path="--config", fix=fix)
    idle = [
        ("--timings", options.timings),
        ("--controllers", options.controllers is not None),
        ("--between", options.between is not None),
        ("--removable", options.removable is not None),
    ]
    for flag, is_set in idle:
        if is_set:
            raise InputError("has no effect with --nodepools", path=flag, fix="leave it out")


def _bought(file: str) -> LoadedManifests:
    """The documents of one file: pools, and what belongs to pools."""
    loaded = stage_inputs.load([file], None)
    for document in loaded.documents:
        kind = str(document.object.get("kind"))
        if kind not in _POOLS | _WITH_POOLS:
            known = ", ".join(sorted(_POOLS | _WITH_POOLS))
            error = InputError(
                f"{kind} is nothing to buy nodes by",
                path="kind",
                fix=f"{known} are; what all runs have goes before --nodepools",
            )
            raise loaded.place(document, error)
    if not any(each.object.get("kind") in _POOLS for each in loaded.documents):
        fix = "add a NodePool or a NodeGroup"
        raise InputError("has no pool of nodes", file=file, path="--nodepools", fix=fix)
    return loaded


def _check_accepted(loaded: LoadedManifests) -> None:
    """Refuse what the API would refuse, before the first of the runs has taken its time."""
    scratch = stage_inputs.empty(loaded, 0)
    stage_inputs.put(scratch, loaded, loaded.documents, is_new=stage_inputs.is_new)


def _joined(base: LoadedManifests, bought: LoadedManifests) -> LoadedManifests:
    """A cluster with other pools; classes and overlays replace those of their kind."""
    kinds = {str(each.object.get("kind")) for each in bought.documents}
    replaced = _POOLS | (kinds & (_WITH_POOLS - {"PriceCatalog"}))
    catalogs = set(_catalogs(bought.documents))
    kept = [
        each
        for each in base.documents
        if each.object.get("kind") not in replaced and catalogs.isdisjoint(_catalogs([each]))
    ]
    return dataclasses.replace(
        base,
        documents=[*kept, *bought.documents],
        locators={**base.locators, **bought.locators},
        notes=[*base.notes],
        sequence=[*base.sequence],
    )


def _catalogs(documents: Sequence[Document]) -> Iterator[str]:
    for each in documents:
        if each.object.get("kind") == "PriceCatalog":
            yield str(manifests.named(each.object)[1])


def _directory(
    place: pathlib.Path | None, name: str, seed: int, seeds: Sequence[int]
) -> pathlib.Path | None:
    if place is None:
        return None
    directory = place / name.replace("/", "-")
    return directory if len(seeds) == 1 else directory.with_name(f"{directory.name}-seed-{seed}")


def _live(
    base: LoadedManifests,
    contender: _Contender,
    options: CompareOptions,
    config: str | None,
    seed: int,
    directory: pathlib.Path | None,
) -> tuple[Life, list[str]]:
    """One run, and what is to be noted of it."""
    chosen = RunOptions(**{name: getattr(options, name) for name in _SHARED})
    out = None if directory is None else str(directory)
    chosen = msgspec.structs.replace(chosen, config=config, seed=seed, out=out)
    loaded = _joined(base, contender.documents)
    ready = run_inputs.prepare(loaded, chosen, SILENT)
    settings = ready.settings
    with plugin_files.error_context(settings.plugins, settings.measures):
        result = living_run.run(
            ready.loaded, settings, ready.scheduler, chosen, SILENT, arrivals=ready.arrivals
        )
    assert result.record is not None
    remarks = [f"{contender.name}: {note}" for note in (*ready.notes, *result.notes)]
    return result.record, remarks


def _side_by_side(
    short: Sequence[str],
    seeds: Sequence[int],
    found: Sequence[Sequence[Life]],
    notes: Sequence[str],
) -> ComparedLives:
    compared = lives.side_by_side(short, [each[0] for each in found])
    compared = dataclasses.replace(
        compared, notes=[*notes, *compared.notes], checks=node_measures.DEFAULT_CHECKS
    )
    if len(seeds) == 1:
        return compared
    flat = comparison.measures([life.summary for runs in found for life in runs])
    return dataclasses.replace(
        compared,
        measures=paired.means(flat, len(short)),
        seeds=tuple(seeds),
        differences=tuple(paired.compared(short, seeds, flat)),
    )
