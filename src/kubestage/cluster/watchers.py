"""The watches of the API server, and how many events they received."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.metrics.families import Counter, Gauge

if TYPE_CHECKING:
    from kubestage.cluster.subscription import StageSubscription
    from kubestage.metrics.families import Family


class Watchers:
    """All watches of one cluster."""

    def __init__(self) -> None:
        self._open: list[StageSubscription] = []
        self._sent: dict[tuple[str, str, str], int] = {}

    def add(self, subscription: StageSubscription) -> None:
        """Add a watch."""
        self._settle()
        self._open.append(subscription)

    def _settle(self) -> None:
        """Count what was sent since the last time, and drop watches that have stopped."""
        for each in self._open:
            row = each.row
            labels = (row.group, row.version, row.plural)
            self._sent[labels] = self._sent.get(labels, 0) + each.sent
            each.sent = 0
        self._open = [each for each in self._open if not each.is_stopped]

    def families(self) -> list[Family]:
        """How many watches are open, and how many events were sent."""
        self._settle()
        events = Counter(
            "apiserver_watch_events_total",
            "ALPHA",
            "Number of events sent in watch clients",
            ("group", "version", "resource"),
        )
        for labels, count in self._sent.items():
            events.increase(*labels, times=count)
        requests = Gauge(
            "apiserver_longrunning_requests",
            "STABLE",
            "Gauge of all active long-running apiserver requests broken out by verb, group,"
            " version, resource, scope and component. Not all requests are tracked this way.",
            ("verb", "group", "version", "resource", "subresource", "scope", "component"),
        )
        for each in self._open:
            row, scope = each.row, "namespace" if each.namespace else "cluster"
            requests.increase("WATCH", row.group, row.version, row.plural, "", scope, "apiserver")
        return [events, requests]
