"""Where loads run: a stage in virtual time, or a real cluster in real time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import msgspec
import typer

from kubestage.cli import load_compose, load_shell, load_stage
from kubestage.cli.load_compose import Surroundings
from kubestage.cluster import node_readiness
from kubestage.cluster.access import Call, Resource
from kubestage.errors import InputError
from kubestage.measure.metrics_store import MetricsStore
from kubestage.sim.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.cli.load_choices import Choices
    from kubestage.cluster.access import Answer
    from kubestage.cluster.profile import Profile
    from kubestage.load.run import LoadRun
    from kubestage.measure.registry import Registry
    from kubestage.remote.access import Access
    from kubestage.remote.prometheus import PrometheusQueries

_LOOK_NS: Final = 250_000_000
# What stands in the way of a watch for so long is worth a word: who waits for it waits in vain.
_LASTING_NS: Final = 5_000_000_000
# Not an option: others see the command line, and a report repeats it.
_PROMETHEUS_TOKEN: Final = "PROMETHEUS_TOKEN"


class Where(msgspec.Struct, frozen=True):
    """A cluster in a report: ``stage`` or its address, and for how many nodes loads are made."""

    cluster: str
    nodes: int


class Ground(Protocol):
    """A cluster on which tests are run one after the other."""

    @property
    def is_real(self) -> bool:
        """Whether its time is that of the wall."""

    @property
    def where(self) -> Where:
        """What a report calls it."""

    @property
    def around(self) -> Surroundings:
        """What a load finds here."""

    def finish(self, run: LoadRun, told: Callable[[], None]) -> None:
        """Run a load that was begun to its end; `told` is called now and then."""

    def interrupt(self, run: LoadRun) -> None:
        """Have a load end early, asked for by a signal."""

    def problems(self) -> list[str]:
        """What stands in the way at the moment."""

    def close(self) -> None:
        """No more tests."""


class StagedGround:
    """A stage, with its own store of metrics that answers PromQL."""

    is_real = False

    def __init__(self, choices: Choices, registry: Registry, profile: Profile) -> None:
        self.stage = load_stage.furnish(choices, profile)
        cluster = self.stage.cluster(profile)
        nodes = load_stage.nodes_of(self.stage, choices)
        self._queries = MetricsStore(cluster)
        self._is_interrupted = False
        self.where = Where("stage", nodes)
        self.around = Surroundings(
            cluster=cluster,
            streams=self.stage.streams,
            nodes=nodes,
            limits=load_compose.limits_of(choices, nodes, profile.client),
            registry=registry,
            queries=self._queries,
            shell=load_shell.StageShell(cluster.moments) if choices.is_exec_allowed else None,
            is_strict=choices.is_strict,
        )

    def finish(self, run: LoadRun, told: Callable[[], None]) -> None:
        """Let virtual time pass."""

        def look() -> None:
            if self._is_interrupted:
                run.interrupt()
            told()

        self.stage.run_until(lambda: run.is_over, look)

    def interrupt(self, run: LoadRun) -> None:
        """Between two movements it is safe to end."""
        del run
        self._is_interrupted = True

    def problems(self) -> list[str]:
        """A stage has none."""
        return []

    def close(self) -> None:
        """Nobody asks any more."""
        self._queries.stop()


class RealGround:
    """A real cluster that a kubeconfig names, or in which this program runs."""

    is_real = True

    def __init__(self, choices: Choices, registry: Registry) -> None:
        from kubestage.remote.cluster import RemoteCluster
        from kubestage.remote.shell import RemoteShell

        self.cluster = cluster = RemoteCluster(_access(choices))
        try:
            cluster.check()
            nodes = choices.nodes or self._nodes()
            self.where = Where(cluster.server, nodes)
            self.around = Surroundings(
                cluster=cluster,
                streams=Streams(choices.seed),
                nodes=nodes,
                limits=load_compose.limits_of(choices, nodes),
                registry=registry,
                queries=self._queries(choices),
                shell=RemoteShell(cluster.loop) if choices.is_exec_allowed else None,
                is_strict=choices.is_strict,
            )
        except BaseException:
            cluster.close()
            raise

    def finish(self, run: LoadRun, told: Callable[[], None]) -> None:
        """Let time go by."""
        moments = self.cluster.moments

        def look() -> None:
            if not run.is_over:
                self._warn(run)
                told()
                moments.at(moments.now_ns + _LOOK_NS, look)

        look()
        self.cluster.run(lambda: run.is_over)

    def interrupt(self, run: LoadRun) -> None:
        """From a signal handler, by way of the loop."""
        self.cluster.interrupt(run.interrupt)

    def problems(self) -> list[str]:
        """Watches that cannot be had."""
        return self.cluster.problems()

    def close(self) -> None:
        """Close all connections."""
        self.cluster.close()

    def _warn(self, run: LoadRun) -> None:
        """Say what keeps watches from seeing anything, now and in the result."""
        warnings = run.result.warnings
        for problem in self.cluster.problems(_LASTING_NS):
            if problem not in warnings:
                warnings.append(problem)
                typer.echo(f"Warning: {problem}", err=True)

    def _queries(self, choices: Choices) -> PrometheusQueries | None:
        """Who answers PromQL; that it does is seen before the load and not after it."""
        from kubestage.remote.prometheus import PrometheusQueries

        url = choices.prometheus_url
        if url is None:
            return None
        queries = PrometheusQueries(
            self.cluster, url, choices.environment.get(_PROMETHEUS_TOKEN, "")
        )
        queries.check()
        return queries

    def _nodes(self) -> int:
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


def _access(choices: Choices) -> Access:
    from kubestage.remote import kubeconfig

    if choices.is_in_cluster:
        return kubeconfig.in_cluster()
    return kubeconfig.load(choices.kubeconfig, choices.context or "")


def ground(choices: Choices, registry: Registry) -> Ground:
    """The cluster that a person means."""
    if choices.is_real:
        return RealGround(choices, registry)
    return StagedGround(choices, registry, load_stage.profile_of(choices))
