"""The options of ``kubestage.runs.replaying.replay`` and of ``kubestage replay``."""

from __future__ import annotations

from typing import Annotated, Final

from kubestage.runs import shared_flags
from kubestage.runs.flags import Flag
from kubestage.runs.what_if_options import WhatIfOptions

_KUBELETS: Final = "Kubelets"


class ReplayOptions(WhatIfOptions, frozen=True, kw_only=True):
    """How a recording is replayed; each field is the flag of the same name."""

    config: shared_flags.Config = None
    recorded_config: shared_flags.RecordedConfig = None
    plugins: shared_flags.Plugins = ()
    seed: shared_flags.Seed = 0
    tie_break: shared_flags.TieBreak = "heap"
    begin: shared_flags.RecordedFrom = None
    end: shared_flags.RecordedTo = None
    nodes_from: shared_flags.NodesFrom = None
    predictions: shared_flags.Predictions = 2_000
    out: Annotated[
        str | None, Flag("Save the run, as `kubestage run --out` does.", metavar="DIR")
    ] = None
    settings: shared_flags.Settings = ()
    launch_delay: Annotated[
        str | None,
        Flag("How long containers take to start.", metavar="DISTRIBUTION", panel=_KUBELETS),
    ] = None
    terminate_delay: Annotated[
        str | None,
        Flag("How long containers take to terminate.", metavar="DISTRIBUTION", panel=_KUBELETS),
    ] = None
    prices: shared_flags.Prices = None
    catalogue: shared_flags.Catalogue = None
