"""All that a run is made of, read and checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.runs import run_settings
from kubestage.runs.inputs import (
    catalog_files,
    plain_nodes,
    price_files,
    sources,
    stage_inputs,
    what_if,
)
from kubestage.runs.inputs.arrivals import adding

if TYPE_CHECKING:
    from kubestage.runs.inputs.arrivals.trace_objects import Arrival
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.inputs.sources import Files
    from kubestage.runs.observer import Observer
    from kubestage.runs.run_options import RunOptions
    from kubestage.runs.run_settings import RunSettings, SchedulerInputs


class RunInputs(NamedTuple):
    """All that was read."""

    loaded: LoadedManifests
    arrivals: list[Arrival]
    settings: RunSettings
    scheduler: SchedulerInputs
    notes: list[str]


def read(files: Files, options: RunOptions, observer: Observer) -> RunInputs:
    """Read files, and what options name beside them."""
    loaded = stage_inputs.load_cluster(sources.file_names(files), options.config, observer)
    return prepare(loaded, options, observer)


def prepare(loaded: LoadedManifests, options: RunOptions, observer: Observer) -> RunInputs:
    """Change a cluster as options say, and read what they name beside it."""
    values = run_settings.setting_values(
        options.settings,
        launch_delay=options.launch_delay,
        job_run_duration=options.run_duration,
        terminate_delay=options.terminate_delay,
    )
    is_living = options.run_for is not None
    what_if.apply(loaded, options, options.config, observer, is_living=is_living)
    plain_nodes.add(loaded, options.nodes, options.node)
    arrivals = adding.add(loaded, options)
    notes = [*loaded.notes, *catalog_files.add(loaded, options.catalogue)]
    if is_living and options.catalogue is None:
        notes += catalog_files.add_default(loaded)
    notes += price_files.add(loaded, options.prices)
    settings, scheduler = run_settings.read_settings(options, values, loaded)
    return RunInputs(loaded, arrivals, settings, scheduler, notes)
