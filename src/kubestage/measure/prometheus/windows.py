"""WindowsResourceUsagePrometheus: what Windows nodes use, by process, volume and network card."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.measure.perf_data import DataItem, PerfData
from kubestage.measure.prometheus.query_measurement import (
    InstantQuery,
    PrometheusMeasurement,
    QueryParams,
    first_error,
)

if TYPE_CHECKING:
    from kubestage.measure.facilities import QueryAnswer, Sample
    from kubestage.measure.prometheus.query_measurement import MeasuredTime
    from kubestage.measure.results import MeasurementResult

_OWN: Final = 'process!~"Idle|Total|System"'
_MEGABYTE: Final = 1024 * 1024


class Usage(msgspec.Struct, frozen=True):
    """A file: its query, and how a row of it is written.

    `scale` is what a value is divided by; `places` are the digits that are written.
    """

    summary: str
    query: str
    value: str
    unit: str
    label: str
    source: str
    scale: int = 1
    places: int = 2

    def item(self, sample: Sample) -> DataItem:
        """A row as perfdash reads it."""
        digits = 10**self.places
        value = _round(sample.value * digits / self.scale) / digits
        labels = {self.label: sample.labels.get(self.source, "")}
        return DataItem({self.value: value}, self.unit, labels)


USAGES: Final = (
    Usage(
        "WindowsCPUUsagePrometheus",
        f"topk(10, sum by (process) (irate(windows_process_cpu_time_total{{{_OWN}}}[5m]) / "
        "on(job) group_left windows_cs_logical_processors) * 100)",
        "CPU_Usage",
        "%",
        "Process",
        "process",
    ),
    Usage(
        "WindowsMemoryUsagePrometheus",
        f"topk(10, sum(windows_process_working_set_bytes{{{_OWN}}}) by (process))",
        "Memory_Usage",
        "MB",
        "Process",
        "process",
        _MEGABYTE,
    ),
    Usage(
        "WindowsNodeStorage",
        "sum(windows_logical_disk_size_bytes) by (volume)",
        "Storage_Used",
        "GB",
        "Volume",
        "volume",
        1024 * _MEGABYTE,
    ),
    Usage(
        "WindowsOpenFiles",
        'sum(process_open_fds{service="windows-exporter"})',
        "Open File Handles",
        "Handles",
        "Job",
        "job",
        places=0,
    ),
    Usage(
        "WindowsProcesses",
        f"topk(10, sum by (process) (windows_process_io_bytes_total{{{_OWN}}}))",
        "Process Handles",
        "Handles",
        "Process",
        "process",
    ),
    Usage(
        "WindowsNetwork",
        "topk(10, sum by (nic) (windows_net_bytes_total))",
        "Network_Bytes_Total",
        "MB",
        "NIC",
        "nic",
        _MEGABYTE,
    ),
    Usage(
        "WindowsContainers",
        "topk(10, sum by (instance) (windows_container_count))",
        "Windows Container Count",
        "Containers",
        "Instance",
        "instance",
        # A count is not a number of bytes; ClusterLoader2 writes it so all the same.
        _MEGABYTE,
    ),
)


class WindowsParams(QueryParams, frozen=True, kw_only=True):
    """`summary_name` is one name for all files."""

    summary_name: str = ""


class WindowsResourceUsagePrometheus(PrometheusMeasurement[WindowsParams]):
    """Seven files, without thresholds."""

    params_type = WindowsParams

    def instant_queries(self, params: WindowsParams, measured: MeasuredTime) -> list[InstantQuery]:
        """One query per file."""
        del params
        return [InstantQuery(usage.query, measured.ended_ns) for usage in USAGES]

    def conclude(
        self, params: WindowsParams, measured: MeasuredTime, answers: list[QueryAnswer]
    ) -> MeasurementResult:
        """The files."""
        del measured
        failed = first_error(answers)
        if failed is not None:
            return failed
        summaries = []
        for usage, answered in zip(USAGES, answers, strict=True):
            items = tuple(usage.item(sample) for sample in answered.samples)
            name = params.summary_name or usage.summary
            summaries.append((name, PerfData("v1", items).to_json()))
        return self.build_result(params, summaries, ())


def _round(value: float) -> float:
    """To a whole number, halves away from zero."""
    return math.copysign(math.floor(abs(value) + 0.5), value)
