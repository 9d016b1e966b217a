"""How to repeat a run: all that its result depends on besides the Scenario itself."""

from __future__ import annotations

from typing import Any

import msgspec


class Plugin(msgspec.Struct, frozen=True, rename="camel"):
    """A plugin of the user's own: how it was named, and the hash of the file it is in."""

    reference: str
    sha256: str


class Repeat(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What to say to get the same run again.

    `start` is the moment of the calendar at which it began, None for that of every stage;
    `configuration` the text of the KubeSchedulerConfiguration as it was given, None for the
    defaults as the old `flags` change them; `as_written` whether nodes came in the order of the
    file; `laws` how long containers take, and what else was set of controllers, where that was
    said; `control_plane` the profile that says how long things take, in full, if one was given.
    """

    version: str
    seed: int
    start: str | None
    tie_break: str
    controllers: bool
    detail: str
    strategy: str
    # Runs that do not say so were made before there was another order.
    as_written: bool = True
    configuration: str | None = None
    flags: dict[str, str | int] = {}
    laws: dict[str, str] = {}
    plugins: list[Plugin] = []
    control_plane: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


class LifeRepeat(Repeat, frozen=True, kw_only=True, rename="camel"):
    """The same of a living cluster: how long it lived, and which manifests came when.

    `duration` is as a person writes it; `later` are times and the names of files among the inputs;
    `autoscalers` are those of the user's own.
    """

    duration: str
    later: list[tuple[str, str]] = []
    autoscalers: list[Plugin] = []
