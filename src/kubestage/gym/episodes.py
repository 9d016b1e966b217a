"""The beginnings of episodes: a cluster with all pods waiting, read once for each seed."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.gym import agent_plugin
from kubestage.gym.agent_plugin import AgentChoice
from kubestage.runs import run_settings
from kubestage.runs.inputs import plain_nodes, sources, stage_inputs
from kubestage.runs.inputs.arrivals import adding
from kubestage.runs.observer import SILENT

if TYPE_CHECKING:
    from kubestage.runs.inputs.sources import Files
    from kubestage.runs.run_options import RunOptions
    from kubestage.stage import Stage

_KEPT: Final = 64


class Episodes:
    """Makes the stages of episodes from the inputs of a run.

    Each pod is tried once: one that fits nowhere leaves, as with ``--unschedulable leave``.
    """

    def __init__(self, files: Files, options: RunOptions) -> None:
        self._files, self._options = sources.file_names(files), options
        self._beginnings: collections.OrderedDict[int, Stage] = collections.OrderedDict()
        if options.run_for is not None:
            fix = "leave it out: pods arrive one after the other"
            raise InputError("no time passes in an episode", path="run_for", fix=fix)

    def begin(self, seed: int) -> Stage:
        """The stage of an episode: a fork of its beginning."""
        found = self._beginnings.get(seed)
        if found is None:
            found = self._beginnings[seed] = self._prepare(seed)
            if len(self._beginnings) > _KEPT:
                self._beginnings.popitem(last=False)
        return found.fork()

    def _prepare(self, seed: int) -> Stage:
        options = msgspec.structs.replace(self._options, seed=seed, unschedulable="leave")
        loaded = stage_inputs.load(self._files, options.config, SILENT)
        plain_nodes.add(loaded, options.nodes, options.node)
        adding.add(loaded, options)
        settings, _ = run_settings.read_settings(options, {}, loaded)
        if settings.configuration.extenders:
            raise InputError("an episode has no extenders", path="extenders", fix="leave them out")
        stage = stage_inputs.empty(loaded, seed)
        scheduler = stage.add_scheduler(
            agent_plugin.enabled(settings.configuration),
            plugins={**settings.plugins, AgentChoice.name: AgentChoice},
            tie_break=settings.tie_break,
            unschedulable=settings.unschedulable,
            measures=tuple(settings.measures.values()),
            recording="decisions",
            events=False,
        )
        scheduler.stop()
        first, rest = stage_inputs.split(loaded)
        for documents in (stage_inputs.in_order(first, as_written=options.as_written), rest):
            stage_inputs.put(stage, loaded, documents, is_new=stage_inputs.is_new)
        if not len(scheduler.cache.columns):
            raise InputError("there is no node", fix="add nodes to the files, or nodes=10")
        return stage
