"""How a stage is served."""

from __future__ import annotations

import pathlib  # noqa: TC003 - read by msgspec
from collections.abc import Mapping  # noqa: TC003 - read by msgspec
from typing import Any, Literal

import msgspec

from kubestage.results.history.cluster_history import HistoryLimits as PastLimits
from kubestage.scenario.settings import Settings as ScenarioSettings
from kubestage.server.external_scheduler import ExternalSchedulerSettings
from kubestage.server.history import HistoryLimits
from kubestage.server.pacing import Mode
from kubestage.server.security.settings import SecuritySettings


class AssemblyOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a stage is served."""

    security: SecuritySettings = SecuritySettings()
    """Which requests are admitted."""

    mode: Mode = Mode.JUMP
    """How virtual time passes."""

    speed: float = 1.0
    """How many times as fast as real time, in mode `speed`."""

    scheduler: Literal["built-in", "outside", "none"] = "built-in"
    """The stage's own scheduler, a client of the API, or none; without any, no Scenario runs."""

    controllers: Literal["built-in", "outside", "none"] = "built-in"
    """The stage's own controllers, clients of the API, or none."""

    external: ExternalSchedulerSettings = ExternalSchedulerSettings()
    """How to wait for a scheduler that is a client."""

    plugins: Mapping[str, type[Any]] = {}
    """The scheduler's plugins that users wrote, by name."""

    component_settings: Mapping[str, str] = {}
    """The settings of controllers and autoscalers that were chosen, by name."""

    settings: ScenarioSettings = ScenarioSettings()
    """Settings of Scenarios that do not choose their own."""

    runs: pathlib.Path | None = None
    """The directory for records of Scenarios; without one, it is temporary."""

    home: pathlib.Path | None = None
    """The directory for the server's own keys; without one, they are gone with the server."""

    record: str | None = None
    """The file that requests of clients are recorded to, as a Scenario."""

    history: HistoryLimits = HistoryLimits()
    """How far back watches reach."""

    past: PastLimits = PastLimits(200_000, 256 << 20)
    """How much of the past can be looked at again; nothing, if that is 0 changes."""

    follows_wall: bool = False
    """Whether a clock that jumps keeps up with the wall clock."""

    authorization_modes: tuple[str, ...] = ("AlwaysAllow",)
    """How is decided who may do what, as by kube-apiserver's ``--authorization-mode``."""

    webhook_urls: Mapping[str, str] = {}
    """Where webhooks and API servers behind Services really are, by ``NAMESPACE/SERVICE``."""
