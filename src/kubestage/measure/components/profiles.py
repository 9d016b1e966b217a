"""Profiles: where components spend their time and their memory.

An API server serves its own under ``/debug/pprof`` to authorized clients. Those of other
components, and profiles of CPU, which have no text form, need access to the machines.
"""

from __future__ import annotations

import functools
from http import HTTPStatus
from typing import TYPE_CHECKING, ClassVar, Final

from kubestage.errors import InputError
from kubestage.measure import perf_data
from kubestage.measure.bundles.in_turn import InTurn
from kubestage.measure.components import control_plane
from kubestage.measure.components.usage_probes import NodeProbe
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Params
from kubestage.measure.results import (
    NOTHING,
    MeasurementResult,
    PendingResult,
    Summary,
    merge_results,
)
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.cluster.access import Answer, Page, Timer
    from kubestage.measure.measurement import Context
    from kubestage.measure.results import Result

API_SERVER: Final = "kube-apiserver"
_EVERY_NS: Final = 300_000_000_000
_PATIENCE_NS: Final = 120_000_000_000
_POLL_NS: Final = 100_000_000
_PROBE_NS: Final = 10_000_000_000
_HOST: Final = "master"
_STAGE: Final = "needs pprof, which the modelled components of a stage do not have"
_SSH: Final = "needs SSH to the machines of the control plane"
_BINARY: Final = f"{_SSH}: a profile of CPU has no text form"
_LABEL: Final = "usage of modelled components; a stage has no pprof"


class ProfileParams(Params, frozen=True, kw_only=True):
    """`component_name` is one of the control plane: ``kube-apiserver``, ``etcd``, ..."""

    component_name: str = ""

    def problems(self) -> Iterator[InputError]:
        """A profile is of one component."""
        if self.action == "start" and not self.component_name:
            yield InputError("missing", path="params.componentName", fix="name a component")


class Profile(Measurement[ProfileParams]):
    """Takes a profile of one component every five minutes."""

    params_type = ProfileParams
    page: ClassVar[str] = ""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._component = ""
        self._is_running = False
        self._is_requesting = False
        self._timer: Timer | None = None
        self._summaries: list[Summary] = []
        self._problem = ""

    def start(self, params: ProfileParams) -> Result:
        """Start, if the profile is available at all."""
        params.check()
        missing = self._missing(params.component_name)
        if missing:
            return MeasurementResult(skipped=missing)
        if not self._is_running:
            self._component = params.component_name
            self._is_running = True
            self._summaries, self._problem = [], ""
            self._schedule_request()
        return NOTHING

    def gather(self, params: ProfileParams) -> Result:
        """Stop, and report all profiles that were taken; at least one is."""
        missing = self._missing(params.component_name or self._component or API_SERVER)
        if missing:
            return MeasurementResult(skipped=missing)
        was_running = self._is_running
        self.dispose()
        if was_running and not (self._summaries or self._is_requesting):
            self._request()
        return self.wait(self._is_quiet, self._gathered, every_ns=_POLL_NS, timeout_ns=_PATIENCE_NS)

    def dispose(self) -> None:
        """Stop taking profiles."""
        self._is_running = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _missing(self, component: str) -> str:
        if self.cluster.is_stage:
            return _STAGE
        if component != API_SERVER:
            return _SSH
        return "" if self.page else _BINARY

    def _schedule_request(self) -> None:
        self._timer = self.cluster.moments.at(self.now_ns + _EVERY_NS, self._request)

    def _request(self) -> None:
        self._is_requesting = True
        self.cluster.raw(self.page, self._answered)

    def _answered(self, page: Page) -> None:
        self._is_requesting = False
        if page.code == HTTPStatus.OK:
            name = f"{_HOST}_{self._component}_{type(self).__name__}"
            unix_ns = self.cluster.moments.unix_ns
            self._summaries.append(Summary(name, page.text, unix_ns, "pprof"))
        else:
            self._problem = f"needs {self.page}, which answered {page.code}"
        if self._is_running:
            self._schedule_request()

    def _is_quiet(self) -> bool:
        return not self._is_requesting

    def _gathered(self, is_quiet: bool) -> MeasurementResult:
        del is_quiet
        if self._summaries:
            return MeasurementResult(summaries=tuple(self._summaries))
        return MeasurementResult(skipped=self._problem)


