"""What a report states about the run as a whole: what it depends on, and how to repeat it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from kubestage.results.load.cost import LoadCost


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What was run where; all that is known of it.

    `cluster` is ``stage`` or the address of a real one, `profile` how the control plane of a stage
    was modelled, `command` what to type to get the same again. `metadata` are further facts for
    ``cl2-metadata.json``, `cost` what nodes of a stage cost, if they have prices.
    """

    version: str
    seed: int | None = None
    nodes: int | None = None
    cluster: str = "stage"
    profile: str = ""
    command: str = ""
    metadata: dict[str, str] = {}
    cost: LoadCost | None = None

    @property
    def is_stage(self) -> bool:
        """Whether it was a stage, on which time is virtual and everything can be repeated."""
        return self.cluster == "stage"

    def facts(self) -> dict[str, str]:
        """All of it by name, for files that know only texts."""
        known = {
            "kubestage-version": self.version,
            "cluster": self.cluster,
            "profile": self.profile,
            "nodes": "" if self.nodes is None else str(self.nodes),
            "seed": "" if self.seed is None else str(self.seed),
        }
        return {name: value for name, value in known.items() if value}
