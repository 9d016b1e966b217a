"""The log of a container whose program is modelled: what it has printed, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.server.container_history import HistoryLine
from kubestage.server.containers import kubelets

if TYPE_CHECKING:
    from kubestage.server.live import Live


def lines(live: Live, uid: str, container: str, is_previous: bool) -> list[HistoryLine] | None:
    """What a container has printed by now; None if its program is not modelled."""
    kubelet = kubelets.find(live)
    process = None if kubelet is None else kubelet.inside.process(uid, container, is_previous)
    if process is None:
        return None
    now_ns, epoch_ns = live.stage.clock.now_ns, process.epoch_ns
    found: list[HistoryLine] = []
    rest, since_ns = b"", 0
    for output in process.log:
        if output.now_ns > now_ns:
            break
        since_ns = since_ns if rest else output.now_ns
        *whole, rest = (rest + output.data).split(b"\n")
        for data in whole:
            found.append(HistoryLine(epoch_ns + since_ns, len(found), _text(data)))
            since_ns = output.now_ns
    if rest:
        found.append(HistoryLine(epoch_ns + since_ns, len(found), _text(rest), ""))
    return found


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
