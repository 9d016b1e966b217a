"""The bodies of responses about timelines."""

from __future__ import annotations

from typing import Literal

from kubestage.server.kubestage_api.shapes import ResponseBody


class TimelineEntry(ResponseBody, frozen=True):
    """Something that happened.

    `kind` is that of a mark, or `pod`, `created`, `deleted`, `condition`, `taint`, `cordon`,
    `autoscaler` or `event`.
    """

    at: str
    kind: str
    subject: str
    text: str
    severity: Literal["info", "warning", "bad"]


class TimelineSeries(ResponseBody, frozen=True):
    """A number over time: pairs of milliseconds since `begin`, and the value from then on."""

    name: str
    points: list[tuple[float, float]]


class ObjectTimeline(ResponseBody, frozen=True):
    """The timeline of an object; `leftOut` is how many older entries there are."""

    begin: str
    end: str
    entries: list[TimelineEntry]
    left_out: int
    series: list[TimelineSeries]
    autoscalers: list[str]
