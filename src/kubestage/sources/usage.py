"""What pods and nodes used, beside the changes of a recording: ``recording/usage-*.jsonl.gz``.

::

    for sample in usage.read("rec"):
        print(sample.at_ns, sample.namespace, sample.pod, sample.container, sample.cpu_nanocores)

``docs/recording-format.md`` describes each line. A series has its names once in a segment, so that
a day of twenty thousand containers stays small.
"""

from __future__ import annotations

import itertools
import pathlib
import zlib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import timestamps
from kubestage.sources import segments
from kubestage.sources.imported import format_ns
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

FORMAT: Final = "kubestage.dev/usage/v1"
STEM: Final = "usage"
FOLDER: Final = "recording"
METRICS_API: Final = "metrics.k8s.io"
PROMETHEUS: Final = "prometheus"
_MICRO: Final = 1_000
_KIB: Final = 1_024
_FIX: Final = "record it again, or remove this file: a replay then has no recorded usage"
_Names = tuple[str, str, str, str]


class UsageSample(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a container, or a whole node, used over the window that ends at `at_ns`.

    Of a container `node` is empty; of a node the other three names are.
    """

    at_ns: int
    """Unix time."""
    namespace: str = ""
    pod: str = ""
    container: str = ""
    node: str = ""
    cpu_nanocores: int
    """Billionths of a core, on average over the window."""
    memory_bytes: int
    """The working set at the end of the window."""
    window_ns: int = 0
    """How long the window is; 0 if the source does not say."""

    @property
    def names(self) -> _Names:
        """What was measured."""
        return self.namespace, self.pod, self.container, self.node


class _Header(msgspec.Struct, frozen=True, kw_only=True):
    format: str
    segment: int
    source: str


class _Series(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    series: int
    namespace: str = ""
    pod: str = ""
    container: str = ""
    node: str = ""


class _Samples(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    at: str
    window: float = 0
    used: list[int]


class _Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line that is either of the two."""

    series: int | None = None
    namespace: str = ""
    pod: str = ""
    container: str = ""
    node: str = ""
    at: str = ""
    window: float = 0
    used: list[int] = []


class UsageWriter:
    """Appends samples to a folder; `source` says where they come from."""

    def __init__(self, folder: str | os.PathLike[str], source: str,
                 most_bytes: int = segments.MOST_BYTES) -> None:  # fmt: skip
        self._folder = pathlib.Path(folder) / FOLDER
        self._source = source
        self._most_bytes = most_bytes
        self._segment: segments.SegmentWriter | None = None
        self._series: dict[_Names, int] = {}
        self._done_bytes = 0
        self.samples = 0

    @property
    def size(self) -> int:
        """Compressed bytes that this writer has written."""
        return self._done_bytes + (0 if self._segment is None else self._segment.size)

    def add(self, samples: Iterable[UsageSample]) -> None:
        """Append samples; those of one container come in the order of their times."""
        ordered = sorted(samples, key=_moment)
        for (at_ns, window_ns), group in itertools.groupby(ordered, key=_moment):
            segment = self._opened()
            used: list[int] = []
            for each in group:
                self.samples += 1
                used += (self._number(each.names, segment), -(-each.cpu_nanocores // _MICRO),
                         -(-each.memory_bytes // _KIB))  # fmt: skip
            line = _Samples(at=format_ns(at_ns), window=window_ns / SECOND_NS, used=used)
            segment.write(msgspec.json.encode(line))

    def flush(self) -> None:
        """Have all samples so far on disk."""
        if self._segment is None:
            return
        self._segment.flush()
        if self._segment.size >= self._most_bytes:
            self.close()

    def close(self) -> None:
        """End the segment; more samples would begin another one."""
        if self._segment is not None:
            self._segment.close()
            self._done_bytes += self._segment.size
            self._segment = None
            self._series = {}

    def _opened(self) -> segments.SegmentWriter:
        if self._segment is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            number = segments.next_number(self._folder, STEM)
            self._segment = segments.SegmentWriter(self._folder, STEM, number)
            header = _Header(format=FORMAT, segment=number, source=self._source)
            self._segment.write(msgspec.json.encode(header))
        return self._segment

    def _number(self, names: _Names, segment: segments.SegmentWriter) -> int:
        number = self._series.get(names)
        if number is None:
            number = self._series[names] = len(self._series)
            namespace, pod, container, node = names
            segment.write(msgspec.json.encode(
                _Series(series=number, namespace=namespace, pod=pod, container=container, node=node)
            ))  # fmt: skip
        return number


def _moment(sample: UsageSample) -> tuple[int, int]:
    return sample.at_ns, sample.window_ns


def is_recorded(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder has recorded usage."""
    return bool(segments.find(pathlib.Path(folder) / FOLDER, STEM))


def last_ns(folder: str | os.PathLike[str]) -> int:
    """The time of the newest sample of a folder; 0 if it has none."""
    for path in reversed(segments.find(pathlib.Path(folder) / FOLDER, STEM)):
        newest = max((each.at_ns for each in _read_file(path)), default=0)
        if newest:
            return newest
    return 0


def read(folder: str | os.PathLike[str]) -> Iterator[UsageSample]:
    """The samples of a folder, in the order in which they were recorded; none if it has none.

    Those of one container are in the order of their times. InputError names file and line.
    """
    for path in segments.find(pathlib.Path(folder) / FOLDER, STEM):
        yield from _read_file(path)


def _read_file(path: pathlib.Path) -> Iterator[UsageSample]:
    with path.open("rb") as packed:
        try:
            yield from read_lines(segments.opened(packed), str(path))
        except zlib.error:
            raise InputError("is damaged", file=str(path), fix=_FIX) from None


def read_lines(lines: Iterable[bytes], name: str) -> Iterator[UsageSample]:
    """The samples of one segment."""
    header: _Header | None = None
    series: dict[int, _Line] = {}
    for number, data in enumerate(segments.whole_lines(lines), 1):
        try:
            if header is None:
                header = msgspec.json.decode(data, type=_Header)
                if header.format != FORMAT:
                    problem = f"format {header.format!r} is not known"
                    raise InputError(problem, file=name, line=1, fix="use a newer kubestage")
                continue
            line = msgspec.json.decode(data, type=_Line)
            if line.series is not None:
                series[line.series] = line
                continue
            yield from _samples(line, series)
        except (msgspec.DecodeError, UnicodeDecodeError, ValueError, KeyError) as error:
            problem = f"series {error} has no names" if isinstance(error, KeyError) else str(error)
            raise InputError(problem, file=name, line=number, fix=_FIX) from None


def _samples(line: _Line, series: dict[int, _Line]) -> Iterator[UsageSample]:
    at_ns, window_ns = timestamps.parse_time(line.at), round(line.window * SECOND_NS)
    for of, cpu, memory in zip(*[iter(line.used)] * 3, strict=True):
        named = series[of]
        yield UsageSample(
            at_ns=at_ns, namespace=named.namespace, pod=named.pod, container=named.container,
            node=named.node, cpu_nanocores=cpu * _MICRO, memory_bytes=memory * _KIB,
            window_ns=window_ns,
        )  # fmt: skip
