"""One cluster at work in a server: its clock, what is recorded of it, and its application."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.results.history.cluster_history import ClusterHistory
from kubestage.results.history.weighing import ChangeWeights
from kubestage.server.aggregation.aggregator import Aggregator
from kubestage.server.aggregation.registration import DefinedApis
from kubestage.server.app import Application
from kubestage.server.authorizing import Authorization
from kubestage.server.chart_record import ChartRecord
from kubestage.server.client_actions import ClientActions
from kubestage.server.compaction import Compaction
from kubestage.server.exposition import Exposition
from kubestage.server.flow_control.controller import FlowControl
from kubestage.server.history import History
from kubestage.server.identity.certificate_signing import CertificateSigning
from kubestage.server.identity.issuer import Issuer
from kubestage.server.identity.token_secrets import TokenSecrets
from kubestage.server.kubestage_api import recorders
from kubestage.server.live import Live
from kubestage.server.outside_controllers import LeaseRenewals
from kubestage.server.pacing import Mode
from kubestage.server.pacing_setup import pacer_of
from kubestage.server.past import PastMoments
from kubestage.server.recording import SessionRecorder
from kubestage.server.timeline import Timeline

if TYPE_CHECKING:
    from kubestage.server.assembly_options import AssemblyOptions
    from kubestage.server.clusters import ClusterEntry
    from kubestage.server.journal.journal import Journal
    from kubestage.server.security.traffic import Traffic

_Controller = FlowControl | DefinedApis | Authorization | TokenSecrets | CertificateSigning

KEPT_RUN: Final = "this is a kept run: fork it to change it"


class ClusterService:
    """A cluster with its clock and its records: built, started and closed in one event loop."""

    def __init__(
        self,
        entry: ClusterEntry,
        options: AssemblyOptions,
        traffic: Traffic,
        journal: Journal | None = None,
    ) -> None:
        self.entry = entry
        self.options = options = _options_of(entry, options)
        stage = entry.stage
        self.live = live = Live(stage)
        live.outside.urls.update(options.webhook_urls)
        self._journal = journal
        self.pacer = pacer_of(live, options)
        live.issuer = Issuer(options.home, options.security.token)
        live.state.plugins = options.plugins
        live.state.component_settings = options.component_settings
        live.state.agreement = entry.agreement
        live.read_only = KEPT_RUN if entry.is_read_only else ""
        has_own = options.controllers == "built-in" and stage.controllers is not None
        live.has_controllers = has_own and not entry.is_read_only
        self._renewals = LeaseRenewals(live) if options.controllers == "outside" else None
        live.state.node_decisions = entry.node_decisions
        recorders.start_recording(live, options.runs)
        recorders.attempts(live).take_over(entry.attempts)
        self.recorder = None if options.record is None else SessionRecorder(live, options.record)
        weights = ChangeWeights()
        self._watch_history = History(stage.store, options.history, self._kept, weights=weights)
        self._compaction = Compaction(
            stage.store,
            options.history.most_s,
            lambda: live.fanout.show(live.durability.revision),
        )
        self._history = entry.history
        if self._history is None and options.past.most_changes != 0:
            self._history = ClusterHistory(stage.store, stage.clock, options.past, weights)
            self._history.start()
        self.past: PastMoments | None = None
        if self._history is not None:
            live.state.timeline = timeline = Timeline(self._history)
            self.past = PastMoments(live, timeline)
            live.listeners.append(ClientActions(self._history).on_write)
            live.state.charts = ChartRecord(live, self._history, entry.load_report)
        self._controllers: list[_Controller] = []
        self._aggregator: Aggregator | None = None
        self.application = Exposition(Application(live), live, traffic)
        stage.store.object_limit.most = options.security.limits.objects

    @property
    def now_ns(self) -> int:
        """The time there."""
        return self.live.stage.clock.unix_ns

    def _kept(self) -> int:
        journal = self._journal
        return self.live.store.revision if journal is None else journal.kept

    def start(self) -> None:
        """Record what happens from now on, and start the clock."""
        if self._journal is not None:
            self._journal.start(self.live)
        if self.recorder is not None:
            self.recorder.start()
        self._controllers = _controllers(self.live, self.options)
        for controller in self._controllers:
            controller.start()
        if not self.live.read_only:
            self._aggregator = Aggregator(self.live)
            self._aggregator.start()
        self.pacer.start()
        if self._renewals is not None:
            self._renewals.start()
        if not self.entry.is_read_only:
            self._compaction.start()
        if self.live.state.charts is not None:
            self.live.state.charts.start()

    async def close(self) -> None:
        """Stop the clock, and write everything to disk."""
        await self.live.state.finish()
        await self.pacer.close()
        if self._renewals is not None:
            await self._renewals.close()
        if self._aggregator is not None:
            await self._aggregator.close()
        for controller in self._controllers:
            controller.close()
        if self.live.state.charts is not None:
            await self.live.state.charts.close()
        if self.recorder is not None:
            self.recorder.close()
        recorders.close(self.live)
        self._compaction.close()
        self._watch_history.close()
        if self._history is not None:
            self._history.close()
        if self.past is not None:
            self.past.close()
        self.live.durability.close()


def _controllers(live: Live, options: AssemblyOptions) -> list[_Controller]:
    """What an API server does by itself, and the controllers that need its keys."""
    if live.read_only:
        return []
    own: list[_Controller] = [
        FlowControl(live),
        DefinedApis(live),
        Authorization(live, options.authorization_modes),
    ]
    if live.has_controllers:
        own += [TokenSecrets(live), CertificateSigning(live)]
    return own


def _options_of(entry: ClusterEntry, options: AssemblyOptions) -> AssemblyOptions:
    """How this cluster is served: only the one that clients came for has files and the wall clock.

    A kept run has no clock that goes on, nor Scenarios that begin.
    """
    changes: dict[str, Any] = {}
    if entry.plugins is not None:
        changes["plugins"] = entry.plugins
    if entry.settings is not None:
        changes["component_settings"] = entry.settings
    if entry.kind != "live":
        has_scenarios = entry.stage.scheduler is not None and not entry.is_read_only
        changes |= {
            "mode": Mode.PAUSED,
            "scheduler": "built-in" if has_scenarios else "none",
            "controllers": "built-in",
            "runs": None,
            "record": None,
            "follows_wall": False,
        }
    return msgspec.structs.replace(options, **changes)
