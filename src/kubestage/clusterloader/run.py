"""A load under way: namespaces, steps one after another, and everything taken away at the end."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.clusterloader.bundles import ActionContext, Objects
from kubestage.clusterloader.call_log import CallLog
from kubestage.clusterloader.chaos import Chaos
from kubestage.clusterloader.dependencies.dependencies import Dependencies
from kubestage.clusterloader.namespaces import NAMESPACE, Preparation
from kubestage.clusterloader.phase_run import PhaseRun
from kubestage.clusterloader.removal import Deletions
from kubestage.clusterloader.replicas import Leftovers, ReplicaCounts
from kubestage.clusterloader.requests import Requests
from kubestage.clusterloader.result import LoadResult
from kubestage.clusterloader.step_run import StepRun
from kubestage.clusterloader.tuning.sets import TuningSets

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from kubestage.cluster.access import Cluster
    from kubestage.clusterloader.config import Config, Phase
    from kubestage.clusterloader.result import StepResult
    from kubestage.measure.measurements import Measurements
    from kubestage.sim.streams import Streams

_LETTERS: Final = string.ascii_lowercase + string.digits
_PREFIX_LENGTH: Final = 6


class Work(msgspec.Struct, frozen=True):
    """What is to be run: the load, what fills its templates, and what it is called in reports."""

    config: Config
    templates: Objects
    mapping: dict[str, Any]
    path: str = ""
    identifier: str = ""
    warnings: tuple[str, ...] = ()


class LoadRun:
    """One run of a load against a cluster.

    `start` begins it; it goes on as the cluster's time does, and `is_over` is whether it has
    ended and everything is cleaned up. `interrupt` has it end early, cleaned up all the same.
    """

    def __init__(
        self,
        work: Work,
        cluster: Cluster,
        measurements: Measurements,
        streams: Streams,
        *,
        is_strict: bool = False,
    ) -> None:
        self.is_over = False
        self.is_cleaning = False
        self.step: StepRun | None = None
        # Is called at the end of each step.
        self.on_step: Callable[[StepResult], None] | None = None
        self._work = work
        self._config = work.config
        self._cluster = cluster
        self._moments = cluster.moments
        self._measurements = measurements
        self._is_strict = is_strict
        self._requests = Requests(cluster, CallLog())
        self._replicas = ReplicaCounts()
        self._leftovers = Leftovers()
        self._tuning = TuningSets(work.config.tuning_sets, cluster.moments, streams)
        self._chaos = Chaos(work.config.chaos_monkey, cluster, streams.stream("load/chaos"))
        self._prefix = work.config.namespaces.prefix or random_prefix(prefix_draws(streams))
        self._context = ActionContext(self._requests, work.templates, work.mapping, self._leftovers)
        self._preparation = Preparation(
            self._requests, work.config.namespaces, self._prefix, self._prepared
        )
        self._dependencies = Dependencies(work.config.dependencies, self._requests)
        self.result = LoadResult(
            name=work.config.name,
            identifier=work.identifier,
            path=work.path,
            began_unix_ns=self._moments.unix_ns,
            began_ns=self._moments.now_ns,
            warnings=list(work.warnings),
            calls=self._requests.log,
        )

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return len(self._config.steps)

    def start(self) -> None:
        """Begin."""
        self.result.began_unix_ns = self._moments.unix_ns
        self.result.began_ns = self._moments.now_ns
        self._preparation.start()

    def interrupt(self) -> None:
        """End early: begin nothing more, let calls that are under way end, clean up."""
        if self.result.is_interrupted or self.is_cleaning or self.is_over:
            return
        self.result.is_interrupted = True
        self._requests.stop()
        self._tuning.stop()
        self._dependencies.abandon()
        if self.step is not None:
            self.step.abandon()

    def _prepared(self, problem: str) -> None:
        self._leftovers.belong(frozenset(self._preparation.created))
        self.result.warnings.extend(self._preparation.warnings)
        if problem:
            self.result.errors.append(f"error while preparing test namespaces: {problem}")
            self._clean()
            return
        self._dependencies.set_up(self._depended)

    def _depended(self, problems: list[str]) -> None:
        self.result.warnings.extend(self._dependencies.warnings)
        if problems:
            self.result.errors.extend(problems)
            self._clean()
            return
        self._chaos.start()
        self._next_step()

    def _next_step(self) -> None:
        number = len(self.result.steps) + 1
        if number > self.steps or self.result.is_interrupted or self.result.is_fatal:
            self._chaos.stop(self._clean)
            return
        step = self._config.steps[number - 1]
        phases = [self._phase_run(phase) for phase in step.phases]
        self.step = StepRun(
            number, step, phases, self._measurements, self._moments, self._step_is_over
        )
        self.step.start()

    def _phase_run(self, phase: Phase) -> PhaseRun:
        if phase.namespace_list is not None:
            namespaces = list(phase.namespace_list)
        elif phase.namespace_range is None:
            namespaces = [""]
        else:
            reach = phase.namespace_range
            basename = self._prefix if reach.basename is None else reach.basename
            namespaces = [f"{basename}-{each}" for each in range(reach.min, reach.max + 1)]
        return PhaseRun(phase, namespaces, self._context, self._replicas, self._tuning)

    def _step_is_over(self, step: StepRun) -> None:
        result = step.result()
        self.result.steps.append(result)
        self.result.measured.extend(step.measured)
        self.result.errors.extend(result.errors)
        for measured in step.measured:
            self.result.warnings.extend(measured.outcome.warnings)
        self.result.is_fatal |= step.is_fatal
        if self.on_step is not None:
            self.on_step(result)
        # By way of the clock: a test may have more steps than calls can be nested.
        self._moments.at(self._moments.now_ns, self._next_step)

    def _clean(self) -> None:
        self.is_cleaning = True
        self.step = None
        self._set_time()
        self.result.chaos = self._chaos.summary()
        self.result.warnings.extend(self._chaos.warnings)
        self._check_emptiness()
        self._measurements.dispose()
        # A clean-up goes on where the run was broken off, so its calls may be made again.
        requests = self._requests = Requests(self._cluster, self._requests.log)
        if not self._config.namespaces.delete_automanaged:
            self._cleaned([])
            return
        removal = Deletions(requests, self._config.namespaces.delete_timeout_ns, self._cleaned)
        namespaces = [(NAMESPACE, "", name) for name in self._preparation.created]
        removal.start([*self._leftovers.all(), *namespaces])

    def _check_emptiness(self) -> None:
        """A pass without a sample is a warning, or an error if the run is strict.

        So is a measurement that was skipped; those are listed in any case.
        """
        empty = [
            f"{measured.method} - {measured.identifier}: {verdict.name} passed without a sample"
            for measured, verdict in self.result.verdicts()
            if verdict.is_empty
        ]
        (self.result.errors if self._is_strict else self.result.warnings).extend(empty)
        if self._is_strict:
            self.result.errors.extend(
                f"{measured.method} - {measured.identifier} was skipped: {reason}"
                for measured, reason in self.result.skipped()
            )

    def _cleaned(self, problems: list[str]) -> None:
        self._report_leftovers(problems)
        self._dependencies.take_down(self._requests, self._end)

    def _end(self, problems: list[str]) -> None:
        self._report_leftovers(problems)
        self._set_time()
        self.is_over = True

    def _set_time(self) -> None:
        """Clean-up counts, as in ClusterLoader2; a run that is ended in it took until then."""
        self.result.took_ns = self._moments.now_ns - self.result.began_ns

    def _report_leftovers(self, problems: list[str]) -> None:
        found = [f"clean-up: {each}" for each in problems]
        (self.result.errors if self._is_strict else self.result.warnings).extend(found)


def prefix_draws(streams: Streams) -> random.Random:
    """What prefixes are drawn from on a stage: the seed decides."""
    return streams.stream("load/namespaces")


def random_prefix(rng: random.Random) -> str:
    """The prefix of namespaces if the load has none: ``test-1a2b3c``."""
    return "test-" + "".join(rng.choice(_LETTERS) for _ in range(_PREFIX_LENGTH))
