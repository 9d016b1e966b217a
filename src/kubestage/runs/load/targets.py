"""The clusters that loads run on: a stage in virtual time, or a real cluster in real time."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from kubestage import lazy
from kubestage.cluster import node_readiness
from kubestage.cluster.access import Call, Resource
from kubestage.cluster.load_programs.running import LoadPrograms
from kubestage.errors import InputError
from kubestage.measure.metrics_store import MetricsStore
from kubestage.results.load import cost
from kubestage.runs.load import composition, program_files, stage_setup, stage_shell
from kubestage.runs.load.composition import LoadContext
from kubestage.sim.streams import Streams
from kubestage.stage import few_collections
from kubestage.stage.collections import HARDLY_EVER
from kubestage.units import SECOND_NS

with lazy.imports():
    from kubestage.remote import cluster as remote_cluster
    from kubestage.remote import kubeconfig, prometheus
    from kubestage.remote import shell as remote_shell
    from kubestage.results.history import history_recorder, spooled_history

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.cluster.access import Answer
    from kubestage.clusterloader.run import LoadRun
    from kubestage.measure.registry import Registry
    from kubestage.remote.access import Access
    from kubestage.results.history.spooled_history import SpooledHistory, SpooledRecorder
    from kubestage.results.load.cost import LoadCost
    from kubestage.runs.load.observer import LoadObserver
    from kubestage.runs.load.options import LoadOptions
    from kubestage.scheduler.measuring import Measuring
    from kubestage.stage import Stage

_PROGRESS_NS: Final = SECOND_NS // 4
# A watch that fails for so long is reported: whatever waits for it waits without success.
_LASTING_NS: Final = 5 * SECOND_NS
# Not an option: other users see the command line, and a report repeats it.
_PROMETHEUS_TOKEN: Final = "PROMETHEUS_TOKEN"


class TargetInfo(msgspec.Struct, frozen=True):
    """A cluster in a report."""

    cluster: str
    """``stage``, or the address of a real cluster."""
    nodes: int
    """For how many nodes loads are made."""


class LoadTarget(Protocol):
    """A cluster on which tests are run one after the other."""

    @property
    def is_real(self) -> bool:
        """Whether its time is real time."""

    @property
    def info(self) -> TargetInfo:
        """How a report names it."""

    @property
    def context(self) -> LoadContext:
        """What a load runs in."""

    def finish(self, run: LoadRun, on_progress: Callable[[], None]) -> None:
        """Run a load that was started to its end; `on_progress` is called now and then."""

    def interrupt(self, run: LoadRun) -> None:
        """End a load early; called from a signal handler."""

    def problems(self) -> list[str]:
        """What does not work at the moment."""

    def cost(self) -> LoadCost | None:
        """What its nodes cost so far; None if that is not known."""

    def measuring(self) -> Measuring | None:
        """The user's measures; None without any."""

    def history(self) -> SpooledHistory | None:
        """Every change so far, none of which is recorded from now on; None if it is not kept."""

    def close(self) -> None:
        """No more tests follow."""


class StageTarget:
    """A stage, with a store of metrics that answers PromQL."""

    is_real = False

    def __init__(self, options: LoadOptions, registry: Registry, observer: LoadObserver) -> None:
        own_programs = program_files.load(options.programs)
        profile = stage_setup.profile(options, observer)
        self.stage = stage_setup.populate(options, profile, observer)
        cluster = self.stage.cluster(profile)
        nodes = stage_setup.node_count(self.stage, options)
        self._queries = MetricsStore(cluster)
        self._is_interrupted = False
        self._cost = cost.watch(self.stage.store)
        self._history = _started_history(self.stage) if options.keeps_history else None
        self._programs = LoadPrograms(cluster, self.stage.streams, own_programs)
        self.info = TargetInfo("stage", nodes)
        self.context = LoadContext(
            cluster=cluster,
            streams=self.stage.streams,
            nodes=nodes,
            limits=composition.client_limits(options, nodes, profile.client),
            registry=registry,
            queries=self._queries,
            programs=self._programs,
            shell=stage_shell.StageShell(cluster.moments) if options.is_exec_allowed else None,
            is_strict=options.is_strict,
        )

    def finish(self, run: LoadRun, on_progress: Callable[[], None]) -> None:
        """Let virtual time pass."""

        def progress() -> None:
            if self._is_interrupted:
                run.interrupt()
            on_progress()

        with few_collections(HARDLY_EVER):
            self.stage.run_until(lambda: run.is_over, progress)

    def interrupt(self, run: LoadRun) -> None:
        """Remember it: only between two movements is it safe to end."""
        del run
        self._is_interrupted = True

    def problems(self) -> list[str]:
        """A stage has none."""
        return []

    def cost(self) -> LoadCost | None:
        """What nodes cost since the stage was ready; None if none had a price."""
        return None if self._cost is None else self._cost.result()

    def measuring(self) -> Measuring | None:
        """The measures of the stage's scheduler."""
        scheduler = self.stage.scheduler
        assert scheduler is not None
        return scheduler.measuring if scheduler.measuring.is_used else None

    def history(self) -> SpooledHistory | None:
        """Every change since the stage was ready."""
        return None if self._history is None else self._history.end_spooled()

    def close(self) -> None:
        """Collect no more metrics, and end the programs of pods."""
        self._queries.stop()
        self._programs.stop()
        if self._cost is not None:
            self._cost.stop()


