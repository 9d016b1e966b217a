"""Adds the pods of traces to what is run: in order, or at their times."""

from __future__ import annotations

import itertools
import pathlib
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.files import pinned
from kubestage.golang.rand import Rand
from kubestage.objects import locator, manifest
from kubestage.runs.inputs import manifests
from kubestage.runs.inputs.arrivals import load, trace_files, trace_map, trace_objects

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.runs.inputs.arrivals.trace_objects import Arrival
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.run_options import RunOptions

OPTION: Final = "--arrivals"
_DURATION: Final = "kubestage.dev/run-duration"
_FOR_ARRIVALS: Final = ("trace_map", "arrivals_load", "arrivals_shuffle")


def add(loaded: LoadedManifests, options: RunOptions) -> list[Arrival]:
    """Add the pods of traces to manifests; with `run_for` they are left for later, and returned."""
    if not options.arrivals:
        for name in _FOR_ARRIVALS:
            if getattr(options, name):
                path = f"--{name.replace('_', '-')}"
                raise InputError(f"has no effect without {OPTION}", path=path, fix="leave it out")
        return []
    nodes = [each for each in loaded.documents if each.object.get("kind") == "Node"]
    arrivals = _arranged(read(options), loaded, nodes, options)
    _refuse_same_names(arrivals)
    if options.run_for is not None:
        return sorted(arrivals, key=lambda each: each.at_ns)
    # No time passes: they do not end.
    _append(loaded, [_without_end(each.pod) for each in arrivals])
    return []


def _without_end(pod: Json) -> Json:
    annotations = pod["metadata"].get("annotations") or {}
    if _DURATION not in annotations:
        return pod
    rest = {name: value for name, value in annotations.items() if name != _DURATION}
    return {**pod, "metadata": {**pod["metadata"], "annotations": rest}}


def in_groups(arrivals: Sequence[Arrival]) -> Iterator[tuple[int, LoadedManifests]]:
    """The pods that arrive at the same time, as manifests."""
    for at_ns, group in itertools.groupby(arrivals, key=lambda each: each.at_ns):
        loaded = manifests.LoadedManifests()
        _append(loaded, [each.pod for each in group])
        yield at_ns, loaded


def read(options: RunOptions) -> list[Arrival]:
    """The pods of all traces, in the order of the files."""
    key = ("arrivals", options.arrivals, options.trace_map)
    return pinned.once(key, lambda: _read(options))


def _read(options: RunOptions) -> list[Arrival]:
    meaning = None if options.trace_map is None else trace_map.read(options.trace_map)
    return [arrival for file in options.arrivals for arrival in _of_file(file, meaning)]


def _of_file(file: str, stated: trace_map.TraceMap | None) -> Iterator[Arrival]:
    rows = trace_files.read(file)
    columns = list(rows[0][1])
    try:
        meaning = stated or trace_map.known(columns)
        for field, expression in meaning.items():
            for column in expression.columns:
                if column not in columns:
                    fix = f"it has {', '.join(columns)}"
                    raise InputError(f'there is no column "{column}"', path=field, fix=fix)
    except InputError as error:
        error.file = file
        raise
    stem = pathlib.PurePath(file).name.partition(".")[0].lower()
    for number, (line, row) in enumerate(rows):
        try:
            yield trace_objects.arrival(row, meaning, f"{stem}-{number}")
        except InputError as error:
            error.file, error.line = file, line
            raise


def _arranged(
    arrivals: list[Arrival],
    loaded: LoadedManifests,
    nodes: Sequence[manifest.Document],
    options: RunOptions,
) -> list[Arrival]:
    random = Rand(options.seed)
    # The simulator of the trace's authors logs one number first.
    random.int63()
    order = list(range(len(arrivals)))
    if options.arrivals_shuffle:
        random.shuffle(order)
    arranged = [arrivals[at] for at in order]
    if options.arrivals_load is not None:
        share = load.parse(options.arrivals_load)
        objects = [each.object for each in nodes]
        arranged = load.resampled(arranged, arrivals, objects, share, random)
    if options.arrivals_shuffle:
        _rename(loaded, nodes, random)
    return arranged


def _rename(loaded: LoadedManifests, nodes: Sequence[manifest.Document], random: Rand) -> None:
    """Put a random number before each node's name, so that ties by name are random, too."""
    ordered = sorted(nodes, key=lambda each: str(each.object["metadata"]["name"]))
    renamed = {}
    for number, document in zip(random.perm(len(ordered)), ordered, strict=True):
        metadata = document.object["metadata"]
        changed = {**metadata, "name": f"{number:04d}-{metadata['name']}"}
        obj: dict[str, Any] = {**document.object, "metadata": changed}
        renamed[id(document)] = msgspec.structs.replace(document, object=obj)
    loaded.documents = [renamed.get(id(each), each) for each in loaded.documents]


def _append(loaded: LoadedManifests, pods: Iterable[Json]) -> None:
    text = msgspec.json.encode({"apiVersion": "v1", "kind": "List", "items": list(pods)}).decode()
    loaded.documents += manifest.load_text(text, OPTION)
    loaded.locators[OPTION] = locator.Locator(text)


def _refuse_same_names(arrivals: Iterable[Arrival]) -> None:
    seen: set[str] = set()
    for each in arrivals:
        name = each.pod["metadata"]["name"]
        if name in seen:
            fix = "map another column to name, or leave it out: then pods are numbered"
            raise InputError(f'two pods are called "{name}"', path=OPTION, fix=fix)
        seen.add(name)
