"""The kubelet of the stage that is served, which knows what containers run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.kubelet.loop import KubeletController

if TYPE_CHECKING:
    from kubestage.server.live import Live


def find(live: Live) -> KubeletController | None:
    """The kubelet; None if none is at work here."""
    runner = live.stage.controllers
    if runner is None:
        return None
    kubelet = next((each for each in runner.controllers if each.name == "kubelet"), None)
    return kubelet if isinstance(kubelet, KubeletController) else None
