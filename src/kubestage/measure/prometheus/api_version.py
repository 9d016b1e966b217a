"""What the API server's metrics of its latencies are called, which depends on its version."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from kubestage.cluster.access import Page


class Words(msgspec.Struct, frozen=True):
    """The histogram of latencies, and the quantiles that a rule records of it."""

    histogram: str
    quantiles: str


def _words(word: str) -> Words:
    return Words(
        f"apiserver_request_{word}duration_seconds",
        f"apiserver:apiserver_request_{word}latency_1m:histogram_quantile",
    )


NEWEST: Final = _words("sli_")


def words_of(page: Page) -> Words:
    """The words of the version that ``/version`` tells; the newest where it tells none."""
    if page.code != HTTPStatus.OK:
        return NEWEST
    try:
        version = json.loads(page.text)
        major, minor = version["major"], version["minor"]
    except (ValueError, KeyError, TypeError):
        return NEWEST
    # Compared as text, as ClusterLoader2 does: a minor version may end with a plus sign.
    if major == "1" and minor < "23":
        return _words("")
    return _words("slo_") if major == "1" and minor < "26" else NEWEST