class RealTarget:
    """A real cluster that a kubeconfig names, or in which this program runs."""

    is_real = True

    def __init__(self, options: LoadOptions, registry: Registry, observer: LoadObserver) -> None:
        self._observer = observer
        self.cluster = cluster = remote_cluster.RemoteCluster(_access(options))
        try:
            cluster.check()
            nodes = options.nodes or self._node_count()
            self.info = TargetInfo(cluster.server, nodes)
            shell = remote_shell.RemoteShell(cluster.loop) if options.is_exec_allowed else None
            self.context = LoadContext(
                cluster=cluster,
                streams=Streams(options.seed),
                nodes=nodes,
                limits=composition.client_limits(options, nodes),
                registry=registry,
                queries=self._queries(options),
                shell=shell,
                is_strict=options.is_strict,
                # A cluster may still have the namespaces of an earlier run with this seed.
                prefix_draws=random.SystemRandom(),
            )
        except BaseException:
            cluster.close()
            raise

    def finish(self, run: LoadRun, on_progress: Callable[[], None]) -> None:
        """Let time pass."""
        moments = self.cluster.moments

        def progress() -> None:
            if not run.is_over:
                self._warn(run)
                on_progress()
                moments.at(moments.now_ns + _PROGRESS_NS, progress)

        progress()
        self.cluster.run(lambda: run.is_over)

    def interrupt(self, run: LoadRun) -> None:
        """End it in the event loop, not in the signal handler."""
        self.cluster.interrupt(run.interrupt)

    def problems(self) -> list[str]:
        """Watches that fail."""
        return self.cluster.problems()

    def cost(self) -> LoadCost | None:
        """Prices are for stages."""
        return None

    def measuring(self) -> Measuring | None:
        """Measures are of a stage's scheduler."""
        return None

    def history(self) -> SpooledHistory | None:
        """The history of a real cluster is not recorded."""
        return None

    def close(self) -> None:
        """Close all connections."""
        self.cluster.close()

    def _warn(self, run: LoadRun) -> None:
        """Report watches that fail, now and in the result."""
        warnings = run.result.warnings
        for problem in self.cluster.problems(_LASTING_NS):
            if problem not in warnings:
                warnings.append(problem)
                self._observer.warning(problem)

    def _queries(self, options: LoadOptions) -> prometheus.PrometheusQueries | None:
        """The server that answers PromQL; checked before the load and not after it."""
        url = options.prometheus_url
        if url is None:
            return None
        token = options.environment.get(_PROMETHEUS_TOKEN, "")
        queries = prometheus.PrometheusQueries(self.cluster, url, token)
        queries.check()
        return queries

    def _node_count(self) -> int:
        """How many nodes take pods."""
        answers: list[Answer] = []
        call = Call(verb="list", resource=Resource("v1", "Node"))
        self.cluster.call(call, answers.append)
        self.cluster.run(lambda: bool(answers))
        [answer] = answers
        if answer.error is not None or answer.object is None:
            problem = "no list" if answer.error is None else answer.error.message
            raise InputError(
                f"nodes cannot be counted: {problem}",
                path="--nodes",
                fix="say for how many nodes the load is made, as in --nodes 3",
            )
        items = answer.object.get("items") or []
        number = sum(map(node_readiness.is_schedulable_and_untainted, items))
        if not number:
            raise InputError(
                f"none of {len(items)} nodes takes pods",
                path="--nodes",
                fix="mend a node, or say for how many nodes the load is made",
            )
        return number


def _started_history(stage: Stage) -> SpooledRecorder:
    start_state = history_recorder.beginning(stage.store, stage.clock, stage.scheduler, stage.seed)
    started = spooled_history.SpooledRecorder(
        stage.store, stage.clock, stage.scheduler, start_state
    )
    started.start()
    return started


def _access(options: LoadOptions) -> Access:
    if options.run_from_cluster:
        return kubeconfig.in_cluster()
    return kubeconfig.load(options.kubeconfig, options.context or "")


def open_target(options: LoadOptions, registry: Registry, observer: LoadObserver) -> LoadTarget:
    """The cluster that the options name."""
    if options.is_real:
        return RealTarget(options, registry, observer)
    return StageTarget(options, registry, observer)