class CPUProfile(Profile):
    """Where time is spent. It has no text form, so the API never serves it."""


class MemoryProfile(Profile):
    """What holds memory."""

    page = "/debug/pprof/heap?debug=1"


class BlockProfile(Profile):
    """What waits for what."""

    page = "/debug/pprof/block?debug=1"


class ProfileGathererParams(Params, frozen=True, kw_only=True):
    """`component_name` is the API server if none is named."""

    component_name: str = ""


class ProfileGatherer(Measurement[ProfileGathererParams]):
    """Profiles of the API server, or on a stage what its modelled components use over time."""

    params_type = ProfileGathererParams
    needs_start = True
    is_restarted = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._profiles: tuple[Profile, ...] = (MemoryProfile(context), BlockProfile(context))
        self._probe: NodeProbe | None = None

    def start(self, params: ProfileGathererParams) -> Result:
        """Begin."""
        if not self.cluster.is_stage:
            return self._request_all(params)
        if self._probe is not None:
            return NOTHING
        return _Finding(self).pending

    def probe(self, master: str) -> None:
        """Poll the node of the control plane from now on."""
        containers = frozenset(control_plane.COMPONENTS)
        self._probe = NodeProbe(self.cluster, master, containers, _PROBE_NS, 0)

    def gather(self, params: ProfileGathererParams) -> Result:
        """Stop, and report what was observed."""
        if not self.cluster.is_stage:
            return self._request_all(params)
        if self._probe is None:
            return MeasurementResult(errors=("start needs to be executed before gather",))
        self._probe.stop()
        return self.wait(self._is_quiet, self._gathered, every_ns=_POLL_NS, timeout_ns=_PATIENCE_NS)

    def dispose(self) -> None:
        """Stop polling."""
        for profile in self._profiles:
            profile.end()
        if self._probe is not None:
            self._probe.stop()

    def _request_all(self, params: ProfileGathererParams) -> Result:
        named = ProfileParams(
            action=params.action, component_name=params.component_name or API_SERVER
        )
        steps = [functools.partial(profile.perform, named) for profile in self._profiles]
        return InTurn(steps, merge_results).pending

    def _is_quiet(self) -> bool:
        return self._probe is None or self._probe.is_finished

    def _gathered(self, is_quiet: bool) -> MeasurementResult:
        del is_quiet
        usages = {} if self._probe is None else self._probe.usages
        self._probe = None
        components = [
            {
                "name": name,
                "atSeconds": [at_ns / SECOND_NS for at_ns in usage.at_ns],
                "cpuCores": usage.cpu,
                "memoryBytes": usage.memory,
            }
            for name, usage in sorted(usages.items())
        ]
        content = perf_data.pretty({"what": _LABEL, "components": components})
        return MeasurementResult(
            summaries=(Summary("ProfileGatherer", content, self.cluster.moments.unix_ns),),
            series=tuple(series for name in sorted(usages) for series in usages[name].series(name)),
        )


class _Finding:
    """Finds the node of a stage's control plane."""

    def __init__(self, gatherer: ProfileGatherer) -> None:
        self.pending = PendingResult()
        self._gatherer = gatherer
        control_plane.list_nodes(gatherer.cluster, self._listed)

    def _listed(self, answer: Answer) -> None:
        if answer.error is not None:
            self.pending.resolve(MeasurementResult(errors=(answer.error.message,)))
            return
        nodes = control_plane.items(answer)
        self._gatherer.probe(control_plane.masters(nodes, is_stage=True)[0])
        self.pending.resolve(NOTHING)
