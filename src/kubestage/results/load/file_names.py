"""Names of files that perfdash and CI know, whatever configurations are called."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Final

from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.clusterloader.result import LoadResult
    from kubestage.measure.results import Summary

# What no file can be called, or what makes a path of a name.
_UNFIT: Final = re.compile(r"[\x00-\x1f\x7f/\\]|[\ud800-\udfff]")
# File systems allow 255 bytes; some are left for a number.
_MOST_BYTES: Final = 240


class FileNames:
    """Gives every file of a report a name of its own."""

    def __init__(self, taken: frozenset[str] = frozenset()) -> None:
        # Some file systems take A and a for the same.
        self._taken = {each.casefold() for each in taken}

    def summary(self, result: LoadResult, summary: Summary) -> str:
        """``<SummaryName>_<config name>[_<identifier>]_<RFC3339>.<ext>``."""
        end = f"_{rfc3339(summary.unix_ns)}.{_fit(summary.ext)}"
        return self._own(f"{summary.name}_{_test(result)}", end)

    def config(self, result: LoadResult) -> str:
        """``generatedConfig_<config name>[_<identifier>].yaml``."""
        return self._own(f"generatedConfig_{_test(result)}", ".yaml")

    def _own(self, stem: str, end: str) -> str:
        stem = _shortened(_fit(stem), _MOST_BYTES - len(end.encode()))
        name, number = f"{stem}{end}", 1
        while name.casefold() in self._taken:
            number += 1
            name = f"{stem}-{number}{end}"
        self._taken.add(name.casefold())
        return name


def rfc3339(unix_ns: int) -> str:
    """A moment to the second, in UTC."""
    moment = dt.datetime.fromtimestamp(unix_ns // SECOND_NS, dt.UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def is_plain(name: str) -> bool:
    """Whether a name is that of a file in the directory itself."""
    return bool(name) and name not in (".", "..") and not _UNFIT.search(name)


def _test(result: LoadResult) -> str:
    return f"{result.name}_{result.identifier}" if result.identifier else result.name


def _fit(text: str) -> str:
    return _UNFIT.sub("_", text)


def _shortened(text: str, most_bytes: int) -> str:
    return text.encode()[:most_bytes].decode(errors="ignore")
