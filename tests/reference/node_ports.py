"""NodePorts, one node at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scheduler.status import SUCCESS, Status, unschedulable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.objects.host_ports import HostPort
    from kubestage.objects.views.pod import PodView


def filter_node(pod: PodView, taken: Iterable[HostPort]) -> Status:
    for wanted in pod.host_ports:
        for used in taken:
            same_address = wanted.ip == used.ip or "0.0.0.0" in (wanted.ip, used.ip)
            if same_address and wanted[1:] == used[1:]:
                return unschedulable("node(s) didn't have free ports for the requested pod ports")
    return SUCCESS
