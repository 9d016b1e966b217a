"""Where pods and nodes are, at a glance: for a view that follows a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kubestage.controllers.kubelet.loop import KubeletController


class Progress(NamedTuple):
    """How many pods and nodes are in each stock, and how many pods have gone so far."""

    waiting: int
    starting: int
    running: int
    ending: int
    finished: int
    gone: int
    nodes_ready: int
    nodes_silent: int


def current_progress(kubelet: KubeletController) -> Progress:
    """The counts of this moment; they are kept anyway, so asking costs nothing."""
    return Progress(
        kubelet.lifecycle.waiting.count,
        kubelet.lifecycle.starting.count,
        kubelet.lifecycle.running.count,
        kubelet.lifecycle.ending.count,
        kubelet.lifecycle.finished.count,
        kubelet.lifecycle.gone.count,
        kubelet.nodes.ready.count,
        kubelet.nodes.silent.count,
    )
