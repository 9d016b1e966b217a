"""The bodies of responses about charts."""

from __future__ import annotations

from kubestage.server.kubestage_api.shapes import ResponseBody


class ChartRow(ResponseBody, frozen=True):
    """A chart: `why` says what is missing if it `isEmpty`; `subject` is the workload, Traffic or
    autoscaler that it is about, if there is such a chart of each.
    """

    name: str
    title: str
    group: str
    is_empty: bool
    why: str
    subject: str


class Charts(ResponseBody, frozen=True):
    """All charts, and from when to when they reach.

    `sequence` and `end` stay the same as long as no chart changes. A sample stands for
    `resolutionSeconds` at most; that doubles when there are too many.
    """

    charts: list[ChartRow]
    begin: str
    end: str
    sequence: int
    resolution_seconds: float
